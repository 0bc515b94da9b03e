// SPDX-License-Identifier: Apache-2.0
// A folder that stays the same one, and reachable, whatever happens to its path, its process or our user.
package dev.threadclock.cli.attach;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;

/** An open folder, used through /proc/self/fd/NUMBER: a short path, which the 108 bytes of a socket's address need. */
final class HeldFolder implements Closeable {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Set<Path> TAKEN = new HashSet<>();

    private final SecureDirectoryStream<Path> stream;
    private final Path path;

    private HeldFolder(DirectoryStream<Path> opened) throws IOException {
        try {
            stream = (SecureDirectoryStream<Path>) opened;
            path = descriptor(stream.getFileAttributeView(BasicFileAttributeView.class).readAttributes().fileKey());
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** Follows links: not for paths in which another user may have put one. */
    static HeldFolder of(Path path) throws IOException {
        return new HeldFolder(Files.newDirectoryStream(path));
    }

    /** A folder in this one; NotDirectoryException if it is something else, a link included. */
    HeldFolder child(String name) throws IOException {
        // Opening a named pipe would wait for its other end.
        Path there = path.resolve(name);
        if (!Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS) && Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
            throw new NotDirectoryException(name);
        }
        return new HeldFolder(stream.newDirectoryStream(Path.of(name), LinkOption.NOFOLLOW_LINKS));
    }

    Path path() {
        return path;
    }

    Path resolve(String name) {
        return path.resolve(name);
    }

    @Override
    public void close() throws IOException {
        synchronized (TAKEN) {
            TAKEN.remove(path);
        }
        stream.close();
    }

    /** The JDK does not tell the number of a descriptor: found by what it leads to. */
    private static Path descriptor(Object key) throws IOException {
        synchronized (TAKEN) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
                for (Path each : all) {
                    if (!TAKEN.contains(each) && key.equals(keyOf(each))) {
                        TAKEN.add(each);
                        return each;
                    }
                }
            }
        }
        throw new FileSystemException(DESCRIPTORS.toString(), null, "no descriptor of an open folder there");
    }

    private static Object keyOf(Path descriptor) {
        try {
            return Files.readAttributes(descriptor, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }
}
