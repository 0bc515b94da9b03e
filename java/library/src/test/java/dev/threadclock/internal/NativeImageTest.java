// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which library a machine gets, and the error on a machine without one. */
class NativeImageTest {
    @ParameterizedTest
    @CsvSource({"amd64, linux-x86_64", "x86_64, linux-x86_64", "aarch64, linux-aarch64"})
    void eachArchitectureHasItsFolder(String arch, String folder) {
        assertThat(NativeImage.platform("Linux", arch)).isEqualTo(folder);
    }

    @ParameterizedTest
    @CsvSource({"Linux, i386", "Linux, x86", "Linux, arm", "Mac OS X, x86_64", "Mac OS X, aarch64",
        "Windows 11, amd64", "'', ''"})
    void anyOtherMachineIsNamedInTheError(String os, String arch) {
        assertThatThrownBy(() -> NativeImage.platform(os, arch)).isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContainingAll("os.name " + os, "os.arch " + arch, "Linux x86_64 and aarch64");
    }

    @Test
    void theJarHasAnIntactLibraryForThisMachine() {
        assertThat(NativeImage.fromJar(NativeImage.FILE_NAME)).isNotNull();
    }

    private static String sha256(String text) {
        return NativeImage.sha256(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void digestsAreThoseOfSha256sum() {
        assertThat(sha256("")).isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assertThat(sha256("abc"))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void leadingZerosAreKept() {
        // The first byte of the digest is 0x00, so a number printed as hex would be two digits too short.
        assertThat(sha256("286"))
                .isEqualTo("00328ce57bbc14b33bd6695bc8eb32cdf2fb5f3a7d89ec14a42825e15d39df60");
    }
}
