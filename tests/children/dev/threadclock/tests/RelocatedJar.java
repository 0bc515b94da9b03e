// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * A copy of the library with another package name, as maven-shade's relocation makes it. Class names,
 * descriptors and string constants that begin with the old name are changed, and the manifest with its
 * Multi-Release entry is omitted.
 */
final class RelocatedJar {
    static final String PACKAGE = "org.example.shaded.clock";

    private static final String OLD = "dev/threadclock/";
    private static final String DOTTED = "dev.threadclock";
    private static final String NEW = PACKAGE.replace('.', '/') + "/";

    static Path make(Path folder) throws IOException {
        Path target = Files.createTempFile(folder, "relocated", ".jar");
        try (ZipFile jar = new ZipFile(Product.JAR.toFile());
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(target))) {
            for (ZipEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                boolean isClass = name.matches(OLD + "(internal/)?[^/]+\\.class");
                if (isClass || name.matches("META-INF/native/.*[^/]")) {
                    byte[] bytes = jar.getInputStream(entry).readAllBytes();
                    out.putNextEntry(new ZipEntry(name.replace(OLD, NEW)));
                    out.write(isClass ? renamed(bytes) : bytes);
                    out.closeEntry();
                }
            }
        }
        return target;
    }

    /** Names occur only in the constant pool, as entries with tag 1 (JVMS 4.4). */
    private static byte[] renamed(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        ByteArrayOutputStream renamed = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(renamed);
        out.write(in.readNBytes(8));
        int count = in.readUnsignedShort();
        out.writeShort(count);
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            switch (tag) {
                case 1 -> {
                    String text = in.readUTF().replace(OLD, NEW);
                    out.writeUTF(text.startsWith(DOTTED) ? PACKAGE + text.substring(DOTTED.length()) : text);
                }
                case 7, 8, 16, 19, 20 -> out.write(in.readNBytes(2));
                case 15 -> out.write(in.readNBytes(3));
                case 3, 4, 9, 10, 11, 12, 17, 18 -> out.write(in.readNBytes(4));
                case 5, 6 -> {
                    out.write(in.readNBytes(8));
                    i++; // such an entry counts twice
                }
                default -> throw new IOException("constant pool entry of tag " + tag);
            }
        }
        out.write(in.readAllBytes());
        return renamed.toByteArray();
    }
}
