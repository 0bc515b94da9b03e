// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.lab.report.Result;
import dev.threadclock.lab.report.StoredResult;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.OutputFile;
import dev.threadclock.command.terminal.Shutdown;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Stores each finished experiment on disk at once, so that an interrupted run can be resumed. There is one
 * folder for each set of options, locked by one lab at a time and deleted when a run is complete.
 */
final class RunFolder implements AutoCloseable {
    private final Path folder;
    private final FileChannel lock;
    private final Runnable clean = () -> delete(scratch());

    private RunFolder(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /** Opens the folder, and creates it if it is missing. */
    static RunFolder open(Path folder) {
        try {
            Files.createDirectories(folder);
            FileChannel lock = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
            if (!taken(lock)) {
                lock.close();
                throw new Failure("another lab is running with the same options and uses " + folder
                        + "; wait until it ends, or stop it");
            }
            RunFolder run = new RunFolder(folder, lock);
            Shutdown.add(run.clean);
            return run;
        } catch (IOException e) {
            throw new Failure("cannot keep results in " + folder + ": " + e.getMessage()
                    + "; set XDG_CACHE_HOME to a folder that you may write");
        }
    }

    private static boolean taken(FileChannel lock) throws IOException {
        try {
            return lock.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    Path path() {
        return folder;
    }

    /** The result from an earlier run; empty if that run did not get this far or the experiment failed. */
    Optional<Result> kept(String name) {
        return StoredResult.read(file(name));
    }

    void keep(Result result) {
        new OutputFile(file(result.name()), "XDG_CACHE_HOME").write(StoredResult.text(result));
    }

    /** An empty folder for the next experiment. */
    Path emptyScratch() throws IOException {
        delete(scratch());
        return Files.createDirectories(scratch());
    }

    void forget() {
        results().forEach(RunFolder::delete);
    }

    @Override
    public void close() {
        Shutdown.remove(clean);
        delete(scratch());
        if (results().isEmpty()) {
            delete(folder);
        }
        try {
            lock.close();
        } catch (IOException e) {
            // The lock ends with the process anyway.
        }
    }

    private List<Path> results() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".json")).toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private Path file(String name) {
        return folder.resolve(name + ".json");
    }

    private Path scratch() {
        return folder.resolve("scratch");
    }

    /** Deletes the folder and its content, except for what cannot be deleted. */
    private static void delete(Path path) {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(path)) {
            all = tree.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException e) {
            return;
        }
        for (Path each : all) {
            try {
                Files.deleteIfExists(each);
            } catch (IOException e) {
                // Harmless: leftovers do not affect the next experiment.
            }
        }
    }
}
