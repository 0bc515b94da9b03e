# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Builds the native tree with its tests and runs them through ctest.
. "$TC_ROOT/ci/lib/part.bash"

# shortened: reduces the repetitions of C tests.
shortened() {
    export THREADCLOCK_WATCH_MS=1000 THREADCLOCK_SIGNAL_MS=500 THREADCLOCK_COMPARISONS=200000 \
        THREADCLOCK_OPERATIONS=${THREADCLOCK_OPERATIONS:-1000000}
}

# run_native_tests PRESET [TITLE [CTEST OPTIONS]]: PRESET is in native/CMakePresets.json.
run_native_tests() {
    must cmake -S "$TC_ROOT/native" --preset "$1"
    must cmake --build "$TC_BUILD/test-$1"
    pass "${2:+$2: }builds without warnings"
    run_ctest "$TC_BUILD/test-$1" "${@:2}"
}

# run_ctest FOLDER [TITLE [CTEST OPTIONS]]: TITLE is put before the name of each test.
run_ctest() {
    local folder=$1 title=${2:-} status=0 output=$TC_PART_DIR/ctest${2:+-$2}
    CMOCKA_MESSAGE_OUTPUT=TAP ctest --test-dir "$folder" --output-on-failure -j 2 --timeout 600 \
        --output-junit "$output.xml" --test-output-size-passed 1000000 --test-output-size-failed 1000000 \
        "${@:3}" </dev/null >"$output.out" 2>&1 || status=$?
    cat "$output.out" >>"$TC_PART_LOG"
    python3 "$TC_ROOT/ci/lib/results.py" "$output.xml" | results_from "$title"
    if grep -q 'No tests were found' "$output.out"; then
        fail "${title:+$title: }ctest" "found no tests in $folder"
    elif ((status != 0)) && ! grep -q $'^fail\t'"$TC_PART"$'\t'"${title:+$title: }" "$TC_RESULTS"; then
        fail "${title:+$title: }ctest" "exit $status although no test failed"
    fi
    if ((status != 0)); then
        printf '  what the failed tests printed (all of it in %s):\n' "${TC_PART_LOG#"$TC_ROOT"/}"
        grep -v '^ok ' "$output.out" | tail -n 60 | sed 's/^/        /'
    fi
}
