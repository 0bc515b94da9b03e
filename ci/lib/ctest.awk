# SPDX-License-Identifier: Apache-2.0
# Turns the output of `ctest -V`, whose tests print TAP, into lines "status <tab> name <tab> reason", one a single test.
# An executable that ctest calls failed although no test in it did (a crash, a time-out) is a failed test of its own.

function emit(status, name, reason) {
    printf "%s\t%s\t%s\n", status, name, reason
    fflush()
}

# "    Start 3: fork" -> which executable the lines "3: ..." belong to
/^ *Start +[0-9]+: / {
    number = $2; sub(/:$/, "", number)
    title[number] = $3
    next
}

# TAP of executable 3: "3: ok 1 - name", "3: not ok 2 - name", "3: ok 3 - name # SKIP why" (cmocka says "not ok 3 # SKIP name")
/^[0-9]+: *(not )?ok [0-9]+/ {
    number = $1; sub(/:$/, "", number)
    line = $0
    sub(/^[0-9]+: */, "", line)
    failed = line ~ /^not ok/
    sub(/^(not )?ok [0-9]+ *-? */, "", line)
    if (line ~ /# SKIP/) {
        reason = line; sub(/.*# SKIP */, "", reason)
        name = line; sub(/ *# SKIP.*/, "", name)
        if (name == "") { name = reason; reason = "" }
        if (reason == "") reason = said[number]
        emit("skip", title[number] ": " name, reason == "" ? "see the test's output" : reason)
        seen[number]++
    } else if (failed) {
        emit("fail", title[number] ": " line, said[number])
        failures[number]++
        seen[number]++
    } else {
        emit("pass", title[number] ": " line)
        seen[number]++
    }
    said[number] = ""
    next
}

# "3: SKIP: reason": why the next skipped test, or the whole executable, is skipped
/^[0-9]+: *(# )?SKIP: / {
    number = $1; sub(/:$/, "", number)
    line = $0; sub(/^.*SKIP: */, "", line)
    said[number] = skipped_because[number] = line
    next
}

# "3: # message": what cmocka says of a failure; kept for the result line that goes with it
/^[0-9]+: *#/ {
    number = $1; sub(/:$/, "", number)
    line = $0; sub(/^[0-9]+: *# */, "", line)
    if (line != "" && said[number] == "") said[number] = line
    next
}

# "2/5 Test #3: fork .....   Passed    0.02 sec", "...***Failed", "...***Exception: SegFault", "...***Timeout", "...***Skipped"
/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: / {
    line = $0
    number = line; sub(/^[^#]*#/, "", number); sub(/:.*/, "", number)
    ended[number] = 1
    if (line ~ /\*\*\*Skipped/) {
        emit("skip", title[number], skipped_because[number] == "" ? "exit 77" : skipped_because[number])
    } else if (line ~ /\*\*\*|Not Run/) {
        if (!failures[number]) {
            sub(/.*\*\*\*/, "", line)
            emit("fail", title[number], "the test program itself: " line)
        }
    } else if (!seen[number]) {
        emit("pass", title[number])
    }
}

END {
    for (number in title)
        if (!ended[number]) emit("fail", title[number], "did not end")
}
