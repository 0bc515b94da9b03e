# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The beginning of every part of the test suite. ./test runs a part and tells it its name and its folder. A
# part reports each single test by a line on stdout, and the same in $TC_RESULTS.
: "${TC_PART_DIR:?is run by ./test --only PART}"
. "$TC_ROOT/ci/lib/build.bash"

# $TC_RESULTS has a line a test: status (pass, fail, skip), part, name, reason; separated by tabs.

result() {
    local status=$1 name=$2 reason=${3:-}
    reason=${reason//[$'\t\n']/ }
    printf '%s\t%s\t%s\t%s\n' "$status" "$TC_PART" "$name" "$reason" >>"$TC_RESULTS"
    status=${status/pass/ok} status=${status/fail/FAIL}
    printf '  %-5s %s%s\n' "$status" "$name" "${reason:+: $reason}"
}

pass() { result pass "$1"; }
fail() { result fail "$1" "${2:-}"; }
skip() { result skip "$1" "${2:-no reason given}"; }

# skip_rest WHAT REASON: skips it, and with it the rest of the part.
skip_rest() { skip "$@" && exit 0; }

# in_ci WHAT REASON: CI takes the time for it; a developer, who waits, gets it skipped.
in_ci() { [[ ${CI:-} == true ]] || { skip "$1" "$2: with CI=true only" && return 1; }; }

# has COMMAND WHAT [PACKAGE]: without the command, WHAT is skipped.
has() {
    command -v "$1" >/dev/null || { skip "$2" "$1 is not installed${3:+: apt-get install $3}" && return 1; }
}

# check NAME COMMAND...: the command's exit status is the test's result; when it fails, its output is shown.
check() {
    local output
    output=$("${@:2}" 2>&1 </dev/null) && pass "$1" && return
    fail "$1" "exit $?: ${*:2}"
    printf '%s\n' "$output" | tail -n 40 | sed 's/^/        /'
    return 1
}

# expect NAME STATUS STDOUT STDERR COMMAND...: patterns, '' for anything, - for nothing.
expect() {
    local problem='' status=0 out=$TC_PART_DIR/out err=$TC_PART_DIR/err
    "${@:5}" </dev/null >"$out" 2>"$err" || status=$?
    ((status == $2)) || problem="exit $status instead of $2"
    matches "$3" "$out" || problem+="${problem:+; }stdout is not /$3/"
    matches "$4" "$err" || problem+="${problem:+; }stderr is not /$4/"
    if [[ -z $problem ]]; then pass "$1"; else fail "$1" "$problem; stderr: $(tail -n 5 "$err")"; fi
}
matches() { [[ -z $1 || ($1 == - && ! -s $2) ]] || { [[ $1 != - ]] && grep -qE -- "$1" "$2"; }; }

# must COMMAND...: a step without which the part cannot go on. Its output goes to the part's log; failing ends
# the part.
must() {
    printf '\n== %s\n' "$*" >>"$TC_PART_LOG"
    "$@" </dev/null >>"$TC_PART_LOG" 2>&1 && return
    fail "set-up of the part" "exit $?: $*"
    tail -n 40 "$TC_PART_LOG" | sed 's/^/        /'
    exit 1
}

# equal WHAT EXPECTED ACTUAL: for use as a check's command.
equal() {
    [[ $2 == "$3" ]] && return
    printf '%s differs\n' "$1"
    diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | sed 's/^</expected:/; s/^>/actual:  /'
    return 1
}

# results_from [TITLE]: records lines "status <tab> name <tab> reason" as single tests, named TITLE name.
results_from() {
    local status name reason
    while IFS=$'\t' read -r status name reason; do result "$status" "${1:+$1: }$name" "$reason"; done
}
