# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Builds what the lab's experiments run beside the jar: the JMH benchmarks, and the C and C++ programs.
# Sourced after build.bash.
#
# $TC_BENCH has  benchmarks.jar, the programs, libjvmti_clock.so  and  missing.txt: a line "file <tab> reason"
# for what this machine could not build. The experiments that need it say so; nothing else fails.

TC_BENCH=$TC_BUILD/lab

# bench_is_current: all was built, or tried, after the last change of a source.
bench_is_current() {
    local newer
    [[ -e $TC_BENCH/.stamp ]] || return 1
    newer=$(cd "$TC_ROOT" &&
        find pom.xml native library lab/cpp lab/jmh ci/lib/bench.bash -name target -prune -o \
        -type f -newer "$TC_BENCH/.stamp" -print -quit)
    [[ -z $newer ]]
}

# ensure_bench CONSENT: leaves in $TC_BENCH the folder, up to date; one build at a time. After ensure_dist.
# The packages that it could use are installed as ci/setup's second argument says.
ensure_bench() {
    local lock
    bench_is_current && return
    "$TC_ROOT/ci/setup" bench "$1" || { (($? != 3)) || exit 1; say "going on with what is there"; }
    mkdir -p "$TC_BENCH" || die "cannot write in $TC_BUILD"
    exec {lock}>"$TC_BUILD/.lock"
    flock -n "$lock" || { say "waiting for another build in this checkout..."; flock "$lock"; }
    bench_is_current || build_bench
    exec {lock}>&-
}

# bench_missing FILES REASON: one line a file.
bench_missing() {
    local file
    for file in $1; do printf '%s\t%s\n' "$file" "$2" >>"$TC_BENCH/missing.txt"; done
}

build_bench() {
    local folder=$TC_BENCH/cmake log=$TC_BENCH/build.log \
        programs='latency count_reads freshness detect split' begun=$TC_BENCH/.begun
    local c_programs='own_thread_reads all_threads' file
    : >"$begun"
    : >"$log"
    rm -f "$TC_BENCH/missing.txt" "$TC_BENCH/.stamp"
    JAVA_HOME=$(find_java jdk) && export JAVA_HOME

    say "building the C and C++ benchmarks..."
    if ! command -v g++ >/dev/null; then
        bench_missing "$programs $c_programs libjvmti_clock.so own_thread" \
            "there is no C++ compiler: apt-get install g++"
    elif {
        [[ -e $folder/build.ninja ]] || rm -rf "$folder"
        cmake -S "$TC_ROOT/lab/cpp" -B "$folder" -G Ninja && cmake --build "$folder"
    } </dev/null >>"$log" 2>&1; then
        for file in $programs $c_programs libjvmti_clock.so own_thread; do
            [[ ! -e $folder/$file ]] || install "$folder/$file" "$TC_BENCH/"
        done
        [[ -e $TC_BENCH/own_thread ]] ||
            bench_missing own_thread "Google Benchmark is not there: apt-get install libbenchmark-dev"
        [[ -e $TC_BENCH/libjvmti_clock.so ]] || bench_missing libjvmti_clock.so "there is no JDK with jvmti.h"
    else
        bench_missing "$programs $c_programs libjvmti_clock.so own_thread" "the C++ build failed: see $log"
    fi

    say "building the JMH benchmarks..."
    if tc_maven -q -Pbench -pl lab/jmh -am -DskipTests -Dthreadclock.dist="$TC_DIST" package </dev/null \
        >>"$log" 2>&1; then
        install -m 644 "$TC_ROOT/lab/jmh/target/benchmarks.jar" "$TC_BENCH/"
    else
        bench_missing benchmarks.jar "the Maven build failed: see $log"
    fi
    # What failed is tried again the next time, as the network may be back.
    grep -q ' failed: ' "$TC_BENCH/missing.txt" 2>/dev/null || mv -f "$begun" "$TC_BENCH/.stamp"
}
