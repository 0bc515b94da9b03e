// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.report;

import dev.threadclock.agent.jfr.ThreadCpuTime;
import dev.threadclock.command.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.Recording;

/** Arbitrary bytes instead of a recording are read as far as they make sense, or refused. */
public final class RecordingFuzz {
    private static final Path FILE = file();

    private RecordingFuzz() {}

    private static Path file() {
        try {
            return Files.createTempFile("fuzz-", ".jfr");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        Files.write(FILE, input);
        try {
            JfrRecording recording = JfrRecording.read(FILE);
            new RecordingText(recording.subject(), recording.timeline(), 80).lines();
            new RecordingPage(recording.subject(), recording.timeline()).toHtml();
        } catch (Failure e) {
            // refused
        }
    }

    /** Writes a recording as the seed. It has 100 KB, most of which are the JDK's own descriptions. */
    public static void main(String[] args) throws IOException {
        try (Recording recording = new Recording()) {
            recording.enable(ThreadCpuTime.class);
            recording.start();
            for (int i = 1; i < 4; i++) {
                ThreadCpuTime event = new ThreadCpuTime();
                event.threadName = "worker-" + i;
                event.osThreadId = i;
                event.user = i;
                event.total = 2L * i;
                event.interval = 1_000_000_000;
                event.intervalEnd = 1_700_000_000_000L + i % 2;
                event.commit();
            }
            recording.stop();
            recording.dump(Path.of(args[0]));
        }
    }
}
