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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A recording in which some bytes were changed is read as far as it makes sense, or refused with a reason.
 * The JDK's reader may throw anything.
 */
class DamagedRecordingTest {
    private static final int DAMAGED = 300;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final byte[] MAGIC = {'F', 'L', 'R', 0};
    // Positions in a chunk.
    private static final int CHUNK_BYTES = 8;
    private static final int LAST_CHECKPOINT = 16;
    private static final int METADATA = 24;
    private static final int STATE = 64;
    private static final int HEADER_BYTES = 68;

    private static final int CHECKPOINT_BYTES = 16;
    private static final byte[] CHECKPOINT = {CHECKPOINT_BYTES, 1, 0, 0}; // size, type, start time, duration

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
                JfrRecording.read(file);
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
        damage.accept(twice, whole.length);
        Files.write(file, twice.array());
        assertTimeoutPreemptively(PATIENCE, () -> assertThatThrownBy(() -> JfrRecording.read(file))
                .isInstanceOf(Failure.class).hasMessageContaining("circle.jfr")
                .hasMessageContaining("damaged"));
    }

    /** A killed JVM has written more than its header covers. The JDK's reader returns the last event. */
    @Test
    void dataAfterTheLastChunkIsIgnored() throws IOException {
        byte[] whole = recording();
        Path file = Files.write(folder.resolve("longer.jfr"), Arrays.copyOf(whole, whole.length + 100));
        assertThat(JfrRecording.read(file).timeline().threads()).hasSize(1);
    }

    /** first, second: the distance to the previous checkpoint in each of two checkpoints. */
    @ParameterizedTest(name = "{0} and {1}: {2}")
    @CsvSource({"0, -16, true", "-68, -16, true", "0, 0, true", "16, -16, false", "0, -15, false",
        "0, 99, true"})
    void linksAreFollowedOnce(long first, long second, boolean sound) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(HEADER_BYTES + 2 * CHECKPOINT_BYTES);
        chunk.put(MAGIC).putLong(CHUNK_BYTES, chunk.capacity())
                .putLong(LAST_CHECKPOINT, HEADER_BYTES + CHECKPOINT_BYTES)
                .putLong(METADATA, HEADER_BYTES);
        putVarint(chunk.position(HEADER_BYTES).put(CHECKPOINT), first);
        putVarint(chunk.position(HEADER_BYTES + CHECKPOINT_BYTES).put(CHECKPOINT), second);
        assertThat(isSound(chunk)).isEqualTo(sound);
    }

    /** A chunk with 32 bytes of events. */
    @ParameterizedTest
    @CsvSource({"32, true", "64, true", "1, false", "0, false", "-16, false", "4294967328, false"})
    void eachEventLeadsForwardWithinItsChunk(long bytes, boolean sound) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(HEADER_BYTES + 32);
        chunk.put(MAGIC).putLong(CHUNK_BYTES, chunk.capacity()).putLong(METADATA, HEADER_BYTES)
                .position(HEADER_BYTES);
        putVarint(chunk, bytes);
        assertThat(isSound(chunk)).isEqualTo(sound);
    }

    private boolean isSound(ByteBuffer chunk) throws IOException {
        Path file = Files.write(folder.resolve("chunk.jfr"), chunk.array());
        try {
            JfrChunks.check(file);
            return true;
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("byte");
            return false;
        }
    }

    private static void putVarint(ByteBuffer chunk, long value) {
        for (int i = 0; i < 8; i++) {
            chunk.put((byte) (value >> 7 * i | 0x80));
        }
        chunk.put((byte) (value >> 56));
    }
}
