// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.function.UnaryOperator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** Copies of the agent's jar with one entry changed, damaged or left out. */
final class JarCopy {
    static Path unchanged(Path folder) throws IOException {
        return copy(folder, "", bytes -> bytes);
    }

    /** Flips one bit in the middle of the entry. */
    static Path damaged(Path folder, String entry) throws IOException {
        return copy(folder, entry, bytes -> {
            bytes[bytes.length / 2] ^= 1;
            return bytes;
        });
    }

    static Path ofVersion(Path folder, String version) throws IOException {
        return copy(folder, "META-INF/MANIFEST.MF",
                bytes -> new String(bytes, StandardCharsets.UTF_8)
                        .replaceAll("(Implementation-Version: )[^\r\n]*", "$1" + version)
                        .getBytes(StandardCharsets.UTF_8));
    }

    static Path without(Path folder, String entry) throws IOException {
        return copy(folder, entry, bytes -> null);
    }

    private static Path copy(Path folder, String changed, UnaryOperator<byte[]> change) throws IOException {
        Path target = Files.createTempFile(folder, "copy", ".jar");
        boolean found = changed.isEmpty();
        try (ZipFile jar = new ZipFile(Product.AGENT_JAR.toFile());
                OutputStream file = Files.newOutputStream(target);
                ZipOutputStream out = new ZipOutputStream(file)) {
            for (ZipEntry entry : Collections.list(jar.entries())) {
                byte[] bytes = jar.getInputStream(entry).readAllBytes();
                if (entry.getName().equals(changed)) {
                    found = true;
                    bytes = change.apply(bytes);
                }
                if (bytes != null) {
                    out.putNextEntry(new ZipEntry(entry.getName()));
                    out.write(bytes);
                    out.closeEntry();
                }
            }
        }
        if (!found) {
            throw new IllegalArgumentException("no " + changed + " in " + Product.AGENT_JAR);
        }
        return target;
    }
}
