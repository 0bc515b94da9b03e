# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs tests through Maven and reads their results from Surefire's reports.
. "$TC_ROOT/ci/lib/part.bash"

# run_maven_tests ARGUMENTS: prints a line per test class as it ends, then counts single tests.
run_maven_tests() {
    local status output=$TC_PART_DIR/maven.out
    rm -rf "$TC_ROOT"/{tests,java/*,java/metrics/*}/target/surefire-reports
    tc_maven -Dmaven.test.failure.ignore=true "$@" test </dev/null 2>&1 | tee "$output" |
        sed -u -n 's/^\[[A-Z]*\] *\(Tests run: .*\) -* *in \(.*\)$/  \2: \1/p; s/^  JDK/    JDK/p'
    status=${PIPESTATUS[0]}
    cat "$output" >>"$TC_PART_LOG"
    find "$TC_ROOT"/{tests,java} -path '*/target/surefire-reports/*' -name 'TEST-*.xml' \
        -exec python3 "$TC_ROOT/ci/lib/results.py" {} + | results_from
    if ((status != 0)) ||
        grep -qE 'forked VM terminated|There was a timeout|ERROR.*The forked VM' "$output"; then
        fail "Maven" "exit $status; log: ${TC_PART_LOG#"$TC_ROOT"/}"
        grep -E '^\[(ERROR|WARNING)\]' "$output" | tail -n 40
    elif grep -q $'^fail\t'"$TC_PART"$'\t' "$TC_RESULTS"; then
        printf '  what Maven said of the failures (all of it in %s):\n' "${TC_PART_LOG#"$TC_ROOT"/}"
        grep -E '^\[ERROR\]' "$output" | tail -n 60 | cut -c 1-400
    fi
}
