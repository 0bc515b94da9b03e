// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * The file system as the target sees it: in its container, with links resolved as the target would. Walks
 * step by step, so that a link in a container cannot lead a privileged user to a file of the host.
 */
final class TargetRoot implements Closeable {
    private static final int MOST_LINKS = 40;

    private final HeldFolder root;
    private final String seenAs;

    private TargetRoot(HeldFolder root, String seenAs) {
        this.root = root;
        this.seenAs = seenAs;
    }

    /** For the process with this /proc folder. */
    static TargetRoot of(Path process) throws IOException {
        Path link = process.resolve("root");
        return new TargetRoot(HeldFolder.of(link), Files.readSymbolicLink(link).toString());
    }

    /** Converts a path as the kernel shows it to us to the process's own: without the folder of a chroot. */
    String inside(String shown) {
        return !seenAs.equals("/") && shown.startsWith(seenAs + "/") ? shown.substring(seenAs.length())
                : shown;
    }

    /** The folder with this absolute path. */
    HeldFolder folder(String path) throws IOException {
        Deque<HeldFolder> way = new ArrayDeque<>();
        Deque<String> names = new ArrayDeque<>(parts(path));
        try {
            way.push(HeldFolder.of(root.path()));
            for (int links = 0; !names.isEmpty();) {
                String name = names.pop();
                if (name.equals("..")) {
                    if (way.size() > 1) {
                        way.pop().close();
                    }
                    continue;
                }
                Path here = way.peek().resolve(name);
                if (!Files.isSymbolicLink(here)) {
                    way.push(way.peek().child(name));
                    continue;
                }
                if (++links > MOST_LINKS) {
                    throw new FileSystemException(path, null, "too many symbolic links");
                }
                String link = Files.readSymbolicLink(here).toString();
                while (link.startsWith("/") && way.size() > 1) {
                    way.pop().close();
                }
                List<String> more = parts(link);
                Collections.reverse(more);
                more.forEach(names::push);
            }
            return way.pop();
        } finally {
            for (HeldFolder each : way) {
                each.close();
            }
        }
    }

    /** The content of a regular file with this absolute path, up to this limit. */
    byte[] read(String path, int limit) throws IOException {
        String at = path;
        for (int links = 0; links <= MOST_LINKS; links++) {
            int slash = at.lastIndexOf('/');
            try (HeldFolder folder = folder(at.substring(0, slash + 1))) {
                Path file = folder.resolve(at.substring(slash + 1));
                if (!Files.isSymbolicLink(file)) {
                    return readHere(file, limit);
                }
                String link = Files.readSymbolicLink(file).toString();
                at = link.startsWith("/") ? link : at.substring(0, slash + 1) + link;
            }
        }
        throw new FileSystemException(path, null, "too many symbolic links");
    }

    /** Reads a regular file; does not follow a link. */
    static byte[] readHere(Path file, int limit) throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(file.toString(), null, "not a regular file");
        }
        try (InputStream in = Channels.newInputStream(
                Files.newByteChannel(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)))) {
            return in.readNBytes(limit);
        }
    }

    @Override
    public void close() {
        root.close();
    }

    private static List<String> parts(String path) {
        return new ArrayList<>(
                Arrays.stream(path.split("/")).filter(name -> !name.isEmpty() && !name.equals(".")).toList());
    }
}
