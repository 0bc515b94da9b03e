// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** Copies of the agent's jar with one entry changed, damaged or left out. */
final class JarCopy {
    static Path unchanged(Path folder) throws IOException {
        return copy(folder, "", bytes -> bytes);
    }

    /** Flips one bit in the middle of the entry, of which the jar then has the CRC before. */
    static Path damaged(Path folder, String entry) throws IOException {
        byte[][] whole = new byte[1][];
        Path jar = copy(folder, entry, bytes -> whole[0] = bytes);
        String content = new String(Files.readAllBytes(jar), StandardCharsets.ISO_8859_1);
        int at = content.indexOf(new String(whole[0], StandardCharsets.ISO_8859_1)) + whole[0].length / 2;
        byte[] flipped = content.getBytes(StandardCharsets.ISO_8859_1);
        flipped[at] ^= 1;
        return Files.write(jar, flipped);
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
                    ZipEntry copied = new ZipEntry(entry.getName());
                    if (entry.getName().equals(changed)) {
                        store(copied, bytes);
                    }
                    out.putNextEntry(copied);
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

    private static void store(ZipEntry entry, byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCrc(crc.getValue());
    }
}
