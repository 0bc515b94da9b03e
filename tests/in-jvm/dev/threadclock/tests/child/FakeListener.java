// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.lang.management.ManagementFactory;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A child program that listens where HotSpot would (from JDK 16 on) and behaves as its argument says:
 * endless, silent, garbage, closing, or liar. Prints {@code running}.
 */
public final class FakeListener {
    public static void main(String[] args) throws Exception {
        String name = ManagementFactory.getRuntimeMXBean().getName();
        String socket = "/tmp/.java_pid" + name.substring(0, name.indexOf('@'));
        // By reflection: this file is compiled for JDK 8, which has neither class.
        SocketAddress address = (SocketAddress) Class.forName("java.net.UnixDomainSocketAddress")
                .getMethod("of", String.class)
                .invoke(null, socket);
        ServerSocketChannel server = (ServerSocketChannel) ServerSocketChannel.class
                .getMethod("open", ProtocolFamily.class)
                .invoke(null, StandardProtocolFamily.valueOf("UNIX"));
        server.bind(address);
        new java.io.File(socket).deleteOnExit();
        Threads.daemon("listener", () -> answerAll(server, args[0]));
        System.out.println("running");
        Thread.sleep(300_000);
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
            default :
                break;
        }
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
