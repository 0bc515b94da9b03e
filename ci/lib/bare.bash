# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A new Debian root that has git, bash and this checkout, but no compiler, Java or Maven. Sourced after
# common.bash; output goes to $log.
# shellcheck disable=SC2034,SC2154 # why is read, log is set where this is sourced
# shellcheck source=ci/lib/jdks.bash
. "$TC_ROOT/ci/lib/jdks.bash"

# make_root: leaves it in $root until the shell exits, or fails with the reason in $why.
make_root() {
    local suite
    why='making a root takes root'
    ((EUID == 0)) || return
    why='mmdebstrap is not installed'
    command -v mmdebstrap >/dev/null || return
    find_debian || return
    # Outside the checkout: what looks for files there must not find a whole system.
    root=$(mktemp -d "${TMPDIR:-/tmp}/threadclock-bare.XXXXXX") || return
    trap 'rm -rf --one-file-system "$root"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    why="no root could be made; log: ${log#"$TC_ROOT"/}"
    # shellcheck source=/dev/null
    suite=$(. /etc/os-release && printf '%s\n' "$VERSION_CODENAME")
    mmdebstrap --quiet --variant=apt --include=git --aptopt='Acquire::Retries "3"' \
        "$suite" "$root" "$mirror" >>"$log" 2>&1 </dev/null || return
    mkdir -p "$root/checkout" "$root/root/.m2/repository" ~/.m2/repository
    # The network as this machine has it: a proxy may have a certificate of its own, which Maven must know.
    cp /etc/resolv.conf "$root/etc/" 2>/dev/null
    cp -r /usr/local/share/ca-certificates "$root/usr/local/share/" 2>/dev/null
    tar -C "$TC_ROOT" --exclude=./build --exclude=./dist --exclude=target -cf - . 2>>"$log" |
        tar -C "$root/checkout" -xf - 2>>"$log" || die "the checkout could not be copied; log: $log"
}

# inside COMMAND: in the root, with the kernel's file systems, Maven's downloads, and none of our environment.
# The root is a mount point, as in a container: unshare and the tests of /proc make it private.
inside() {
    # shellcheck disable=SC2016 # the inner shell's
    unshare --mount --propagation private --pid --fork --kill-child /bin/bash -c '
        mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
            mount --rbind /sys "$1/sys" && mount --bind "$2" "$1/root/.m2/repository" &&
            exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
                /bin/bash -c "cd /checkout && $3"' \
        - "$root" ~/.m2/repository "$1" 2>&1 </dev/null | tee -a "$log"
}
