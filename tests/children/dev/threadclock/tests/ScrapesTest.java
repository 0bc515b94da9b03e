// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.Load;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Twenty clients scrape at the same time, some slowly, some closing half-way, one with hostile requests.
 * Meanwhile threads and pools come and go, the endpoint moves, options change, and the agent is detached and
 * attached. Each complete answer is well-formed and adds up to the process's clock, and no counter decreases
 * as long as the agent is attached. {@code -Dthreadclock.scrapes.seconds=N}: for this long on each JDK;
 * ci/attack scrapes runs ten minutes.
 */
class ScrapesTest {
    private static final int SECONDS = Integer.getInteger("threadclock.scrapes.seconds", 4);
    private static final int CLIENTS = 20;
    private static final int PATIENCE_MILLIS = 10_000;
    /** An answer may be from a reading of that age, while the JVM uses each CPU. */
    private static final double REUSED_SECONDS = 0.11 * Runtime.getRuntime().availableProcessors();

    private enum Manner {
        PLAIN, SLOW, CLOSING, HOSTILE
    }

    @TempDir
    Path folder;

    private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong compared = new AtomicLong();
    private volatile boolean stop;
    private volatile int port;
    /** Changes when the agent is attached and before it is detached. */
    private volatile int span;

    @OnEachJdk
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void manyClientsGetRightAnswersWhileAllChanges(TestJdk jdk) throws Exception {
        List<String> load = new ArrayList<>(
                List.of("minutes=" + (SECONDS / 60 + 10), "starts=200", "passers=300", "sleepers=20"));
        if (jdk.feature() >= 21) {
            load.add("requests");
        }
        ChildJvm child = ChildJvm.of(jdk).withCrashes(folder).withNativeAccess().withDynamicAgents()
                .withinAtLeast(Duration.ofSeconds(SECONDS + 300));
        try (AttachJvm jvm = child.startTarget(Load.class, load.toArray())) {
            AttachChannel channel = new AttachChannel(jvm.process(), folder);
            long turns = 0;
            cycle(jdk, channel, 0); // loads what stays
            long files = files(jvm);
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                clients.add(new Thread(() -> scrape(jvm, number)));
            }
            clients.forEach(Thread::start);
            try {
                for (long began = System.nanoTime(); System.nanoTime() - began < SECONDS * 1_000_000_000L
                        && problems.isEmpty(); turns++) {
                    cycle(jdk, channel, 100 * (1 + turns % 8));
                }
            } finally {
                stop = true;
                for (Thread client : clients) {
                    client.join();
                }
            }
            ResultFile.line(jdk + ": " + turns + " spans, " + answers + " answers, of which " + compared
                    + " were compared with the one before");
            assertThat(ChildJvm.crash(folder)).isEmpty();
            assertThat(problems).as(jvm.said()).isEmpty();
            assertThat(compared.get()).isGreaterThan(CLIENTS);
            jvm.await("no more descriptors than before", () -> files(jvm) <= files);
            jvm.await("the end of the agent's threads", () -> !jvm.hasAgentsThread());
            assertThat(jvm.said()).isEmpty();
        }
    }

    private static long files(AttachJvm jvm) {
        return jvm.proc().resolve("fd").toFile().list().length;
    }

    /** Attaches, moves the endpoint to another port and back while other options change, and detaches. */
    private void cycle(TestJdk jdk, AttachChannel channel, long restMillis) throws IOException {
        int[] ports = {Host.namedPort(), Host.namedPort()};
        span++;
        for (int i = 0; i < 5; i++) {
            String options = "total=" + (i % 2 == 0 ? "now" : "tick")
                    + (jdk.feature() < 21 ? "" : ",virtual=" + (i < 3 ? "on" : "tick"));
            ask(channel, "do=attach,prometheus=" + ports[i / 2 % 2] + "," + options);
            port = ports[i / 2 % 2];
            AttachJvm.sleep(restMillis);
        }
        span++;
        port = 0;
        ask(channel, "do=detach");
        AttachJvm.sleep(restMillis / 4);
    }

    private static void ask(AttachChannel channel, String options) throws IOException {
        assertThat(channel.agent(Product.LIBRARY, options)).as(options).startsWith("ok\n");
    }

    private void scrape(AttachJvm jvm, int number) {
        Random random = new Random(number);
        Manner manner = number == 0 ? Manner.HOSTILE
                : number % 5 == 1 ? Manner.SLOW : number % 5 == 2 ? Manner.CLOSING : Manner.PLAIN;
        boolean open = number % 2 == 0;
        Map<String, BigDecimal> before = Map.of();
        int spanBefore = 0;
        while (!stop) {
            int at = port;
            int during = span;
            if (at == 0) {
                AttachJvm.sleep(5);
                continue;
            }
            try {
                double least = jvm.cpuSeconds() * 0.98 - 0.03 - REUSED_SECONDS;
                String text = answer(exchange(at, request(manner, open, random), manner, random));
                double most = jvm.cpuSeconds() * 1.02 + 0.03;
                if (text == null) {
                    continue;
                }
                assertThat(manner).isNotEqualTo(Manner.HOSTILE);
                assertThat(text.endsWith("\n# EOF\n")).isEqualTo(open);
                Scrape scrape = new Scrape(text);
                assertThat(scrape.sum(PrometheusTest.CPU, "")).isBetween(least, most);
                answers.incrementAndGet();
                Map<String, BigDecimal> samples = scrape.samples();
                boolean same = during == span && during == spanBefore;
                if (same) {
                    assertNothingDecreases(before, samples);
                    compared.incrementAndGet();
                }
                spanBefore = during == span ? during : 0;
                before = samples;
            } catch (IOException e) {
                // It was moved or detached meanwhile, or this client is too slow.
            } catch (Throwable e) {
                problems.add(e);
            }
            AttachJvm.sleep(random.nextInt(50));
        }
    }

    /** Except a pool's whose series has ended: its time has moved. */
    private static void assertNothingDecreases(Map<String, BigDecimal> before,
            Map<String, BigDecimal> samples) {
        before.forEach((name, value) -> {
            BigDecimal now = samples.get(name);
            if (!name.contains("_total") || now != null && now.compareTo(value) >= 0) {
                return;
            }
            String past = name.replaceFirst("group=\".*\"", "group=\"(past pools)\"");
            BigDecimal moved = samples.getOrDefault(past, BigDecimal.ZERO)
                    .subtract(before.getOrDefault(past, BigDecimal.ZERO));
            assertThat(name).as("%s, then %s; past pools grew by %s", value, now, moved)
                    .contains("kind=\"java\"").isNotEqualTo(past);
            assertThat(moved).as("%s: %s, then %s", name, value, now).isGreaterThanOrEqualTo(value);
        });
    }

    private static byte[] request(Manner manner, boolean open, Random random) {
        String accept = open ? "Accept: application/openmetrics-text; version=1.0.0\r\n" : "";
        byte[] request = ("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n" + accept + "\r\n").getBytes(UTF_8);
        if (manner == Manner.HOSTILE) {
            request = new byte[random.nextInt(20_000)];
            random.nextBytes(request);
            System.arraycopy("GET /".getBytes(UTF_8), 0, request, 0, Math.min(5 * random.nextInt(2),
                    request.length));
        }
        return request;
    }

    /** All that the server sends, or less. */
    private static byte[] exchange(int port, byte[] request, Manner manner, Random random)
            throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
            int half = manner == Manner.PLAIN ? request.length : request.length / 2;
            socket.getOutputStream().write(request, 0, half);
            AttachJvm.sleep(manner == Manner.PLAIN ? 0 : random.nextInt(100));
            if (manner == Manner.CLOSING && random.nextBoolean()) {
                return new byte[0];
            }
            socket.getOutputStream().write(request, half, request.length - half);
            InputStream in = socket.getInputStream();
            byte[] part = new byte[4096];
            for (int size; (size = in.read(part)) >= 0 && manner != Manner.CLOSING;) {
                answer.write(part, 0, size);
                AttachJvm.sleep(manner == Manner.SLOW ? random.nextInt(20) : 0);
            }
        }
        return answer.toByteArray();
    }

    /** The body of an answer that is complete; null: it is not, or says no. */
    private static String answer(byte[] bytes) {
        String[] parts = new String(bytes, UTF_8).split("\r\n\r\n", 2);
        if (parts.length < 2 || !parts[0].startsWith("HTTP/1.1 200 ")) {
            return null;
        }
        String size = parts[0].replaceFirst("(?s).*\r\nContent-Length: (\\d+).*", "$1");
        int missing = Integer.parseInt(size) - parts[1].getBytes(UTF_8).length;
        assertThat(missing).as(parts[0]).isNotNegative();
        return missing == 0 ? parts[1] : null;
    }
}
