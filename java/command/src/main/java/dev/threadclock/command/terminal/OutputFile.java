// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * A file that a command writes at the user's request; "-" is stdout. It is replaced in one step, so that
 * readers see either the old content or the new, never part of it.
 */
public final class OutputFile {
    private final Path path;
    private final String option;

    /** @param option the option with which the user can name another file, for the error message */
    public OutputFile(Path path, String option) {
        this.path = path;
        this.option = option;
    }

    /** The same, but fails if the file cannot be written: better before a long measurement than after it. */
    public static OutputFile checked(Path path, String option) {
        OutputFile file = new OutputFile(path, option);
        file.check();
        return file;
    }

    public boolean isStdout() {
        return path.toString().equals("-");
    }

    public Path path() {
        return path;
    }

    private void check() {
        if (isStdout()) {
            return;
        }
        if (Files.isDirectory(path)) {
            throw refusal("it is a folder");
        }
        if (!isReplaced()) {
            if (!Files.isWritable(path)) {
                throw refusal("permission denied");
            }
            return;
        }
        Path trial = temporary();
        guarded(() -> {
            Files.createFile(trial);
            Files.delete(trial);
        });
    }

    public void write(String text) {
        if (isStdout()) {
            Terminal.stdout().stream().print(text);
            Terminal.stdout().stream().flush();
            return;
        }
        guarded(() -> replace(out -> out.write(text.getBytes(StandardCharsets.UTF_8))));
    }

    /** Writes the content of another file, which may be moved to its place. Not for stdout. */
    public void write(Path content) {
        guarded(() -> {
            if (isReplaced() && content.getParent().equals(target().getParent())) {
                Files.move(content, target(), StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            } else {
                replace(out -> Files.copy(content, out));
            }
        });
    }

    /**
     * Makes a file that takes the content until it is complete. It lies beside this one as
     * "app.partial-4711.jfr", where 4711 is the PID of this process, so that users find it if this process is
     * killed; or, for a device or a pipe, in the folder for temporary files.
     */
    public Path partial(String ending) throws IOException {
        if (!isReplaced()) {
            return Files.createTempFile("threadclock-", ending);
        }
        String name = target().getFileName().toString().replaceFirst("\\.[^.]*$", "") + ".partial-"
                + ProcessHandle.current().pid();
        Path partial = target().resolveSibling(name + ending);
        for (int i = 2; Files.exists(partial); i++) {
            partial = target().resolveSibling(name + "-" + i + ending);
        }
        Path made = partial;
        guarded(() -> Files.createFile(made));
        return made;
    }

    private interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    private void guarded(Shutdown.Step work) {
        try {
            Shutdown.notDuring(work);
        } catch (IOException e) {
            throw refusal(reason(e));
        }
    }

    private void replace(Content content) throws IOException {
        if (!isReplaced()) {
            try (OutputStream out = Files.newOutputStream(path)) {
                content.writeTo(out);
            }
            return;
        }
        Path temporary = temporary();
        try {
            try (OutputStream out = Files.newOutputStream(temporary, StandardOpenOption.CREATE_NEW)) {
                content.writeTo(out);
            }
            Files.move(temporary, target(), StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private Path temporary() {
        Path target = target();
        return target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
    }

    /** Whether the file is replaced in one step. A device or a pipe cannot be: it is written in place. */
    private boolean isReplaced() {
        return !Files.exists(path) || Files.isRegularFile(path);
    }

    /** The target of the rename. A symbolic link is followed, not replaced. */
    private Path target() {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize();
        }
    }

    private Failure refusal(String why) {
        return new Failure("cannot write " + path + ": " + why + "; name another file with " + option);
    }

    private String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NoSuchFileException || e instanceof FileNotFoundException) {
            return Files.isDirectory(target().getParent()) ? "no files can be created there" : "no such"
                    + " folder";
        }
        return e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : e.getMessage();
    }
}
