# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Builds dist/ from the sources: the native library with CMake, then the jars with Maven.
#
# The parts are made in build/stage and renamed into dist/, so that a JVM which has the old files open keeps
# them, and a build killed half-way leaves the old dist/ whole. dist/.stamp comes last and bears the time at
# which the build began.
. "$TC_ROOT/ci/lib/common.bash"

TC_BUILD=$TC_ROOT/build
TC_DIST=$TC_ROOT/dist
TC_STAMP=$TC_DIST/.stamp
TC_LOG=$TC_BUILD/build.log

# The architectures of a full build, made by Zig. One library for each serves glibc from 2.17 on and musl.
TC_ARCHITECTURES=(x86_64 aarch64)

# The modules that are published, as folders.
TC_ARTIFACTS=(java/{bom,agent,attach,jmh} java/metrics/{micrometer,opentelemetry,spark})

# dist_is_current [all]: dist/ is complete and no source is newer. Takes a few milliseconds.
dist_is_current() {
    local file native
    native=$(tc_platform)/libthreadclock
    for file in threadclock{,-agent,-opentelemetry}.jar "$native"{.a,.so,-attach.so} .stamp; do
        [[ -e $TC_DIST/$file ]] || return 1
    done
    [[ ${1:-} != all || $(<"$TC_STAMP") == all ]] || return 1
    # Neither tests/, docs/ nor lab/ change dist/. A folder below src/ or native/ is newer if something in it
    # was deleted or renamed.
    [[ -z $(cd "$TC_ROOT" && find pom.xml native java -name target -prune -o \
        \( -type f -o -type d \( -path '*/src*' -o -path 'native*' \) \) -newer "$TC_STAMP" -print -quit) ]]
}

# build_step TITLE COMMAND...: runs the command with its output in the log. On failure shows the end of the
# log and exits. Ctrl-C is not a failure: Maven's JVM then ends with 130, and this shell with it.
build_step() {
    local status
    say "$1"
    printf '\n== %s: %s\n' "$1" "${*:2}" >>"$TC_LOG"
    "${@:2}" </dev/null >>"$TC_LOG" 2>&1 && return
    status=$?
    ((status != 130)) || exit 130
    tail -n 30 "$TC_LOG" >&2
    die "${1%...} failed (exit $status); the whole log is $TC_LOG"
}

# configure_native FOLDER [CMAKE OPTIONS]: uses native/CMakePresets.json and the JDK in JAVA_HOME.
configure_native() { cmake -S "$TC_ROOT/native" --preset release -B "$@"; }

# tc_maven ARGUMENTS: runs Maven on the checkout without questions, and again if the network fails.
tc_maven() {
    mvn -B -f "$TC_ROOT/pom.xml" -Dstyle.color=never -Dmaven.wagon.http.retryHandler.count=3 \
        -Daether.connector.http.retryHandler.count=3 "$@"
}

# tc_test CLASS [OPTIONS]: runs tests in child JVMs on $TC_DIST.
tc_test() {
    tc_maven -pl tests -am -DskipTests -Dsurefire.failIfNoSpecifiedTests=false \
        -Dthreadclock.dist="$TC_DIST" -Dtest="$1" "${@:2}" test
}

