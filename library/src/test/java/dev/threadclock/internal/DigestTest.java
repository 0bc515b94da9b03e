// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The digest equals the output of sha256sum, including leading zeros and bytes above 127. */
class DigestTest {
    private static String of(String text) {
        return Digest.sha256(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void digestsAreThoseOfSha256sum() {
        assertThat(of("")).isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assertThat(of("abc")).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void leadingZerosAreKept() {
        // The first byte of the digest is 0x00, so a number printed as hex would be two digits too short.
        assertThat(of("286")).isEqualTo("00328ce57bbc14b33bd6695bc8eb32cdf2fb5f3a7d89ec14a42825e15d39df60");
    }
}
