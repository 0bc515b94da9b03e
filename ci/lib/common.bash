# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What all scripts share: strictness, messages, the platform's name, finding a JDK. Sourced; TC_ROOT is the
# checkout.
set -uo pipefail

say() { printf '%s\n' "threadclock: $*" >&2; }

die() {
    say "$@"
    exit 1
}

# because REASON: fails, with the reason in $why.
# shellcheck disable=SC2034 # the caller reads it
because() { why=$* && return 1; }

# no_addresses: the input without hosts and folders, because an address may contain a password.
no_addresses() { sed -E 's#[a-z+]+://[^ ]+/#.../#g'; }

# usage: prints the usage of the script, which is the end of its first comment.
usage() { sed -n '/^# usage: /,/^[^#]/ s/^# \{0,1\}//p' "$0"; }

# wrong MESSAGE: a usage error.
wrong() {
    printf '%s\n' "$*" >&2
    usage >&2
    exit 2
}

# The platform's name in dist/ and in the jar: linux-x86_64, linux-aarch64.
tc_platform() { printf '%s-%s\n' "$(uname -s | tr '[:upper:]' '[:lower:]')" "$(uname -m)"; }

# jdk_version HOME: the feature version (8, 17, 25); fails if HOME is not a Java home.
jdk_version() {
    [[ -x $1/bin/java ]] || return 1
    [[ $(sed -n 's/^JAVA_VERSION=//p' "$1/release" 2>/dev/null) =~ ^\"?(1\.)?([0-9]+) ]] ||
        [[ $("$1/bin/java" -version 2>&1) =~ \ version\ \"(1\.)?([0-9]+) ]] || return 1 # 1.8.0_452 is 8
    printf '%s\n' "${BASH_REMATCH[2]}"
}

# jdk_homes: every Java home in the order of preference, one per line, possibly more than once.
jdk_homes() {
    local java
    [[ -n ${JAVA_HOME:-} ]] && printf '%s\n' "$JAVA_HOME"
    java=$(command -v java) && java=$(readlink -f -- "$java") && printf '%s\n' "${java%/bin/java}"
    for java in /usr/lib/jvm/*/bin/java; do
        [[ -x $java ]] && printf '%s\t%s\n' "$(jdk_version "${java%/bin/java}" || echo 0)" "${java%/bin/java}"
    done | sort -n -k 1,1 -s | cut -f 2
}

# find_java [jdk]: the first Java home from version 17 on; with `jdk`, one that can compile Java and JNI.
find_java() {
    local home version
    while IFS= read -r home; do
        version=$(jdk_version "$home") && ((version >= 17)) &&
            [[ ${1:-} != jdk || (-x $home/bin/javac && -e $home/include/jni.h) ]] &&
            printf '%s\n' "$home" && return
    done < <(jdk_homes 2>/dev/null) # if SIGPIPE is ignored, it complains that its output is not read
    return 1
}

# use_jdk: exports the JAVA_HOME to build with.
use_jdk() {
    JAVA_HOME=$(find_java jdk) || die "no JDK 17 or later found; run ci/setup build"
    export JAVA_HOME
}
