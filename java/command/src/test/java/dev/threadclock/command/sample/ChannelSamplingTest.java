// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.interval.Interval;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The beginning of a conversation with a sampler, which may be of another version. */
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

    private static ByteBuffer moment(long endNanos) {
        return buffer().put((byte) 1).putLong(0).putLong(0).putLong(endNanos).putLong(0).putLong(0)
                .putLong(0);
    }

    private static ByteBuffer noStack() {
        return buffer().put((byte) 8).putLong(0).putShort((short) 0);
    }

    /** Sends two samples, awaits the request, then answers it and sends a third. Returns the request. */
    private static ByteBuffer converse(SocketChannel sampler, ByteBuffer third) {
        try {
            sampler.write(buffer().putLong(Message.MAGIC).flip());
            send(sampler, moment(1));
            send(sampler, moment(2));
            ByteBuffer request = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
            while (request.hasRemaining() && sampler.read(request) >= 0) {
                // The rest is on its way.
            }
            send(sampler, noStack());
            send(sampler, third);
            return request.flip();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Interval firstInterval(ByteBuffer third) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(address);
                SocketChannel client = SocketChannel.open(address);
                SocketChannel sampler = server.accept()) {
            CompletableFuture<ByteBuffer> request = CompletableFuture
                    .supplyAsync(() -> converse(sampler, third));
            Sampling sampling = ChannelSampling.over(new Sampling.Identity(1, "1 (java Main)", "", ""),
                    client, new TaskFiles((int) ProcessHandle.current().pid(), false), 60_000);
            Interval first = sampling.next().orElseThrow();
            assertThat(request.get().getLong()).as("no thread's stack, for samplers of old").isZero();
            assertThat(request.get().getInt()).isZero();
            assertThat(request.get().getInt()).isEqualTo(Message.KNOWN);
            return first;
        }
    }

    @Test
    void samplesBeforeTheAnswerAreDropped() throws Exception {
        ByteBuffer third = buffer().put((byte) 9).putLong(2).putInt(1).put(moment(3).flip());
        assertThat(firstInterval(third).nanos()).isEqualTo(1);
    }

    @Test
    void aSamplerThatSendsNothingIsGivenUp() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(address);
                SocketChannel client = SocketChannel.open(address)) {
            assertThatExceptionOfType(Failure.class).isThrownBy(() -> ChannelSampling.over(
                    new Sampling.Identity(1, "1 (java Main)", "", ""), client,
                    new TaskFiles((int) ProcessHandle.current().pid(), false), 100))
                    .withMessageContaining("sent nothing for 100 ms");
        }
    }

    @Test
    void aSamplerThatDoesNotKnowVirtualThreadsIsUnderstood() throws Exception {
        Interval first = firstInterval(moment(3));
        assertThat(first.nanos()).isEqualTo(1);
        assertThat(first.virtual()).isEmpty();
    }
}
