# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Builds OpenJDK from Debian's source package in steps. Sourced by upstream/build and ci/musl-jvm, which set
# JDK, STEPS and OUT, and have a function step_NAME for each step but `source`. $BOOT is the JDK of ci/jdks.
. "$TC_ROOT/ci/lib/build.bash"
. "$TC_ROOT/ci/lib/jdks.bash"

# logged COMMAND...: its output goes to $LOG.
logged() {
    printf '\n== %s\n' "$*" >>"$LOG"
    "$@" >>"$LOG" 2>&1 </dev/null
}

# download PACKAGE: Debian's newest source that the mirror really has. Leaves the version in $version.
download() {
    local suite WORK lists=$OUT/apt
    find_debian || die "the source of OpenJDK cannot be had: $why"
    for suite in sid forky; do
        WORK=$lists/$suite
        prepare_apt || continue
        version=$(apt_private apt-cache showsrc --only-source "$1" 2>>"$LOG" |
            sed -n 's/^Version: *//p' | sort -V | tail -n 1)
        [[ -n $version ]] || continue
        say "source: $1 $version..."
        (cd "$OUT" && logged apt_private apt-get -q source --download-only "$1=$version") && return
    done
    die "source: $(reason_from_log)"
}

# The packages are unpacked, not installed: configure looks for these headers even for a headless VM.
headers() {
    local deb
    mkdir -p "$OUT/debs" "$OUT/headers" || return 1
    (cd "$OUT/debs" && logged apt-get download libcups2-dev libasound2-dev libfontconfig-dev) || return 1
    for deb in "$OUT"/debs/*.deb; do logged dpkg-deb -x "$deb" "$OUT/headers" || return 1; done
}

step_source() {
    local version='' orig
    "$TC_ROOT/ci/setup" hotspot || exit 1
    download "openjdk-$JDK"
    headers || die "source: the headers that configure wants: $(reason_from_log)"
    orig=$OUT/openjdk-${JDK}_${version%-*}.orig.tar.xz
    [[ -e $orig ]] || die "source: no $orig after the download; see $LOG"
    rm -rf --one-file-system "$OUT/src" "$OUT/os_linux.cpp.orig"
    mkdir -p "$OUT/src" || die "source: cannot write in $OUT"
    logged tar -xf "$orig" -C "$OUT/src" --strip-components=1 --no-same-owner ||
        die "source: cannot unpack $orig; see $LOG"
    printf '%s\n' "$version" >"$OUT/version"
}

# configure OPTION...: for a server VM without the collectors that nothing here uses (Z, Shenandoah, Epsilon).
configure() {
    rm -rf --one-file-system "$OUT/build"
    mkdir -p "$OUT/build" && cd "$OUT/build" || exit 1
    logged bash ../src/configure --with-boot-jdk="$BOOT" --enable-headless-only=yes \
        --with-jvm-variants=server --with-jvm-features=-zgc,-shenandoahgc,-epsilongc \
        --with-debug-level=release --with-native-debug-symbols=none --disable-warnings-as-errors \
        --disable-javac-server --with-cups-include="$OUT/headers/usr/include" --with-alsa="$OUT/headers/usr" \
        --with-fontconfig-include="$OUT/headers/usr/include" --with-version-opt=own --with-version-pre= \
        "$@" || die "configure: $(grep '^configure: error' "$LOG" | tail -n 1 | grep . || tail -n 3 "$LOG")"
}

# makes NAME TARGET...: make in the configured folder.
makes() {
    cd "$OUT/build" || exit 1
    say "$1: make ${*:2}; the log is $LOG"
    logged make "${@:2}" JOBS="$(nproc)" LOG=warn ||
        die "$1: $(grep -E 'error:|\*\*\*' "$LOG" | tail -n 3 | grep . || tail -n 3 "$LOG")"
}

# run_steps [STEP]: the steps that are not done yet, or from STEP on; those after a step that is done anew are
# undone.
run_steps() {
    local step lock undo=no
    if [[ ${1:-} == -h || ${1:-} == --help ]]; then usage && exit; fi
    if (($# > 1)) || [[ -n ${1:-} && " ${STEPS[*]} " != *" $1 "* ]]; then wrong "unknown step: \"$*\""; fi
    BOOT=$("$TC_ROOT/ci/jdks" java "$JDK") && OUT=$(realpath -m -- "$OUT") || exit 1
    # OpenJDK's makefiles, and apt's configuration, have their own way with these.
    [[ $OUT != *[$' :\'"\\\n']* ]] || die "$OUT has a character in its name that does not work here"
    mkdir -p "$OUT/done" || die "cannot write in $OUT"
    LOG=$OUT/log
    exec {lock}>"$OUT/lock" || exit 1
    flock -n "$lock" || die "another build works in $OUT"
    for step in "${STEPS[@]}"; do
        [[ $step != "${1:-}" && -e $OUT/done/$step ]] || undo=yes
        [[ $undo == yes ]] || continue
        rm -f "$OUT/done/$step"
        : >"$LOG"
        say "$step..."
        "step_$step"
        : >"$OUT/done/$step"
    done
}
