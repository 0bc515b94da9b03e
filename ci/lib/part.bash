# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The beginning of every part of the test suite. ./test runs a part and tells it its name and its folder.
: "${TC_PART_DIR:?is run by ./test --only PART}"
# shellcheck source=ci/lib/common.bash
. "$TC_ROOT/ci/lib/common.bash"
# shellcheck source=ci/lib/build.bash
. "$TC_ROOT/ci/lib/build.bash"
# shellcheck source=ci/lib/results.bash
. "$TC_ROOT/ci/lib/results.bash"

# results_from [TITLE]: records lines "status <tab> name <tab> reason" as single tests, named TITLE name.
results_from() {
    local status name reason
    while IFS=$'\t' read -r status name reason; do result "$status" "${1:+$1: }$name" "$reason"; done
}
