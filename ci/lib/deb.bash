# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154 # version, says_version and the like are those of the part
# The tests of the Debian packages in dist/. Sourced at the end of the part publishing.

if ! command -v dpkg-deb >/dev/null; then
    skip "Debian packages" "there is no dpkg-deb"
    return 0
fi
debian=$(dpkg --print-architecture) triplet=$(uname -m)-linux-gnu
deb=$TC_DIST/threadclock_${version}_$debian.deb
field() { dpkg-deb -f "$1" "$2"; }
debs=("$TC_DIST"/threadclock_*.deb)
for package in "${debs[@]}"; do
    name=${package##*_} name=${name%.deb}
    check "$name: says its architecture" equal Architecture "$name" "$(field "$package" Architecture)"
    check "$name: says its version" equal Version "$version" "$(field "$package" Version)"
    check "$name: depends on nothing" equal Depends '' "$(field "$package" Depends)"
    check "$name: recommends Java" equal Recommends 'default-jre-headless | java17-runtime-headless' \
        "$(field "$package" Recommends)"
    owned_by_root() { ! dpkg-deb -c "$1" | grep -v ' root/root '; }
    check "$name: all in it is root's" owned_by_root "$package"
    check "$name: has no homepage before there is one" equal Homepage '' "$(field "$package" Homepage)"
    if command -v lintian >/dev/null; then
        check "$name: lintian finds nothing" equal lintian '' \
            "$(lintian --fail-on none "$package" 2>/dev/null)"
    else
        skip "$name: lintian finds nothing" "lintian is not installed"
    fi
done

# dpkg installs it into a separate root if that is allowed; otherwise it is unpacked.
root=$TC_PART_DIR/root
admin=$root/var/lib/dpkg
mkdir -p "$admin/info" "$admin/updates" "$root/var/log"
: >"$admin/status"
in_root() { dpkg "--root=$root" --log=/dev/null --force-script-chrootless "$@"; }
if ((EUID == 0)); then
    check "dpkg installs it" in_root --install "$deb"
    check "dpkg finds all files as they were packed" equal "dpkg --verify" '' \
        "$(in_root --verify threadclock 2>&1)"
else
    skip "dpkg installs it" "only root can; unpacked instead"
    must dpkg-deb -x "$deb" "$root"
fi
check "the installed command runs" says_version "$root/usr/bin/threadclock"
check "the installed jar is that of dist/" cmp "$root/usr/share/threadclock/threadclock.jar" \
    "$TC_DIST/threadclock.jar"
check "the agent's jar is where the library looks" cmp "$root/usr/share/threadclock/threadclock-agent.jar" \
    "$TC_DIST/threadclock-agent.jar"
check "the agent is where the linker looks" cmp "$root/usr/lib/$triplet/libthreadclock.so.0" \
    "$TC_DIST/$(tc_platform)/libthreadclock.so"
check "the installed agent works" answers "$project/classes:$ours" \
    "-agentpath:$root/usr/lib/$triplet/libthreadclock.so.0"
installed_program() {
    export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
    compiles_and_runs "$root/usr/lib/$triplet/pkgconfig" "$root/usr/lib/$triplet"
}
check "a C program compiles against it, by pkg-config" installed_program
found_by_cmake() {
    cmake -S "$consumer" -B "$TC_PART_DIR/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$root/usr" \
        -DCMAKE_LIBRARY_ARCHITECTURE="$triplet" -DCMAKE_BUILD_TYPE=Release &&
        cmake --build "$TC_PART_DIR/cmake" && "$TC_PART_DIR/cmake/consumer-static" "$version"
}
check "a C program compiles against it, by find_package" found_by_cmake
if command -v mandoc >/dev/null; then
    renders() {
        local page
        for page in "$root"/usr/share/man/man?/*.gz; do
            gzip -dc "$page" | mandoc -T utf8 | grep threadclock >/dev/null || { echo "$page" && return 1; }
        done
    }
    check "the man pages render" renders
else
    skip "the man pages render" "mandoc is not installed"
fi
share=$root/usr/share
check "bash's and zsh's completion are there" test -s "$share/bash-completion/completions/threadclock" \
    -a -s "$share/zsh/vendor-completions/_threadclock"
check "the licences are in its copyright file" licences_are_there "$share/doc/threadclock/copyright"
check "its changelog is readable" grep -q "^## $version" \
    <(gzip -dc "$share/doc/threadclock/CHANGELOG.md.gz")

# Where there is no Java, because /usr/lib/jvm is covered in a mount namespace.
no_java() {
    local bare=$TC_PART_DIR/bare tool said status
    mkdir -p "$bare"
    for tool in sh readlink dirname sed mount; do ln -s "$(command -v $tool)" "$bare/$tool"; done
    # shellcheck disable=SC2016 # for the inner shell
    said=$(unshare "$@" env -i "PATH=$bare" sh -c 'mount -t tmpfs none /usr/lib/jvm && exec "$1"' sh \
        "$root/usr/bin/threadclock" 2>&1)
    status=$?
    printf '%s\n' "$said"
    ((status == 1)) && grep -q 'needs Java 17' <<<"$said" && grep -q 'apt-get install' <<<"$said"
}
as_root=(--mount)
((EUID == 0)) || as_root+=(--user --map-root-user)
if [[ -d /usr/lib/jvm ]] && unshare "${as_root[@]}" mount -t tmpfs none /usr/lib/jvm 2>/dev/null; then
    check "without Java the command says what is needed, exit 1" no_java "${as_root[@]}"
else
    skip "without Java the command says what is needed" "the machine's Java cannot be hidden from it"
fi
if ((EUID == 0)); then
    gone() {
        in_root --purge threadclock &&
            [[ ! -e $root/usr/bin/threadclock && ! -e $root/usr/share/threadclock ]]
    }
    check "dpkg removes it" gone
fi
