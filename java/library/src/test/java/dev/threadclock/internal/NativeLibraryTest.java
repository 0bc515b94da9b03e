// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order in which folders are tried: the user's choice first, unknown ones skipped. */
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
}
