// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.zip.GZIPInputStream;

/**
 * The kernel's build configuration, if it is available: options that are set, such as "CONFIG_HZ" to "250".
 * Options that are "not set" are absent.
 */
record KernelConfig(String file, Properties options) {
    /** Exactly one option of the choice "Cputime accounting" in init/Kconfig is set. */
    private static final List<String> ACCOUNTING = List.of("TICK_CPU_ACCOUNTING", "VIRT_CPU_ACCOUNTING_GEN",
            "VIRT_CPU_ACCOUNTING_NATIVE");

    /** Searches the usual places; empty if no configuration can be read. */
    static Optional<KernelConfig> find(String kernelRelease) {
        for (String file : List.of("/proc/config.gz", "/boot/config-" + kernelRelease,
                "/lib/modules/" + kernelRelease + "/config")) {
            try {
                return Optional.of(parse(file, Files.readAllBytes(Path.of(file))));
            } catch (IOException | IllegalArgumentException e) {
                // Tries the next place.
            }
        }
        return Optional.empty();
    }

    /** Parses a file's bytes, which are compressed if its name says so. */
    static KernelConfig parse(String file, byte[] bytes) throws IOException {
        InputStream plain = new ByteArrayInputStream(bytes);
        Properties options = new Properties();
        options.load(file.endsWith(".gz") ? new GZIPInputStream(plain) : plain);
        return new KernelConfig(file, options);
    }

    /** TICK_CPU_ACCOUNTING, VIRT_CPU_ACCOUNTING_GEN or VIRT_CPU_ACCOUNTING_NATIVE. */
    Optional<String> accounting() {
        return ACCOUNTING.stream().filter(this::has).findFirst();
    }

    /** Whether an option is set; its name without CONFIG_. */
    boolean has(String name) {
        return "y".equals(options.getProperty("CONFIG_" + name));
    }
}
