# SPDX-License-Identifier: Apache-2.0
# Turns Surefire's XML reports (TEST-*.xml) into lines "status <tab> name <tab> reason", one a single test.

function attribute(line, key,    value) {
    if (match(line, "[ \t]" key "=\"[^\"]*\"") == 0) return ""
    value = substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
    gsub(/&quot;/, "\"", value); gsub(/&lt;/, "<", value); gsub(/&gt;/, ">", value); gsub(/&apos;/, "'", value)
    gsub(/&#10;|&#9;|&#13;/, " ", value); gsub(/&amp;/, "\\&", value)
    return value
}

function finish() {
    if (name != "") printf "%s\t%s\t%s\n", status, name, reason
    name = ""
}

# CDATA sections contain the output of tests, which may be anything.
incdata { if (/\]\]>/) incdata = 0; next }

/^ *<testcase / {
    finish()
    class = attribute($0, "classname"); sub(/.*\./, "", class)
    name = class ": " attribute($0, "name")
    status = "pass"; reason = ""
}
/^ *<(failure|error)[ >\/]/ && name != "" { status = "fail"; reason = substr(attribute($0, "message"), 1, 1000) }
/^ *<skipped[ >\/]/ && name != "" {
    status = "skip"; reason = attribute($0, "message")
    if (reason == "") { # the text of a failed assumption is the exception's first line
        reason = $0
        sub(/.*<!\[CDATA\[[^:]*: */, "", reason); sub(/^Assumption failed: */, "", reason); sub(/\]\]>.*/, "", reason)
    }
}
/^ *<\/testcase>/ || /^ *<testcase .*\/>/ { finish() }
/<!\[CDATA\[/ && !/\]\]>/ { incdata = 1 }
END { finish() }
