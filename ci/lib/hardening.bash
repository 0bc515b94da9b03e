# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the built library does against attacks on the process that loads it (SECURITY.md), according to
# readelf. Sourced after part.bash.

# hardening_faults LIBRARY ARCHITECTURE: prints a line for each protection that is missing.
hardening_faults() {
    local segments dynamic notes undefined
    segments=$(readelf -lW "$1") && dynamic=$(readelf -dW "$1") && notes=$(readelf -nW "$1") &&
        undefined=$(nm -D --undefined-only "$1") || return 1
    grep -q 'GNU_RELRO' <<<"$segments" || echo 'no RELRO'
    grep -q 'FLAGS.*NOW' <<<"$dynamic" || echo 'lazy binding: RELRO leaves the function pointers writable'
    grep -qE 'GNU_STACK .* RW +0' <<<"$segments" || echo 'executable stack'
    grep -qE 'LOAD .* (RWE|WE|R?W E) ' <<<"$segments" && echo 'a segment is writable and executable'
    grep -q 'TEXTREL' <<<"$dynamic" && echo 'text relocations'
    case $2 in
        x86_64) grep -q 'x86 feature: IBT, SHSTK' <<<"$notes" || echo 'not marked for CET' ;;
        aarch64) grep -q 'AArch64 feature: BTI, PAC' <<<"$notes" || echo 'not marked for BTI and PAC' ;;
    esac
    grep -qw '__stack_chk_fail' <<<"$undefined" ||
        echo 'no stack protector, or one that is not the C library'\''s'
    grep -E '_chk(@|$)' <<<"$undefined" && echo 'FORTIFY: functions that musl lacks'
    return 0
}

is_hardened() { equal "missing protections" '' "$(hardening_faults "$@")"; }
