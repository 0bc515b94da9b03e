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
import org.junit.jupiter.api.io.TempDir;

/** The agent refuses requests that could block the JVM, which has a single attach listener thread. */
class RequestsTest {
    @TempDir
    Path folder;

    private Result requests(TestJdk jdk, String... options) {
        Result result = ChildJvm.of(jdk).withNativeAccess().run(Requests.class,
                CLibrary.assume("parity_helper"),
                Product.LIBRARY, options);
        assertThat(result.all("answered")).as(result.toString()).hasSize(options.length).containsOnly("true");
        return result;
    }

    /** What the agent reports on a request. */
    private String report(TestJdk jdk, String options) throws IOException {
        Path report = Files.createTempFile(folder, "report", "");
        requests(jdk, options + ",report=" + report);
        return Files.readString(report);
    }

    private Path fifo() {
        Path fifo = folder.resolve("fifo");
        ChildJvm.exec("mkfifo", fifo).end().exits(0);
        return fifo;
    }

    @OnEachJdk
    void aFifoIsRefusedAsLogAndReport(TestJdk jdk) throws IOException {
        Path fifo = fifo();
        Path report = Files.createTempFile(folder, "report", "");
        Result result = requests(jdk, "log=" + fifo + ",report=" + report, "do=status,report=" + fifo,
                "do=status,report=" + folder);
        assertThat(report).content().startsWith("error: cannot write the log '" + fifo + "': a pipe")
                .contains("name a file");
        assertThat(result.errLines())
                .as("of reports that cannot be written the program's stderr says nothing").isEmpty();
    }

    @OnEachJdk
    void aFifoWithAReaderIsRefusedAsWell(TestJdk jdk) throws IOException {
        Path fifo = fifo();
        Running reader = ChildJvm.exec("sh", "-c", "exec 3<>'" + fifo + "'; exec sleep 60");
        try {
            assertThat(report(jdk, "log=" + fifo))
                    .startsWith("error: cannot write the log '" + fifo + "': a pipe");
        } finally {
            reader.kill();
        }
    }

    @OnEachJdk
    void aDeviceMayBeALog(TestJdk jdk) throws IOException {
        assertThat(report(jdk, "log=/dev/null")).startsWith("ok\n");
    }

    @OnEachJdk
    void aListenerThatDoesNotAcceptIsNotWaitedFor(TestJdk jdk) throws IOException {
        Path path = folder.resolve("socket");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address,
                1);
                SocketChannel first = SocketChannel.open(address);
                SocketChannel second = SocketChannel.open(address)) {
            assertThat(List.of(server.isOpen(), first.isConnected(), second.isConnected()))
                    .containsOnly(true);
            assertThat(report(jdk, "do=sample,period=100,channel=" + path))
                    .startsWith("error: the connection queue of '" + path + "' is full")
                    .contains("try again");
        }
    }
}
