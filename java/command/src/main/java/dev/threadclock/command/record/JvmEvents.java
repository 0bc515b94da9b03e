// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.internal.JvmRecording;
import dev.threadclock.command.attach.JvmOption;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.OutputFile;
import dev.threadclock.command.terminal.Terminal;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A recording of the JVM's own Flight Recorder. Its end saves it, whatever has become of the threads' file.
 * It replaces no older file if nothing of the threads was recorded.
 */
final class JvmEvents implements AutoCloseable {
    private final OutputFile output;
    private final Path copied; // made before the recording begins: at its end little is left that can fail
    private final JvmRecording recording;
    private boolean replaces;

    /** Starts it. */
    JvmEvents(JvmOption.Chosen jvm, String settings, OutputFile output) throws IOException {
        this.output = output;
        copied = output.partial(".jfr");
        JvmRecording started = null;
        try {
            started = jvm.open().record(settings);
        } finally {
            if (started == null) {
                Files.deleteIfExists(copied);
            }
        }
        recording = started;
    }

    /** Something of the threads is recorded. */
    void replaceOlder() {
        replaces = true;
    }

    @Override
    public void close() throws IOException {
        String kept = "the JVM's own events are kept in " + copied;
        try (recording) {
            copy();
            if (!replaces) {
                throw new Failure(kept);
            }
            try {
                output.write(copied);
            } catch (Failure e) {
                throw new Failure(e.getMessage() + "; " + kept);
            }
            Files.deleteIfExists(copied);
            Terminal.stdout().println("the JVM's own events are in " + output.path());
        }
    }

    private void copy() throws IOException {
        // Not by Files.getFileStore, which fails in a chroot that is no mount point. 0: unknown.
        long room = copied.toFile().getUsableSpace();
        try (OutputStream out = new Limited(Files.newOutputStream(copied),
                room == 0 ? Long.MAX_VALUE : room / 2)) {
            recording.stopInto(out);
        } catch (IOException | AttachException | Failure e) {
            Files.deleteIfExists(copied); // half a recording cannot be read
            throw new Failure("the JVM's own events are lost: " + e.getMessage());
        }
    }

    /** The JVM decides how long its own recording is, and could fill the disk with it. */
    private static final class Limited extends FilterOutputStream {
        private long left;

        Limited(OutputStream out, long most) {
            super(out);
            left = most;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            left -= length;
            if (left < 0) {
                throw new Failure(
                        "the JVM's own recording would take more than half of the space that is left"
                                + " beside the file; free some");
            }
            out.write(bytes, offset, length);
        }
    }
}
