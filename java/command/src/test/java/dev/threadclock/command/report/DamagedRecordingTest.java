// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.threadclock.agent.jfr.ThreadCpuTime;
import dev.threadclock.command.terminal.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A recording in which some bytes were changed is read as far as it makes sense, or refused with a reason.
 * The JDK's reader may throw anything.
 */
class DamagedRecordingTest {
    private static final int DAMAGED = 300;
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final long SECONDS = 1;

    // Positions in a chunk.
    private static final int CHUNK_BYTES = 8;
    private static final int METADATA = 24;
    private static final int STATE = 64;

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
            event.threadName = "another";
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
                JfrRecording.read(file, SECONDS);
            } catch (Failure e) {
                assertThat(e).hasMessageContaining("damaged.jfr");
                refused++;
            }
        }
        assertThat(refused).isBetween(1, DAMAGED);
    }

    static Stream<Arguments> circles() {
        return Stream.of(
                circle("a chunk of no bytes", (file, chunk) -> file.putLong(chunk + CHUNK_BYTES, 0)),
                circle("a chunk that ends before it begins",
                        (file, chunk) -> file.putLong(chunk + CHUNK_BYTES, -chunk)),
                circle("no metadata yet",
                        (file, chunk) -> file.putLong(chunk + METADATA, 0).put(chunk + STATE, (byte) 1)));
    }

    private static Arguments circle(String name, ObjIntConsumer<ByteBuffer> damage) {
        return arguments(name, damage);
    }

    /** The JDK's reader never returns from these files. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("circles")
    void aRecordingWithCircularLinksIsRefused(String name, ObjIntConsumer<ByteBuffer> damage)
            throws IOException {
        byte[] whole = recording();
        Path file = folder.resolve("circle.jfr");
        ByteBuffer twice = ByteBuffer.allocate(2 * whole.length).put(whole).put(whole);
        Files.write(file, twice.array());
        JfrRecording.read(file);
        for (int chunk : new int[]{whole.length, 0}) {
            damage.accept(twice, chunk);
            Files.write(file, twice.array());
            assertTimeoutPreemptively(PATIENCE, () -> assertThatThrownBy(() -> JfrRecording.read(file))
                    .isInstanceOf(Failure.class).hasMessageContaining("circle.jfr")
                    .hasMessageContaining("damaged"));
        }
    }

    /** Whoever opens a pipe that nobody writes to waits until somebody does. */
    @Test
    void whatDoesNotEndInTimeIsRefused() throws Exception {
        Path file = folder.resolve("endless.jfr");
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
        assertThatThrownBy(() -> JfrRecording.read(file, SECONDS)).isInstanceOf(Failure.class)
                .hasMessageContaining("reading it does not end");
    }

    /** A killed JVM has written more than its header covers. The JDK's reader returns the last event. */
    @Test
    void dataAfterTheLastChunkIsIgnored() throws IOException {
        byte[] whole = recording();
        Path file = Files.write(folder.resolve("longer.jfr"), Arrays.copyOf(whole, whole.length + 100));
        assertThat(JfrRecording.read(file).timeline().threads()).hasSize(1);
    }
}
