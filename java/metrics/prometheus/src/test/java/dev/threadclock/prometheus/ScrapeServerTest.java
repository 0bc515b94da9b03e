// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.Accounts;
import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuGroup.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ScrapeServerTest {
    private static final int CROWD = 100;
    private static final String GET = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private volatile RuntimeException failure;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile CpuAccount account = Accounts.of(0, 0, Accounts.group(Kind.JAVA, "main", 1, 1, 1));
    private ScrapeServer server;

    private final class Source extends ProcessAccount {
        @Override
        CpuAccount read() {
            await(gate);
            if (failure != null) {
                throw failure;
            }
            return account;
        }

        @Override
        String version() {
            return "1";
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void open() throws IOException {
        server = new ScrapeServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Source());
    }

    @AfterEach
    void close() {
        server.close();
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), server.port());
    }

    private byte[] exchange(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return all(socket.getInputStream());
        }
    }

    private static byte[] all(InputStream in) throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] some = new byte[8192];
        for (int length; (length = in.read(some)) > 0;) {
            read.write(some, 0, length);
        }
        return read.toByteArray();
    }

    private String answer(String request) throws IOException {
        return new String(exchange(request), StandardCharsets.UTF_8);
    }

    private static String body(String answer) {
        return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    /** About 20 MB, which no socket buffers. */
    private void grow() {
        String name = String.join("", Collections.nCopies(Exposition.MAX_LABEL, "\0"));
        account = Accounts.of(0, 0,
                Collections.nCopies(4_000, Accounts.group(Kind.JAVA, name, 1, 1, 1))
                        .toArray(new CpuGroup[0]));
    }

    @Test
    void itServesMetrics() throws IOException {
        String answer = answer(GET);
        assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").contains("\r\nConnection: close\r\n",
                "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n",
                "\r\nContent-Length: " + body(answer).length() + "\r\n");
        assertThat(body(answer)).contains("threadclock_threads{kind=\"java\",group=\"main\"} 3\n");
        assertThat(answer("GET /metrics?a=b HTTP/1.0\n\n")).startsWith("HTTP/1.1 200 ");
        String open = answer("GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text\r\n\r\n");
        assertThat(open)
                .contains("\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n")
                .endsWith("# EOF\n");
    }

    @Test
    void gzipIsTheSame() throws IOException {
        byte[] answer = exchange("GET /metrics HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n");
        String head = new String(answer, StandardCharsets.ISO_8859_1);
        int start = head.length() - body(head).length();
        assertThat(head.substring(0, start)).contains("\r\nContent-Encoding: gzip\r\n",
                "\r\nContent-Length: " + (answer.length - start) + "\r\n");
        byte[] unzipped = all(new GZIPInputStream(
                new ByteArrayInputStream(Arrays.copyOfRange(answer, start, answer.length))));
        assertThat(new String(unzipped, StandardCharsets.UTF_8)).isEqualTo(body(answer(GET)));
    }

    @Test
    void headHasTheLengthAndNoBody() throws IOException {
        assertThat(answer(GET.replace("GET", "HEAD"))).endsWith("\r\n\r\n")
                .contains("\r\nContent-Length: " + body(answer(GET)).length() + "\r\n");
        assertThat(answer("HEAD /x HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404 ").endsWith("\r\n\r\n");
    }

    @Test
    void theRestIsRefusedWithAHint() throws IOException {
        assertThat(answer("GET / HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404 ")
                .endsWith("The metrics are at /metrics\n");
        assertThat(answer("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\na=b"))
                .startsWith("HTTP/1.1 405 ").contains("\r\nAllow: GET, HEAD\r\n");
        assertThat(answer("hello\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(answer("\u0016\u0003\u0001")).as("TLS, and the client waits").startsWith("HTTP/1.1 400 ");
        assertThat(answer("GET /metrics HTTP/1.1\r\nX: "
                + String.join("", Collections.nCopies(Client.MAX_HEAD_BYTES, "x"))))
                .startsWith("HTTP/1.1 431 ");
        failure = new IllegalStateException("no /proc");
        assertThat(answer(GET)).startsWith("HTTP/1.1 503 ").contains("no /proc");
        failure = new ArithmeticException("a bug");
        assertThat(exchange(GET)).isEmpty();
        failure = null;
        assertThat(answer(GET)).as("the next one").startsWith("HTTP/1.1 200 ");
    }

    /** A web page whose name suddenly leads to this machine would be asking under its own name. */
    @Test
    void onLoopbackNamesAreRefused() throws IOException {
        String request = GET.replace("localhost", "page.example");
        assertThat(answer(request)).startsWith("HTTP/1.1 403 ").contains("localhost")
                .doesNotContain("threadclock");
        server.close();
        server = new ScrapeServer(new InetSocketAddress(0), new Source());
        assertThat(answer(request)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aRequestMayComeByteByByte() throws IOException {
        try (Socket socket = connect()) {
            socket.setTcpNoDelay(true);
            for (byte each : GET.getBytes(StandardCharsets.US_ASCII)) {
                socket.getOutputStream().write(each);
                assertThat(answer("GET / HTTP/1.1\r\n\r\n")).as("others meanwhile").contains(" 404 ");
            }
            assertThat(new String(all(socket.getInputStream()), StandardCharsets.UTF_8)).contains(" 200 ");
        }
    }

    @Test
    void thoseWhoSayNothingAreSentAwayAndBlockNobody() throws IOException {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < CROWD; i++) {
                silent.add(connect());
            }
            assertThat(answer(GET)).contains(" 200 ");
            for (Socket socket : silent) {
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void thoseWhoHaveTheirAnswerAreSentAwayFirst() throws IOException {
        List<Socket> clients = new ArrayList<>();
        try {
            while (clients.size() < ScrapeServer.MAX_CLIENTS - 1) {
                clients.add(connect());
                clients.get(clients.size() - 1).getOutputStream()
                        .write(GET.getBytes(StandardCharsets.US_ASCII));
            }
            Socket slow = connect();
            clients.add(slow);
            assertThat(answer(GET)).contains(" 200 ");
            slow.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(all(slow.getInputStream()), StandardCharsets.UTF_8)).contains(" 200 ");
            assertThat(new String(all(clients.get(0).getInputStream()), StandardCharsets.UTF_8))
                    .as("answered all the same").endsWith("} 1\n");
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void nobodyIsSentAwayBecauseAnothersAnswerTookLong() throws Exception {
        List<Socket> clients = new ArrayList<>();
        gate = new CountDownLatch(1);
        try {
            while (clients.size() < ScrapeServer.MAX_CLIENTS) {
                clients.add(connect());
            }
            Socket late = clients.get(ScrapeServer.MAX_CLIENTS - 2);
            Socket last = clients.get(ScrapeServer.MAX_CLIENTS - 1);
            last.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
            Thread.sleep(300);
            late.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
            Thread.sleep(300);
            gate.countDown();
            assertThat(new String(all(late.getInputStream()), StandardCharsets.UTF_8)).contains(" 200 ");
        } finally {
            gate.countDown();
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void thoseWhoDoNotReadAreSentAwayAndBlockNobody() throws IOException {
        CpuAccount small = account;
        grow();
        try (Socket slow = connect()) {
            slow.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
            assertThat(slow.getInputStream().read()).isEqualTo('H');
            account = small;
            long began = System.nanoTime();
            do {
                assertThat(answer(GET)).contains(" 200 ");
            } while (System.nanoTime() - began < 8_000_000_000L);
            account = Accounts.of(0, 0);
            assertThat(readToTheEnd(slow)).as("cut short").isLessThan(20_000_000);
        }
    }

    private static long readToTheEnd(Socket socket) {
        try {
            return all(socket.getInputStream()).length;
        } catch (IOException e) {
            return 0; // reset
        }
    }

    @Test
    void largeMetricsArriveWhole() throws IOException {
        grow();
        String answer = answer(GET);
        assertThat(body(answer)).endsWith("} 1\n");
        assertThat(answer).contains("\r\nContent-Length: " + body(answer).length() + "\r\n");
    }

    @Test
    void aHundredAtOnceAreAllServed() throws Exception {
        ExecutorService crowd = Executors.newFixedThreadPool(CROWD);
        try {
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < CROWD; i++) {
                answers.add(crowd.submit(() -> answer(GET)));
            }
            for (Future<String> answer : answers) {
                assertThat(answer.get()).startsWith("HTTP/1.1 200 ");
            }
        } finally {
            crowd.shutdownNow();
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().startsWith("threadclock"))
                .singleElement().satisfies(thread -> {
                    assertThat(thread.getName()).isEqualTo("threadclock-prometheus");
                    assertThat(thread.isDaemon()).isTrue();
                    assertThat(thread.getContextClassLoader()).isNull();
                });
    }

    @Test
    void anInterruptEndsNothing() throws IOException {
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("threadclock-prometheus"))
                .forEach(Thread::interrupt);
        assertThat(answer(GET)).contains(" 200 ");
    }

    @Test
    void closingFreesThePort() throws IOException {
        int port = server.port();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        assertThatThrownBy(() -> new ScrapeServer(address, new Source())).isInstanceOf(BindException.class);
        try (Socket open = connect()) {
            server.close();
            assertThat(server.isOpen()).isFalse();
            server = new ScrapeServer(address, new Source());
            assertThat(answer(GET)).contains(" 200 ");
        }
    }
}
