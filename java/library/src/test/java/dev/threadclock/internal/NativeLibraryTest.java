// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which library a machine gets, and the order in which folders are tried for it: the user's choice first,
 * unknown ones skipped.
 */
class NativeLibraryTest {
    private final Properties before = new Properties();

    @BeforeEach
    void keepProperties() {
        before.putAll(System.getProperties());
    }

    @AfterEach
    void restoreProperties() {
        System.setProperties(before);
    }

    private static List<String> places() {
        return IntStream.range(0, NativeLibrary.PLACES).mapToObj(NativeLibrary::place)
                .filter(Objects::nonNull).toList();
    }

    @Test
    void theRequestedFolderComesBeforeTheTemporaryOne() {
        System.setProperty(Property.TMPDIR, "/wish");
        System.setProperty("java.io.tmpdir", "/temporary");
        assertThat(places()).startsWith("/wish", "/temporary").contains("/dev/shm", "/var/tmp");
    }

    @Test
    void anUnsetPropertyAndAnUnknownHomeAreSkipped() {
        System.setProperty(Property.TMPDIR, "");
        System.setProperty("java.io.tmpdir", "/temporary");
        // Java's value when the user is not in /etc/passwd, as in many containers.
        System.setProperty("user.home", "?");
        assertThat(places()).startsWith("/temporary").doesNotContain("", "?/.cache");
    }

    @Test
    void theCacheOfTheHomeIsTried() {
        System.setProperty("user.home", "/home/somebody");
        assertThat(places()).contains("/home/somebody/.cache");
    }

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
        assertThat(NativeImage.fromJar(NativeImage.class, NativeImage.FILE_NAME)).isNotNull();
    }
}
