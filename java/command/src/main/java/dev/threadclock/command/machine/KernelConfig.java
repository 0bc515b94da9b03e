// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * The kernel's build configuration, if it is available: options that are set, such as "CONFIG_HZ" to "250".
 * Options that are "not set" are absent.
 */
record KernelConfig(String file, Map<String, String> options) {
    /** Exactly one option of the choice "Cputime accounting" in init/Kconfig is set. */
    private static final List<String> ACCOUNTING = List.of("TICK_CPU_ACCOUNTING", "VIRT_CPU_ACCOUNTING_GEN",
            "VIRT_CPU_ACCOUNTING_NATIVE");

    /** Searches the usual places; empty if no configuration can be read. */
    static Optional<KernelConfig> find(String kernelRelease) {
        for (String file : List.of("/proc/config.gz", "/boot/config-" + kernelRelease,
                "/lib/modules/" + kernelRelease + "/config")) {
            try {
                return Optional.of(parse(file, Files.readAllBytes(Path.of(file))));
            } catch (IOException e) {
                // Tries the next place.
            }
        }
        return Optional.empty();
    }

    /** Parses a file's bytes, compressed or not. */
    static KernelConfig parse(String file, byte[] bytes) throws IOException {
        byte[] plain = bytes;
        if (bytes.length > 1 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b) {
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
                plain = in.readAllBytes();
            }
        }
        Map<String, String> options = new HashMap<>();
        for (String line : new String(plain, StandardCharsets.ISO_8859_1).split("\n")) {
            int equals = line.indexOf('=');
            if (equals > 0 && !line.startsWith("#")) {
                options.put(line.substring(0, equals).strip(), line.substring(equals + 1).strip());
            }
        }
        return new KernelConfig(file, Map.copyOf(options));
    }

    /** TICK_CPU_ACCOUNTING, VIRT_CPU_ACCOUNTING_GEN or VIRT_CPU_ACCOUNTING_NATIVE. */
    Optional<String> accounting() {
        return ACCOUNTING.stream().filter(this::has).findFirst();
    }

    /** Whether an option is set; its name without CONFIG_. */
    boolean has(String name) {
        return "y".equals(options.get("CONFIG_" + name));
    }
}
