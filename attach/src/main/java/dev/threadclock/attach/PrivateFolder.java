// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.internal.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A temporary folder, owned by the target's user, in one of the target's folders, for the library and the
 * agent's report. Mode 0700, with an unpredictable name. The target could replace it by anything, so the
 * folder is held open, files are created and removed by name within it, and no link is followed: a link could
 * lead to a file of ours outside a container.
 */
final class PrivateFolder implements AutoCloseable {
    private static final String LIBRARY = "libthreadclock.so";
    static final String REPORT = "report";
    private static final int ROOM_FOR_REPORT = 1 << 13;
    private static final int LONGEST_REPORT = 1 << 16;

    /** In the target's folder under this name, and open. */
    private record Made(HeldFolder parent, String name, HeldFolder folder) {
        static Made in(HeldFolder parent) throws IOException {
            String name = parent.makeChild("threadclock-");
            try {
                return new Made(parent, name, parent.child(name));
            } catch (IOException e) {
                parent.removeChild(name);
                throw e;
            }
        }

        void remove() {
            folder.empty();
            try {
                folder.close();
                parent.removeChild(name);
            } catch (IOException e) {
                // Nobody to report this to but the target's user, who owns the folder.
            }
        }
    }

    private final Undo<Made> made;
    private final String name;

    PrivateFolder(TargetFolders.Place place) throws IOException {
        made = Undo.after(() -> Made.in(place.folder()), Made::remove);
        name = (place.name().equals("/") ? "" : place.name()) + "/" + made.made().name();
    }

    /** Places the library of our jar there, and returns its path in the target's file system. */
    String putLibrary() throws IOException {
        try (SeekableByteChannel library = make(LIBRARY)) {
            NativeLibrary.writeTo(library);
        } catch (UnsatisfiedLinkError e) {
            throw new AttachException(e.getMessage());
        }
        return inside(LIBRARY);
    }

    /** Creates an empty file for the agent to write to, checking that there is room. */
    void makeReport() throws IOException {
        try (SeekableByteChannel report = make(REPORT)) {
            report.write(ByteBuffer.allocate(ROOM_FOR_REPORT));
            report.truncate(0);
        }
    }

    void removeReport() throws IOException {
        made.made().folder().removeFile(REPORT);
    }

    private SeekableByteChannel make(String file) throws IOException {
        return uncut(() -> made.made().folder().makeFile(file));
    }

    /** A step that the folder's removal waits for. */
    <R> R uncut(Undo.Step<R> step) throws IOException {
        return made.uncut(step);
    }

    String readReport() throws IOException {
        return new String(TargetRoot.readHere(made.made().folder().resolve(REPORT), LONGEST_REPORT),
                StandardCharsets.UTF_8);
    }

    /** Reaches the folder even if its path has been replaced. */
    Path path() {
        return made.made().folder().path();
    }

    /** The target's path of a file in it. */
    String inside(String file) {
        return name + "/" + file;
    }

    @Override
    public void close() {
        made.close();
    }
}
