// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;

/**
 * An open folder, used through /proc/self/fd/NUMBER: it remains the same folder, and reachable, whatever
 * happens to its path, to its process or to our user. The path is short, as the 108 bytes of a socket's
 * address require.
 */
final class HeldFolder implements Closeable {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Object LOCK = new Object();
    private static final int MOST_TRIES = 10;

    private final SecureDirectoryStream<Path> stream;
    private final Path path;

    private interface Opening {
        DirectoryStream<Path> open() throws IOException;
    }

    private HeldFolder(SecureDirectoryStream<Path> stream, Path path) {
        this.stream = stream;
        this.path = path;
    }

    /**
     * The JDK does not expose the number of a descriptor. It is found by its target among those that were not
     * open before; a stream has two of them. No other folder is opened or closed here meanwhile.
     */
    private static HeldFolder of(Opening opening) throws IOException {
        synchronized (LOCK) {
            for (int tries = 0; tries < MOST_TRIES; tries++) {
                Set<Path> before = descriptors();
                DirectoryStream<Path> opened = opening.open();
                boolean held = false;
                try {
                    SecureDirectoryStream<Path> stream = (SecureDirectoryStream<Path>) opened;
                    Object key = stream.getFileAttributeView(BasicFileAttributeView.class).readAttributes()
                            .fileKey();
                    for (Path each : descriptors()) {
                        if (!before.contains(each) && key.equals(keyOf(each))) {
                            held = true;
                            return new HeldFolder(stream, each);
                        }
                    }
                } finally {
                    if (!held) {
                        opened.close();
                    }
                }
                // The numbers were those of files that the program has closed meanwhile.
            }
        }
        throw new FileSystemException(DESCRIPTORS.toString(), null, "no descriptor of an open folder there");
    }

    /** Follows links: not for paths in which another user may have placed one. */
    static HeldFolder of(Path path) throws IOException {
        return of(() -> Files.newDirectoryStream(path));
    }

    /** A subfolder; NotDirectoryException if it is anything else, including a link. */
    HeldFolder child(String name) throws IOException {
        // Opening a named pipe would wait for its other end.
        Path there = path.resolve(name);
        if (!Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS)
                && Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
            throw new NotDirectoryException(name);
        }
        return of(() -> stream.newDirectoryStream(Path.of(name), LinkOption.NOFOLLOW_LINKS));
    }

    /** Creates a subfolder, accessible to its owner only, with an unpredictable name. Returns the name. */
    String makeChild(String prefix) throws IOException {
        return Files.createTempDirectory(path, prefix, mode("rwx------")).getFileName().toString();
    }

    /** Creates a file, accessible to its owner only; never through a link that somebody placed there. */
    SeekableByteChannel makeFile(String name) throws IOException {
        Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        return stream.newByteChannel(Path.of(name), options, mode("rw-------"));
    }

    void removeFile(String name) throws IOException {
        stream.deleteFile(Path.of(name));
    }

    /** Deletes the files in it, but no subfolders; once. */
    void empty() {
        for (Path file : stream) {
            try {
                stream.deleteFile(file.getFileName());
            } catch (IOException e) {
                // Any file that remains makes the removal of the folder fail, too.
            }
        }
    }

    /** Removes an empty subfolder; a link in its place stays. */
    void removeChild(String name) throws IOException {
        stream.deleteDirectory(Path.of(name));
    }

    Path path() {
        return path;
    }

    Path resolve(String name) {
        return path.resolve(name);
    }

    @Override
    public void close() {
        synchronized (LOCK) {
            try {
                stream.close();
            } catch (IOException e) {
                // Only its descriptor was in use.
            }
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    private static Set<Path> descriptors() throws IOException {
        Set<Path> all = new HashSet<>();
        try (DirectoryStream<Path> open = Files.newDirectoryStream(DESCRIPTORS)) {
            open.forEach(all::add);
        }
        // The listing's own: its numbers are free again, and are likely to be those of the next folder.
        all.removeIf(each -> !Files.exists(each));
        return all;
    }

    private static Object keyOf(Path descriptor) {
        try {
            return Files.readAttributes(descriptor, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }
}
