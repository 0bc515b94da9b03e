# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Builds the native tree with its tests and runs them through ctest. Sourced after part.bash.

# shortened: reduces the repetitions of C tests.
shortened() {
    export THREADCLOCK_STRESS_READS=400000 THREADCLOCK_CHURN_THREADS=1280 THREADCLOCK_WATCH_MS=1000 \
        THREADCLOCK_SIGNAL_MS=500
    export THREADCLOCK_COMPARISONS=200000 CLASS_FILE_ROUNDS=2000 \
        THREADCLOCK_OPERATIONS=${THREADCLOCK_OPERATIONS:-1000000}
}

# run_native_tests PRESET SECONDS: PRESET is in native/CMakePresets.json; SECONDS limits each test program.
run_native_tests() {
    build_native_tests "$1"
    pass "builds without warnings"
    run_ctest "$1" "$2"
}

build_native_tests() {
    must cmake -S "$TC_ROOT/native" --preset "$1"
    must cmake --build "$TC_BUILD/test-$1"
}

# run_ctest PRESET SECONDS [TITLE [CTEST OPTIONS]]: TITLE is put before the name of each test.
run_ctest() {
    local folder=$TC_BUILD/test-$1 seconds=$2 title=${3:-} output status
    output=$TC_PART_DIR/ctest${title:+-$title}.out
    # Awk ends when ctest does. PIPESTATUS keeps ctest's own verdict.
    CMOCKA_MESSAGE_OUTPUT=TAP ctest --test-dir "$folder" -V -j 2 --timeout "$seconds" "${@:4}" \
        </dev/null 2>&1 | tee "$output" |
        awk -f "$TC_ROOT/ci/lib/ctest.awk" | results_from "$title"
    status=${PIPESTATUS[0]}
    cat "$output" >>"$TC_PART_LOG"
    if grep -q 'No tests were found' "$output"; then
        fail "${title:+$title: }ctest" "found no tests in $folder"
    elif ((status != 0)) && ! grep -q $'^fail\t'"$TC_PART"$'\t'"${title:+$title: }" "$TC_RESULTS"; then
        fail "${title:+$title: }ctest" "exit $status although no test failed"
    fi
    if ((status != 0)); then
        printf '  what the failed tests printed (all of it in %s):\n' "${TC_PART_LOG#"$TC_ROOT"/}"
        what_failed_tests_printed "$output" | sed 's/^/        /'
    fi
}

# what_failed_tests_printed OUTPUT OF ctest -V: for each failed test program, the last lines that are not
# about passed tests.
what_failed_tests_printed() {
    local number
    for number in $(sed -n 's/^ *[0-9]*\/[0-9]* *Test *#\([0-9]*\): .*\*\*\*.*/\1/p' "$1" | head -n 10); do
        grep -E "^$number: " "$1" | grep -vE "^$number: (ok |Working Directory|Test timeout)" | tail -n 15
    done
}
