// SPDX-License-Identifier: Apache-2.0
// A folder of the target's user in one of the target's folders, for the library and the agent's report; gone afterwards.
package dev.threadclock.cli.attach;

import dev.threadclock.cli.Failure;
import dev.threadclock.internal.NativeLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Mode 0700, with a name that nobody can foresee. */
final class PrivateFolder implements AutoCloseable {
    private static final String REPORT = "report";
    private static final int ROOM_FOR_REPORT = 1 << 13;
    private static final int LONGEST_REPORT = 1 << 16;

    private final Undo<Path> folder;
    private final String name;

    PrivateFolder(Places.Place place) throws IOException {
        folder = Undo.after(() -> Files.createTempDirectory(place.folder().path(), "threadclock-", mode("rwx------")),
                PrivateFolder::remove);
        name = (place.name().equals("/") ? "" : place.name()) + "/" + folder.made().getFileName();
    }

    /** Puts the library of our jar there, and returns its path as the target says it. */
    String putLibrary() throws IOException {
        try {
            Path library = Undo.uncut(() -> NativeLibrary.extractTo(folder.made()));
            return inside(library.getFileName().toString());
        } catch (UnsatisfiedLinkError e) {
            throw new Failure(e.getMessage());
        }
    }

    /** Makes an empty file for the agent to write to, where there is room for it, and returns its path as the target says it. */
    String makeReport() throws IOException {
        Path report = Undo.uncut(() -> Files.createFile(folder.made().resolve(REPORT), mode("rw-------")));
        Files.write(report, new byte[ROOM_FOR_REPORT]);
        Files.write(report, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
        return inside(REPORT);
    }

    String readReport() throws IOException {
        return new String(TargetRoot.readHere(folder.made().resolve(REPORT), LONGEST_REPORT), StandardCharsets.UTF_8);
    }

    Path path() {
        return folder.made();
    }

    /** A file of it as the target says it. */
    String inside(String file) {
        return name + "/" + file;
    }

    @Override
    public void close() {
        folder.close();
    }

    private static FileAttribute<Set<PosixFilePermission>> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    private static void remove(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // What is left makes the next step fail, too.
        }
        try {
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            // Nobody to tell but the user of the target, whose folder it is.
        }
    }
}