# build_dist [all]: builds for this machine with its own compiler, or for every platform with Zig.
build_dist() {
    local stage=$TC_BUILD/stage architecture architectures native
    architectures=("$(uname -m)")
    [[ ${1:-} != all ]] || architectures=("${TC_ARCHITECTURES[@]}")
    rm -rf "$stage"
    mkdir -p "$stage"
    : >"$TC_LOG"
    printf '%s\n' "${1:-$(tc_platform)}" >"$stage/stamp"

    use_jdk

    # CMake refuses a build folder that was made for a checkout elsewhere.
    grep -qsxF "$TC_ROOT $JAVA_HOME" "$TC_BUILD/native.root" || rm -rf "$TC_BUILD"/native "$TC_BUILD"/native-*
    printf '%s\n' "$TC_ROOT $JAVA_HOME" >"$TC_BUILD/native.root"
    for architecture in "${architectures[@]}"; do
        build_step "building the native library${1:+ for linux-$architecture}..." \
            build_native "${1:+$architecture}"
        install -D -t "$stage/linux-$architecture" "$native"/libthreadclock{.a,.so,-handover.so,-attach.so}
    done
    install -D -m 644 -t "$stage/include" "$TC_ROOT/native/include/threadclock.h"
    # Maven keeps classes whose sources are gone, and some that must be compiled again.
    rm -rf "$TC_ROOT"/java/{,metrics/}*/target/classes "$TC_ROOT"/java/metrics/*/target/*-extension.jar
    build_step "building the jars..." tc_maven -q -DskipTests -Dthreadclock.dist="$stage" \
        -pl java/command,java/metrics/opentelemetry -am package
    { cp "$TC_ROOT"/java/metrics/opentelemetry/target/threadclock-opentelemetry-*-extension.jar \
        "$stage/threadclock-opentelemetry.jar" &&
        cp "$TC_ROOT"/java/agent/target/threadclock-agent-?.*[0-9].jar "$stage/threadclock-agent.jar" &&
        ls "$stage/threadclock.jar" >/dev/null; } || die "the Java build left no such jar; its log is $TC_LOG"

    # Another build's files for other platforms would be older than the jar.
    rm -rf "$TC_STAMP" "$TC_DIST"/{include,linux-*}
    mkdir -p "$TC_DIST"
    mv -f "$stage"/{include,linux-*,threadclock{,-agent,-opentelemetry}.jar} "$TC_DIST/"
    mv -f "$stage/stamp" "$TC_STAMP"
    rm -rf "$stage"
}

# install_artifacts: puts the Maven artifacts and what they depend on into the local repository.
install_artifacts() {
    use_jdk
    build_step "installing the artifacts in Maven's local repository..." tc_maven -q -DskipTests \
        -Dthreadclock.dist="$TC_DIST" -am -pl "$(IFS=, && echo "${TC_ARTIFACTS[*]}")" install
}

# build_native ARCHITECTURE [CMAKE OPTIONS]: with Zig, or if it is '' for this machine with its own compiler.
# Leaves the folder in $native. Zig's target has the oldest glibc supported, and also serves musl.
build_native() {
    native=$TC_BUILD/native${1:+-$1}
    local configure=(configure_native "$native")
    [[ -z $1 ]] || configure=(configure_zig "$native" "$1-linux-gnu.2.17")
    [[ -e $native/build.ninja ]] || rm -rf "$native"
    "${configure[@]}" -DTHREADCLOCK_TESTS=OFF "${@:2}" && cmake --build "$native"
}

# ensure_dist [clean] [all]: sets up and builds what is missing or out of date, one process at a time. With
# "all" it builds for every platform; without Zig it fails after this machine's build.
ensure_dist() {
    local lock clean='' all='' why=''
    [[ ${1:-} == clean ]] && clean=clean && shift
    [[ ${1:-} == all ]] && all=all
    if [[ -z $clean ]] && dist_is_current $all; then return; fi
    "$TC_ROOT/ci/setup" build || exit 1
    mkdir -p "$TC_BUILD" || die "cannot write in $TC_ROOT"
    exec {lock}>"$TC_BUILD/.lock"
    flock -n "$lock" || { say "waiting for another build in this checkout..."; flock "$lock"; }
    if [[ -n $all ]] && ! ensure_zig; then all=''; fi
    [[ -z $clean ]] || rm -rf "$TC_DIST" "$TC_BUILD"/native "$TC_BUILD"/native-* "$TC_BUILD/stage" \
        "$TC_ROOT"/{,java/,java/metrics/,lab/programs/}*/target
    dist_is_current $all || build_dist $all
    exec {lock}>&-
    [[ -z $why ]] || die "built for $(tc_platform) alone: $why"
}

# --- cross-compiling with Zig, which carries clang, a linker and the C libraries of every target

# The folder for what is downloaded once and outlives the checkout.
tc_cache() { printf '%s/threadclock\n' "${XDG_CACHE_HOME:-${HOME:?}/.cache}"; }

# ensure_zig: leaves the pinned Zig in $zig and downloads it if it is missing; or fails with the reason in
# $why. $THREADCLOCK_ZIG names another one.
ensure_zig() {
    local version folder new said
    version=$(sed -n 's/^ziglang==\([^ ]*\).*/\1/p' "$TC_ROOT/ci/zig.txt")
    folder=$(tc_cache)/zig-$version
    zig=${THREADCLOCK_ZIG:-$folder/ziglang/zig}
    export ZIG_GLOBAL_CACHE_DIR=$folder.cache ZIG_LOCAL_CACHE_DIR=$folder.cache
    [[ -x $zig ]] && return
    [[ -z ${THREADCLOCK_ZIG:-} ]] || because "THREADCLOCK_ZIG=$zig is no program" || return
    python3 -m pip --version >/dev/null 2>&1 ||
        because 'there is no pip for python3 to fetch Zig with: apt-get install python3-pip' || return
    say "fetching Zig $version..."
    { mkdir -p "$(tc_cache)" && new=$(mktemp -d "$folder.XXXXXX"); } ||
        because "cannot write in $(tc_cache)" || return
    # mv fails if another process was faster, with the same files.
    said=$(fetch_wheel "$new/zig" zig.txt 2>&1) && mv -T "$new/zig" "$folder" 2>/dev/null
    rm -rf "$new"
    [[ -x $zig ]] ||
        because "pip cannot fetch ziglang $version: $(grep -i error <<<"$said" | tail -n 1 | no_addresses)"
}

# fetch_wheel FOLDER FILE [OPTIONS]: what the file in ci/ names, from PyPI, verified by its hash.
fetch_wheel() {
    python3 -m pip install -q --disable-pip-version-check --no-deps --no-compile --only-binary :all: \
        --require-hashes --target "$1" -r "$TC_ROOT/ci/$2" "${@:3}" </dev/null
}

# configure_zig FOLDER TARGET [CMAKE OPTIONS]: configure_native for another platform. Call ensure_zig before.
configure_zig() {
    configure_native "$1" --toolchain "$TC_ROOT/native/cmake/zig.cmake" -DZIG="$zig" -DZIG_TARGET="$2" \
        "${@:3}"
}
