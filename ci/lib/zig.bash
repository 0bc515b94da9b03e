# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # why is read by those who source this
# Cross-compiling with Zig, which carries clang, a linker and the C libraries of every target. Sourced after
# common.bash.

# The folder for what is downloaded once and outlives the checkout.
tc_cache() { printf '%s/threadclock\n' "${XDG_CACHE_HOME:-${HOME:?}/.cache}"; }

# zig_target ARCHITECTURE: the library's target, with the oldest glibc supported; also serves musl.
zig_target() { printf '%s-linux-gnu.2.17\n' "$1"; }

# ensure_zig: leaves the pinned Zig in $zig and downloads it if it is missing; or fails with the reason in
# $why. $THREADCLOCK_ZIG names another one.
ensure_zig() {
    local version folder new said
    version=$(sed -n 's/^ziglang==\([^ ]*\).*/\1/p' "$TC_ROOT/ci/zig.txt")
    folder=$(tc_cache)/zig-$version
    zig=${THREADCLOCK_ZIG:-$folder/ziglang/zig}
    export ZIG_GLOBAL_CACHE_DIR=$folder.cache ZIG_LOCAL_CACHE_DIR=$folder.cache
    [[ -x $zig ]] && return
    [[ -z ${THREADCLOCK_ZIG:-} ]] || { why="THREADCLOCK_ZIG=$zig is no program"; return 1; }
    python3 -m pip --version >/dev/null 2>&1 ||
        { why='there is no pip for python3 to fetch Zig with: apt-get install python3-pip'; return 1; }
    say "fetching Zig $version..."
    if ! mkdir -p "$(tc_cache)" || ! new=$(mktemp -d "$folder.XXXXXX"); then
        why="cannot write in $(tc_cache)"
        return 1
    fi
    if ! said=$(python3 -m pip install -q --disable-pip-version-check --no-deps --no-compile \
        --only-binary :all: --require-hashes \
        --target "$new/zig" -r "$TC_ROOT/ci/zig.txt" 2>&1 </dev/null); then
        why="pip cannot fetch ziglang $version: $(grep -i error <<<"$said" | tail -n 1 |
            sed -E 's#[a-z+]+://[^ ]+/#.../#g')"
        rm -rf "$new"
        return 1
    fi
    mv -T "$new/zig" "$folder" 2>/dev/null # fails if another process was faster, with the same files
    rm -rf "$new"
    [[ -x $zig ]] || { why="the wheel of ziglang $version has no program zig"; return 1; }
}

# configure_zig FOLDER TARGET [CMAKE OPTIONS]: configure_native for another platform. Call ensure_zig before.
configure_zig() {
    local folder=$1 target=$2
    shift 2
    configure_native "$folder" --toolchain "$TC_ROOT/native/cmake/zig.cmake" -DZIG="$zig" \
        -DZIG_TARGET="$target" "$@"
}
