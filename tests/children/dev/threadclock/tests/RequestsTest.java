// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Requests;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent refuses requests that could block the JVM, which has a single attach listener thread. */
class RequestsTest {
    @TempDir
    Path folder;

    @Test
    void whatCouldBlockTheJvmIsRefused() throws IOException {
        Path fifo = folder.resolve("fifo");
        Path read = folder.resolve("read");
        Path socket = folder.resolve("socket");
        Path[] reports = new Path[4];
        for (int i = 0; i < reports.length; i++) {
            reports[i] = Files.createFile(folder.resolve("report" + i));
        }
        ChildJvm.exec("mkfifo", fifo, read).end().exits(0);
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socket);
        try (Running reader = ChildJvm.exec("sh", "-c", "exec 3<>'" + read + "'; exec sleep 300");
                ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        .bind(address, 1);
                SocketChannel first = SocketChannel.open(address);
                SocketChannel second = SocketChannel.open(address)) {
            reader.await("a reader",
                    () -> Files.exists(Path.of("/proc/" + reader.process().pid() + "/fd/3")));
            List<String> options = List.of("log=" + fifo + ",report=" + reports[0],
                    "do=status,report=" + fifo, "do=status,report=" + folder,
                    "log=" + read + ",report=" + reports[1],
                    "do=sample,period=100,channel=" + socket + ",report=" + reports[2],
                    "log=/dev/null,report=" + reports[3]);
            Result result = ChildJvm.of(TestJdk.newest()).withNativeAccess().run(Requests.class,
                    CLibrary.assume("parity_helper"), Product.LIBRARY, options);
            assertThat(result.all("answered")).as(result.toString()).hasSize(options.size())
                    .containsOnly("true");
            assertThat(List.of(server.isOpen(), first.isConnected(), second.isConnected()))
                    .containsOnly(true);
            assertThat(result.errLines())
                    .as("of reports that cannot be written the program's stderr says nothing").isEmpty();
        }
        assertThat(reports[0]).content().startsWith("error: cannot write the log '" + fifo + "': a pipe")
                .contains("name a file");
        assertThat(reports[1]).as("with a reader").content()
                .startsWith("error: cannot write the log '" + read + "': a pipe");
        assertThat(reports[2]).content().startsWith("error: the connection queue of '" + socket + "' is full")
                .contains("try again");
        assertThat(reports[3]).as("a device").content().startsWith("ok\n");
    }
}
