# SPDX-License-Identifier: Apache-2.0
# Adds uPlot, a file among the resources, to the jar's bill of materials, indented like the CycloneDX plugin's output, and
# removes the digests of our modules whose own jars are not published: they depend on the modes of files in a checkout.
# -v version=1.2.3
BEGIN { ref = "pkg:npm/uplot@" version }
/^    \{/ { inside = 0 }
/^      "name" : "threadclock-(terminal|attach-command|watch|probe|lab|demo)"/ { inside = 1 }
inside && /^      "hashes" : \[$/ { digests = 1 }
digests {
    if (/^      \]/) digests = 0
    next
}
{ print }
/^  "components" : \[$/ {
    print "    {"
    print "      \"type\" : \"library\","
    print "      \"bom-ref\" : \"" ref "\","
    print "      \"name\" : \"uplot\","
    print "      \"version\" : \"" version "\","
    print "      \"scope\" : \"required\","
    print "      \"licenses\" : ["
    print "        {"
    print "          \"license\" : {"
    print "            \"id\" : \"MIT\","
    print "            \"url\" : \"https://opensource.org/license/mit/\""
    print "          }"
    print "        }"
    print "      ],"
    print "      \"purl\" : \"" ref "\""
    print "    },"
    components++
}
/^  "dependencies" : \[$/ {
    print "    {"
    print "      \"ref\" : \"" ref "\","
    print "      \"dependsOn\" : [ ]"
    print "    },"
    listed = 1
}
# The command line's own entry is the first one with dependencies.
listed && /^      "dependsOn" : \[$/ {
    print "        \"" ref "\","
    listed = 0
    used = 1
}
END { if (components != 1 || !used) exit 1 }
