# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs tests through Maven and reads their results from Surefire's reports.
. "$TC_ROOT/ci/lib/part.bash"

# run_maven_tests "MODULE..." ARGUMENTS: prints a line per test class as it ends, then counts single tests.
run_maven_tests() {
    local modules=$1 module status output=$TC_PART_DIR/maven.out reports=()
    shift
    for module in $modules; do rm -rf "$TC_ROOT/$module/target/surefire-reports"; done
    tc_maven -Dmaven.test.failure.ignore=true "$@" test </dev/null 2>&1 | tee "$output" |
        sed -u -n 's/^\[[A-Z]*\] *\(Tests run: .*\) -* *in \(.*\)$/  \2: \1/p; s/^  JDK/    JDK/p'
    status=${PIPESTATUS[0]}
    cat "$output" >>"$TC_PART_LOG"
    for module in $modules; do
        for report in "$TC_ROOT/$module"/target/surefire-reports/{,alone/}TEST-*.xml; do
            [[ -e $report ]] && reports+=("$report")
        done
    done
    if ((${#reports[@]})); then
        python3 "$TC_ROOT/ci/lib/results.py" "${reports[@]}" | results_from ''
    fi
    if ((status != 0)) ||
        grep -qE 'forked VM terminated|There was a timeout|ERROR.*The forked VM' "$output"; then
        fail "Maven" "exit $status; log: ${TC_PART_LOG#"$TC_ROOT"/}"
        grep -E '^\[(ERROR|WARNING)\]' "$output" | tail -n 40
    elif grep -q $'^fail\t'"$TC_PART"$'\t' "$TC_RESULTS"; then
        printf '  what Maven said of the failures (all of it in %s):\n' "${TC_PART_LOG#"$TC_ROOT"/}"
        grep -E '^\[ERROR\]' "$output" | tail -n 60 | cut -c 1-400
    fi
}
