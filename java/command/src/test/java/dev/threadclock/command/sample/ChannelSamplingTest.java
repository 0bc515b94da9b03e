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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The beginning of a conversation with a sampler. */
class ChannelSamplingTest {
    @TempDir
    Path folder;

    private static ByteBuffer buffer() {
        return ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void send(SocketChannel sampler, ByteBuffer records) throws IOException {
        records.flip();
        sampler.write(buffer().putInt(records.limit()).put(records).flip());
    }

    private static ByteBuffer moment(long nanos) {
        return buffer().put((byte) 1).putLong(0).putLong(nanos).putLong(0).putLong(0)
                .putLong(0);
    }

    private Interval firstInterval(ByteBuffer second) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(address);
                SocketChannel client = SocketChannel.open(address);
                SocketChannel sampler = server.accept()) {
            sampler.write(buffer().putLong(Message.MAGIC).flip());
            send(sampler, moment(2));
            send(sampler, second);
            return over(client, 60_000).next().orElseThrow();
        }
    }

    private static Sampling over(SocketChannel client, long patienceMillis) throws IOException {
        return ChannelSampling.over(1, new Subject("1 (java Main)", "", "", ""), Duration.ofSeconds(60),
                client, new TaskFiles((int) ProcessHandle.current().pid(), false), patienceMillis);
    }

    @Test
    void aSamplerThatSendsMoreThanItWasAskedForIsGivenUp() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(folder.resolve("socket")));
                SocketChannel client = SocketChannel.open(server.getLocalAddress());
                SocketChannel sampler = server.accept()) {
            sampler.write(buffer().putLong(Message.MAGIC).flip());
            for (int i = 0; i < 200; i++) {
                send(sampler, moment(i));
            }
            Sampling sampling = over(client, 60_000);
            assertThatExceptionOfType(Failure.class).isThrownBy(() -> {
                for (int i = 0; i < 190; i++) {
                    sampling.next();
                }
            }).withMessageContaining("more messages than were asked for");
        }
    }

    @Test
    void theFirstSampleOnlyBeginsTheFirstInterval() throws Exception {
        ByteBuffer third = buffer().put((byte) 9).putLong(2).putInt(1).put(moment(3).flip());
        assertThat(firstInterval(third).nanos()).isEqualTo(1);
    }

    @Test
    void aSamplerThatSendsNothingIsGivenUp() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(address);
                SocketChannel client = SocketChannel.open(address)) {
            assertThatExceptionOfType(Failure.class).isThrownBy(() -> over(client, 100))
                    .withMessageContaining("sent nothing for 100 ms");
        }
    }

    /** A message, but none that is a sample: waiting for the next would have no limit. */
    @Test
    void aSamplerWhoseFirstMessageIsNoSampleIsGivenUp() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(address);
                SocketChannel client = SocketChannel.open(address);
                SocketChannel sampler = server.accept()) {
            sampler.write(buffer().putLong(Message.MAGIC).flip());
            send(sampler, buffer());
            assertThatExceptionOfType(Failure.class).isThrownBy(() -> over(client, 60_000))
                    .withMessageContaining("the sampler in the JVM");
        }
    }

    @Test
    void virtualThreadsMayBeMissing() throws Exception {
        Interval first = firstInterval(moment(3));
        assertThat(first.nanos()).isEqualTo(1);
        assertThat(first.virtual()).isEmpty();
    }
}
