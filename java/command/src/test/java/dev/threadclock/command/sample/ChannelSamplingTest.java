// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The beginning of a conversation with a sampler. */
class ChannelSamplingTest {
    @TempDir
    Path folder;

    private ServerSocketChannel server;
    private SocketChannel client;
    private SocketChannel sampler;

    @BeforeEach
    void connect() throws IOException {
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(folder.resolve("socket")));
        client = SocketChannel.open(server.getLocalAddress());
        sampler = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        sampler.close();
        client.close();
        server.close();
    }

    private static ByteBuffer buffer() {
        return ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void send(ByteBuffer... messages) throws IOException {
        sampler.write(buffer().putLong(Message.MAGIC).flip());
        for (ByteBuffer records : messages) {
            records.flip();
            sampler.write(buffer().putInt(records.limit()).put(records).flip());
        }
    }

    private static ByteBuffer moment(long nanos) {
        return buffer().put((byte) 1).putLong(0).putLong(nanos).putLong(0).putLong(0)
                .putLong(0);
    }

    private Interval firstInterval(ByteBuffer second) throws IOException {
        send(moment(2), second);
        return over(60_000).next().orElseThrow();
    }

    private Sampling over(long patienceMillis) throws IOException {
        return over(patienceMillis, System.nanoTime());
    }

    private Sampling over(long patienceMillis, long beganNanos) throws IOException {
        return ChannelSampling.over(1, new Subject("1 (java Main)", "", "", ""), Duration.ofSeconds(60),
                beganNanos, client, new TaskFiles((int) ProcessHandle.current().pid(), false),
                patienceMillis);
    }

    @Test
    void aSamplerThatSendsMoreThanItWasAskedForIsGivenUp() throws Exception {
        send(LongStream.range(0, 200).mapToObj(ChannelSamplingTest::moment).toArray(ByteBuffer[]::new));
        Sampling sampling = over(60_000);
        assertThatExceptionOfType(Failure.class).isThrownBy(() -> {
            for (int i = 0; i < 190; i++) {
                sampling.next();
            }
        }).withMessageContaining("more messages than were asked for");
    }

    /** On a busy machine the sampler works for seconds before the command has the answer to its request. */
    @Test
    void samplesFromBeforeTheAnswerAreNoFlood() throws Exception {
        send(LongStream.range(0, 200).mapToObj(ChannelSamplingTest::moment).toArray(ByteBuffer[]::new));
        Sampling sampling = over(60_000, System.nanoTime() - 200_000_000_000L);
        for (int i = 0; i < 190; i++) {
            assertThat(sampling.next()).isPresent();
        }
    }

    @Test
    void aMessageThatIsTooLongIsNotRead() throws Exception {
        sampler.write(buffer().putLong(Message.MAGIC).putInt(1 << 26).flip());
        assertThatExceptionOfType(Failure.class).isThrownBy(() -> over(60_000))
                .withMessageContaining("what is no sample (a message of 67108864 bytes)");
        assertThat(client.isOpen()).isFalse();
    }

    @Test
    void theFirstSampleOnlyBeginsTheFirstInterval() throws Exception {
        ByteBuffer third = buffer().put((byte) 6).putLong(2).putInt(1).put(moment(3).flip());
        assertThat(firstInterval(third).nanos()).isEqualTo(1);
    }

    @Test
    void aSamplerThatSendsNothingIsGivenUp() {
        assertThatExceptionOfType(Failure.class).isThrownBy(() -> over(100))
                .withMessageContaining("sent nothing for 100 ms");
    }

    /** A message, but none that is a sample: waiting for the next would have no limit. */
    @Test
    void aSamplerWhoseFirstMessageIsNoSampleIsGivenUp() throws Exception {
        send(buffer());
        assertThatExceptionOfType(Failure.class).isThrownBy(() -> over(60_000))
                .withMessageContaining("the sampler in the JVM");
    }

    @Test
    void virtualThreadsMayBeMissing() throws Exception {
        Interval first = firstInterval(moment(3));
        assertThat(first.nanos()).isEqualTo(1);
        assertThat(first.virtual()).isEmpty();
    }
}
