// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Copies of the agent's jar with one entry changed, damaged or left out. */
final class JarCopy {
    /** With the same content of this entry, not compressed. */
    static Path unchanged(Path folder, String entry) throws IOException {
        return copy(folder, entry, file -> Files.write(file, Files.readAllBytes(file)));
    }

    /** Flips one bit in the middle of the entry, of which the jar then has the CRC before. */
    static Path damaged(Path folder, String entry) throws IOException {
        byte[][] whole = new byte[1][];
        Path jar = copy(folder, entry, file -> Files.write(file, whole[0] = Files.readAllBytes(file)));
        String content = Files.readString(jar, StandardCharsets.ISO_8859_1);
        int at = content.indexOf(new String(whole[0], StandardCharsets.ISO_8859_1)) + whole[0].length / 2;
        byte[] flipped = content.getBytes(StandardCharsets.ISO_8859_1);
        flipped[at] ^= 1;
        return Files.write(jar, flipped);
    }

    static Path ofVersion(Path folder, String version) throws IOException {
        return copy(folder, "META-INF/MANIFEST.MF", file -> Files.writeString(file, Files.readString(file)
                .replaceAll("(Implementation-Version: )[^\r\n]*", "$1" + version)));
    }

    static Path without(Path folder, String entry) throws IOException {
        return copy(folder, entry, Files::delete);
    }

    /** No copy, but a new jar with these attributes and classes. Returns it. */
    static Path made(Path jar, Map<String, String> attributes, Class<?>... classes) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
        attributes.forEach(manifest.getMainAttributes()::putValue);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (Class<?> each : classes) {
                String file = each.getName().replace('.', '/') + ".class";
                out.putNextEntry(new JarEntry(file));
                Files.copy(ChildJvm.CLASSES.resolve(file), out);
            }
        }
        return jar;
    }

    private interface Change {
        void to(Path entry) throws IOException;
    }

    private static Path copy(Path folder, String entry, Change change) throws IOException {
        Path target = Files.createTempFile(folder, "copy", ".jar");
        Files.copy(Product.AGENT_JAR, target, StandardCopyOption.REPLACE_EXISTING);
        try (FileSystem jar = FileSystems.newFileSystem(target, Map.of("compressionMethod", "STORED"))) {
            change.to(jar.getPath(entry));
        }
        return target;
    }
}
