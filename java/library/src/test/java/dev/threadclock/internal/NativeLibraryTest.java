// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order in which folders are tried: the user's choice first, each folder once, unknown ones skipped. */
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

    @Test
    void theRequestedFolderComesBeforeTheTemporaryOne() {
        System.setProperty(Property.TMPDIR, "/wish");
        System.setProperty("java.io.tmpdir", "/temporary");
        assertThat(NativeLibrary.places()).startsWith("/wish", "/temporary").contains("/dev/shm", "/var/tmp");
    }

    @Test
    void aFolderNamedTwiceIsTriedOnce() {
        System.setProperty(Property.TMPDIR, "/var/tmp");
        System.setProperty("java.io.tmpdir", "/var/tmp");
        assertThat(NativeLibrary.places()).startsWith("/var/tmp").containsOnlyOnce("/var/tmp");
    }

    @Test
    void anUnsetPropertyAndAnUnknownHomeAreSkipped() {
        System.setProperty(Property.TMPDIR, "");
        System.setProperty("java.io.tmpdir", "/temporary");
        // Java's value when the user is not in /etc/passwd, as in many containers.
        System.setProperty("user.home", "?");
        assertThat(NativeLibrary.places()).startsWith("/temporary").doesNotContain("", "?/.cache");
    }

    @Test
    void theCacheOfTheHomeIsTried() {
        System.setProperty("user.home", "/home/somebody");
        assertThat(NativeLibrary.places()).contains("/home/somebody/.cache");
    }
}
