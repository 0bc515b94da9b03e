# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Builds the native tree with its tests and runs them through ctest. Sourced after part.bash.

# run_native_tests FOLDER SECONDS [CMAKE OPTIONS]: SECONDS is the limit of each test program.
run_native_tests() {
    local folder=$1 seconds=$2 output=$TC_PART_DIR/ctest.out status
    shift 2
    must configure_native "$folder" -DTHREADCLOCK_TESTS=ON -DTHREADCLOCK_WERROR=ON "$@"
    must cmake --build "$folder"
    pass "builds without warnings"
    # Awk ends with ctest; PIPESTATUS keeps ctest's own verdict.
    CMOCKA_MESSAGE_OUTPUT=TAP ctest --test-dir "$folder" -V --timeout "$seconds" </dev/null 2>&1 | tee "$output" |
        awk -f "$TC_ROOT/ci/lib/ctest.awk" | results_from
    status=${PIPESTATUS[0]}
    cat "$output" >>"$TC_PART_LOG"
    if grep -q 'No tests were found' "$output"; then
        fail "ctest" "found no tests in $folder"
    elif ((status != 0)) && ! grep -q $'^fail\t'"$TC_PART"$'\t' "$TC_RESULTS"; then
        fail "ctest" "exit $status although no test failed"
    fi
    if ((status != 0)); then
        printf '  what the failed tests printed (all of it in %s):\n' "${TC_PART_LOG#"$TC_ROOT"/}"
        what_failed_tests_printed "$output" | sed 's/^/        /'
    fi
}

# what_failed_tests_printed OUTPUT OF ctest -V: of each failed test program, the last lines that are not about tests that passed.
what_failed_tests_printed() {
    local number
    for number in $(sed -n 's/^ *[0-9]*\/[0-9]* *Test *#\([0-9]*\): .*\*\*\*.*/\1/p' "$1" | head -n 10); do
        grep -E "^$number: " "$1" | grep -vE "^$number: (ok |Working Directory|Test timeout)" | tail -n 15
    done
}
