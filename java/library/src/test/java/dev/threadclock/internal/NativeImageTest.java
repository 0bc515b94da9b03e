// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
}
