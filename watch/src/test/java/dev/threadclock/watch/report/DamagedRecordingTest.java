// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.agent.jfr.ThreadCpuTime;
import dev.threadclock.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A recording with some bytes changed is read as far as it makes sense, or refused with a reason; the JDK's
 * reader throws anything.
 */
class DamagedRecordingTest {
    private static final int DAMAGED = 300;

    @TempDir
    Path folder;

    private byte[] recording() throws IOException {
        Path file = folder.resolve("whole.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(ThreadCpuTime.class);
            recording.start();
            ThreadCpuTime event = new ThreadCpuTime();
            event.threadName = "worker";
            event.total = 1;
            event.commit();
            recording.stop();
            recording.dump(file);
        }
        return Files.readAllBytes(file);
    }

    @Test
    void aDamagedRecordingIsReadAsFarAsItGoesOrRefused() throws IOException {
        byte[] whole = recording();
        Path file = folder.resolve("damaged.jfr");
        Random random = new Random(7);
        int refused = 0;
        for (int i = 0; i < DAMAGED; i++) {
            byte[] damaged = whole.clone();
            byte[] noise = new byte[16];
            random.nextBytes(noise);
            System.arraycopy(noise, 0, damaged, random.nextInt(damaged.length - noise.length), noise.length);
            Files.write(file, damaged);
            try {
                JfrRecording.read(file);
            } catch (Failure e) {
                assertThat(e).hasMessageContaining("damaged.jfr");
                refused++;
            }
        }
        assertThat(refused).isBetween(1, DAMAGED);
    }
}
