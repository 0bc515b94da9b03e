// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;

/**
 * A child program that listens where HotSpot would (from JDK 16 on) and behaves as its argument says:
 * endless, silent, garbage, closing, or liar; or it says yes, and flood: its samples have no end, account: it
 * sends metrics of others without end, until closed, or old: it does not know do=account. Prints
 * {@code running}.
 */
public final class FakeListener {
    public static void main(String[] args) throws Exception {
        String name = ManagementFactory.getRuntimeMXBean().getName();
        String socket = "/tmp/.java_pid" + name.substring(0, name.indexOf('@'));
        SocketAddress address = address(socket);
        ServerSocketChannel server = (ServerSocketChannel) ServerSocketChannel.class
                .getMethod("open", ProtocolFamily.class)
                .invoke(null, StandardProtocolFamily.valueOf("UNIX"));
        server.bind(address);
        new java.io.File(socket).deleteOnExit();
        Threads.daemon("listener", () -> answerAll(server, args[0]));
        System.out.println("running");
        Thread.sleep(600_000);
    }

    /** By reflection: this file is compiled for JDK 8, which has no such class. */
    private static SocketAddress address(String socket) throws Exception {
        return (SocketAddress) Class.forName("java.net.UnixDomainSocketAddress").getMethod("of", String.class)
                .invoke(null, socket);
    }

    private static void answerAll(ServerSocketChannel server, String kind) {
        while (true) {
            try (SocketChannel channel = server.accept()) {
                answer(channel, kind);
            } catch (Exception e) {
                // The command has closed the connection.
            }
        }
    }

    private static void answer(SocketChannel channel, String kind) throws Exception {
        switch (kind) {
            case "endless" :
                while (true) {
                    channel.write(ByteBuffer.wrap(new byte[1 << 16]));
                }
            case "silent" :
                Thread.sleep(60_000);
                break;
            case "garbage" :
                channel.write(text(
                        "\u001b[2J\u009b31m\n\n\u0000" + new String(new char[100_000]).replace('\0', 'x')));
                break;
            case "liar" :
                channel.write(text("0\nreturn code: 7\u001b[2J\u009b31m"));
                break;
            case "flood" :
            case "account" :
            case "old" :
                sayYes(channel, kind);
                break;
            default :
                break;
        }
    }

    private static void sayYes(SocketChannel channel, String kind) throws Exception {
        String request = "";
        ByteBuffer bytes = ByteBuffer.allocate(2000);
        while (!request.contains("report=") || !request.endsWith("\0")) {
            if (channel.read(bytes) <= 0) {
                return;
            }
            request = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        }
        boolean isKnown = !kind.equals("old") || !request.contains("do=account");
        Files.write(Paths.get(option(request, "report")),
                (isKnown ? "ok\n" : "mistake: bad value\n").getBytes(StandardCharsets.UTF_8));
        if (request.contains("channel=") && isKnown) {
            SocketChannel to = (SocketChannel) SocketChannel.class.getMethod("open", SocketAddress.class)
                    .invoke(null, address(option(request, "channel")));
            Threads.daemon("flood", kind.equals("flood") ? () -> floodWithThreads(to)
                    : () -> floodWithMetrics(to));
        }
        channel.write(text("0\nreturn code: 0"));
    }

    private static String option(String request, String name) {
        return request.replaceFirst("(?s).*" + name + "=([^,\0]*).*", "$1");
    }

    /** Each sample (sample_wire.h) has this many threads that no one before it had. */
    private static void floodWithThreads(SocketChannel to) {
        int threads = 20_000;
        byte[] name = new byte[1000];
        Arrays.fill(name, (byte) 'n');
        ByteBuffer sample = ByteBuffer.allocate(100 + threads * (name.length + 100))
                .order(ByteOrder.LITTLE_ENDIAN);
        try {
            // SAMPLE_MAGIC of native/agent/sample_wire.h, and its records
            to.write((ByteBuffer) sample.putLong(0x3550_534b_434f_4c43L).flip());
            for (long serial = 1, second = 1;; second++) {
                sample.clear();
                sample.putInt(0).put((byte) 1).putLong(System.currentTimeMillis()).putLong(System.nanoTime());
                sample.putLong(second << 30).putLong(0).putLong(second << 30);
                for (int i = 0; i < threads; i++) {
                    sample.put((byte) 2).putLong(serial).putInt(i + 1).putLong(0).putInt(0).putInt('?')
                            .putShort((short) name.length).put(name);
                    sample.put((byte) 3).putLong(serial++).putLong(1000).putLong(0).putLong(1000).putLong(0);
                }
                sample.putInt(0, sample.position() - Integer.BYTES);
                for (sample.flip(); sample.hasRemaining();) {
                    to.write(sample);
                }
            }
        } catch (IOException e) {
            // The command has closed the connection.
        }
    }

    private static void floodWithMetrics(SocketChannel to) {
        try {
            while (true) {
                to.write(text("threadclock_threads{kind=\"java\",group=\"x\",pid=\"1\"} 7\n# EOF\n"));
            }
        } catch (IOException e) {
            System.out.println("closed");
        }
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
