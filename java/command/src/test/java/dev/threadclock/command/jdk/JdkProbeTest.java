// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.jdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The short name of a vendor, from what the JVM reports, otherwise from the release file. */
class JdkProbeTest {
    @TempDir
    Path folder;

    private String vendor(Path home) {
        return Jdks.of(List.of(home)).jdks().get(0).vendor();
    }

    @ParameterizedTest
    @CsvSource({"Temurin-25.0.3+9, Eclipse Adoptium, Temurin",
        "Corretto-17.0.9.8.1, Amazon.com Inc., Corretto",
        "Zulu17.46+19-CA, 'Azul Systems, Inc.', Zulu", "21.0.1, Oracle Corporation, Oracle"})
    void theJvmsOwnWordCounts(String vendorVersion, String vendor, String shown) throws Exception {
        Path home = FakeJdk.at(folder.resolve("jdk"), "25", "java.vendor.version = " + vendorVersion,
                "java.vendor = " + vendor);
        Files.writeString(home.resolve("release"), "IMPLEMENTOR_VERSION=\"Other-1\"\n");
        assertThat(vendor(home)).isEqualTo(shown);
    }

    @Test
    void theReleaseFileFillsIn() throws Exception {
        Path home = FakeJdk.at(folder.resolve("jdk"), "11.0.2");
        assertThat(vendor(home)).isEqualTo("unknown");
        Files.writeString(home.resolve("release"),
                "IMPLEMENTOR=\"Oracle Corporation\"\nJAVA_VERSION=\"11.0.2\"\n");
        assertThat(vendor(home)).isEqualTo("Oracle");
        Files.writeString(home.resolve("release"),
                "IMPLEMENTOR_VERSION=\"Temurin-11\"\nIMPLEMENTOR=\"Eclipse Adoptium\"\n");
        assertThat(vendor(home)).isEqualTo("Temurin");
    }

    @Test
    void theReleaseFileOfAJdk8LiesOneFolderUp() throws Exception {
        Path jre = FakeJdk.at(folder.resolve("jdk8/jre"), "1.8.0_432");
        Files.writeString(folder.resolve("jdk8/release"), "IMPLEMENTOR=\"Temurin\"\n");
        assertThat(vendor(jre)).isEqualTo("Temurin");
    }

    @Test
    void aReleaseFileThatCannotBeReadIsNone() throws Exception {
        Path home = FakeJdk.at(folder.resolve("jdk"), "17");
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\\u12\n");
        assertThat(vendor(home)).isEqualTo("unknown");
        Files.write(home.resolve("release"), new byte[]{(byte) 0xff, (byte) 0xfe, 0});
        assertThat(vendor(home)).isEqualTo("unknown");
    }
}
