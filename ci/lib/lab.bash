# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Builds what the lab's experiments run besides the jar: the JMH benchmarks, and the C and C++ programs.
# Sourced after build.bash.
#
# $TC_LAB has  benchmarks.jar, the programs, libjvmti_clock.so  and  missing.txt: a line "file <tab> reason"
# for what this machine could not build. The experiments that need it say so; nothing else fails.

TC_LAB=$TC_BUILD/lab

# lab_is_current: everything was built, or tried, after the last change of a source.
lab_is_current() {
    local newer
    [[ -e $TC_LAB/.stamp ]] || return 1
    newer=$(cd "$TC_ROOT" &&
        find pom.xml native java/library lab/cpp lab/jmh ci/lib/lab.bash -name target -prune -o \
        -type f -newer "$TC_LAB/.stamp" -print -quit)
    [[ -z $newer ]]
}

# ensure_lab CONSENT: leaves the up-to-date folder in $TC_LAB; one build at a time. Call it after ensure_dist.
# CONSENT, which is ci/setup's second argument, determines whether packages are installed.
ensure_lab() {
    local lock
    lab_is_current && return
    "$TC_ROOT/ci/setup" bench "$1" || { (($? != 3)) || exit 1; say "going on with what is there"; }
    mkdir -p "$TC_LAB" || die "cannot write in $TC_BUILD"
    exec {lock}>"$TC_BUILD/.lock"
    flock -n "$lock" || { say "waiting for another build in this checkout..."; flock "$lock"; }
    lab_is_current || build_lab
    exec {lock}>&-
}

# lab_missing FILES REASON: adds one line per file.
lab_missing() {
    local file
    for file in $1; do printf '%s\t%s\n' "$file" "$2" >>"$TC_LAB/missing.txt"; done
}

build_lab() {
    local folder=$TC_LAB/cmake log=$TC_LAB/build.log \
        programs='latency count_reads freshness detect split' begun=$TC_LAB/.begun
    local c_programs='own_thread_reads all_threads' file
    : >"$begun"
    : >"$log"
    rm -f "$TC_LAB/missing.txt" "$TC_LAB/.stamp"
    JAVA_HOME=$(find_java jdk) && export JAVA_HOME

    say "building the C and C++ benchmarks..."
    if ! command -v g++ >/dev/null; then
        lab_missing "$programs $c_programs libjvmti_clock.so own_thread" \
            "there is no C++ compiler: apt-get install g++"
    elif {
        [[ -e $folder/build.ninja ]] || rm -rf "$folder"
        cmake -S "$TC_ROOT/lab/cpp" -B "$folder" -G Ninja && cmake --build "$folder"
    } </dev/null >>"$log" 2>&1; then
        for file in $programs $c_programs libjvmti_clock.so own_thread; do
            [[ ! -e $folder/$file ]] || install "$folder/$file" "$TC_LAB/"
        done
        [[ -e $TC_LAB/own_thread ]] ||
            lab_missing own_thread "Google Benchmark is not there: apt-get install libbenchmark-dev"
        [[ -e $TC_LAB/libjvmti_clock.so ]] || lab_missing libjvmti_clock.so "there is no JDK with jvmti.h"
    else
        lab_missing "$programs $c_programs libjvmti_clock.so own_thread" "the C++ build failed: see $log"
    fi

    say "building the JMH benchmarks..."
    if tc_maven -q -Pbench -pl lab/jmh -am -DskipTests -Dthreadclock.dist="$TC_DIST" package </dev/null \
        >>"$log" 2>&1; then
        install -m 644 "$TC_ROOT/lab/jmh/target/benchmarks.jar" "$TC_LAB/"
    else
        lab_missing benchmarks.jar "the Maven build failed: see $log"
    fi
    # Failures are retried the next time, because the network may be back.
    grep -q ' failed: ' "$TC_LAB/missing.txt" 2>/dev/null || mv -f "$begun" "$TC_LAB/.stamp"
}
