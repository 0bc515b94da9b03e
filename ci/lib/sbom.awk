# SPDX-License-Identifier: Apache-2.0
# Prints the components of a bill of materials as the CycloneDX plugin indents it: name, version, licences.
/^  "components"/ { components = 1 }
/^  \]/ { components = 0 }
components && /^    \{/ { name = version = licences = "" }
components && /^      "name"/ { name = text() }
components && /^      "version"/ { version = text() }
components && /^            "(id|name)"/ { licences = licences (licences == "" ? "" : ",") text() }
components && /^    \}/ { print name, version, licences }

function text() {
    gsub(/^[^:]*: "|",?$/, "")
    return $0
}
