// SPDX-License-Identifier: Apache-2.0

import com.sun.management.ThreadMXBean;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.threadclock.CpuMeter;
import dev.threadclock.CpuScopes;
import dev.threadclock.Freshness;
import dev.threadclock.micrometer.CpuObservationHandler;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongUnaryOperator;
import java.util.function.ToDoubleFunction;

/**
 * The cost of measuring the CPU time of every request of an HTTP server: CPU time and heap per request in the
 * server's threads, and throughput. The baseline is the same server with Micrometer's observations but
 * without CPU time. The ways take turns in one JVM, forwards and then backwards (ABBA), so that slow changes
 * of the machine cancel out.
 *
 * <p>How to run: {@code java --enable-native-access=ALL-UNNAMED -cp
 * 'dist/threadclock.jar:metrics/micrometer/target/*:build/examples/web/*' lab/java/HttpMetered.java}, after
 * {@code examples/web/run}, which gets these jars
 */
public final class HttpMetered {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int CONNECTIONS = 8;
    private static final int SERVER_THREADS = 2;
    private static final int ROUNDS = 60;
    private static final int WARM_UPS = 20;
    /** The two-sided 95 % quantile of Student's t with ROUNDS - 1 degrees of freedom. */
    private static final double STUDENT = 2.001;
    private static final byte[] ANSWER = "hello".repeat(100).getBytes(StandardCharsets.US_ASCII);

    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final ObservationRegistry plain = ObservationRegistry.create();
    private final ObservationRegistry withCpu = ObservationRegistry.create();
    private final Set<Thread> server = ConcurrentHashMap.newKeySet();
    private final ThreadLocal<CpuMeter> meter = ThreadLocal
            .withInitial(() -> new CpuMeter(Freshness.NOW, null));
    private volatile Way way = Way.OBSERVED;
    private volatile int loops;
    private volatile double result;

    /** The first way is the baseline. */
    private enum Way {
        OBSERVED("observation"), HANDLER("with CpuObservationHandler"), SCOPES("with bare CpuScopes"),
        METER("with bare CpuMeter, NOW"), NOTHING("no observation");

        private final String title;

        Way(String title) {
            this.title = title;
        }
    }

    /** Means per request. */
    private record Block(double cpuNanos, double elapsedNanos, double heapBytes) {
        Block plus(Block other) {
            return new Block(cpuNanos + other.cpuNanos, elapsedNanos + other.elapsedNanos,
                    heapBytes + other.heapBytes);
        }
    }

    private HttpMetered() {
        plain.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        withCpu.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters))
                .observationHandler(new CpuObservationHandler(meters));
    }

    public static void main(String[] args) throws Exception {
        new HttpMetered().run();
    }

    private void run() throws Exception {
        System.out.printf("JDK's HttpServer with %d threads and %d connections; JDK %s%n", SERVER_THREADS,
                CONNECTIONS, System.getProperty("java.version"));
        System.out.printf("CPU time and heap: of the server's threads. Means of %d rounds, +- 95 %%.%n",
                ROUNDS);
        ExecutorService pool = Executors.newFixedThreadPool(SERVER_THREADS, work -> {
            Thread thread = new Thread(work);
            server.add(thread);
            return thread;
        });
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(pool);
        http.createContext("/", this::handle);
        http.start();
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            sockets.add(new Socket(http.getAddress().getAddress(), http.getAddress().getPort()));
            sockets.get(i).setTcpNoDelay(true);
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("HTTP-Dispatcher")) {
                server.add(thread);
            }
        }
        double nanosPerLoop = loopNanos();
        compare("that does nothing", sockets, 0, 800);
        compare("with 0.2 ms of work", sockets, (int) (200_000 / nanosPerLoop), 160);
        compare("with 1 ms of work", sockets, (int) (1_000_000 / nanosPerLoop), 40);
        for (Socket socket : sockets) {
            socket.close();
        }
        http.stop(0);
        pool.shutdown();
    }

    private void handle(HttpExchange exchange) {
        switch (way) {
            case NOTHING -> answer(exchange);
            case OBSERVED -> observation(plain).observe(() -> answer(exchange));
            case HANDLER -> observation(withCpu).observe(() -> answer(exchange));
            case SCOPES -> observation(plain).observe(() -> {
                CpuScopes scopes = new CpuScopes();
                scopes.open();
                answer(exchange);
                scopes.close();
                scopes.end();
            });
            case METER -> observation(plain).observe(() -> {
                CpuMeter running = meter.get().start();
                answer(exchange);
                running.stop();
            });
        }
    }

    private static Observation observation(ObservationRegistry registry) {
        return Observation.createNotStarted("http.server.requests", registry)
                .lowCardinalityKeyValue("method", "GET").lowCardinalityKeyValue("uri", "/")
                .lowCardinalityKeyValue("status", "200");
    }

    private void answer(HttpExchange exchange) {
        work(loops);
        try (exchange) {
            exchange.sendResponseHeaders(200, ANSWER.length);
            exchange.getResponseBody().write(ANSWER);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same work for every request: it does not depend on a clock. */
    private void work(int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += Math.sqrt(i);
        }
        result = sum;
    }

    private double loopNanos() {
        int count = 1_000_000;
        double least = Double.MAX_VALUE;
        for (int i = 0; i < 50; i++) {
            long before = THREADS.getCurrentThreadCpuTime();
            work(count);
            least = Math.min(least, (double) (THREADS.getCurrentThreadCpuTime() - before) / count);
        }
        return least;
    }

    private void compare(String what, List<Socket> sockets, int count, int requests) throws Exception {
        loops = count;
        Way[] ways = Way.values();
        Block[][] blocks = new Block[ways.length][ROUNDS];
        for (int round = -WARM_UPS; round < ROUNDS; round++) {
            Block[] sums = new Block[ways.length];
            for (int turn = 0; turn < 2 * ways.length; turn++) {
                int index = turn < ways.length ? turn : 2 * ways.length - 1 - turn;
                Block block = block(ways[index], sockets, requests);
                sums[index] = sums[index] == null ? block : sums[index].plus(block);
            }
            for (int i = 0; i < ways.length && round >= 0; i++) {
                blocks[i][round] = sums[i];
            }
        }
        print(what, blocks);
    }

    private Block block(Way next, List<Socket> sockets, int requests) throws IOException {
        way = next;
        request(sockets, CONNECTIONS);
        long cpu = sum(THREADS::getThreadCpuTime);
        long heap = sum(THREADS::getThreadAllocatedBytes);
        long start = System.nanoTime();
        request(sockets, requests);
        double twice = 2.0 * requests; // two blocks make one value
        return new Block((sum(THREADS::getThreadCpuTime) - cpu) / twice,
                (System.nanoTime() - start) / twice, (sum(THREADS::getThreadAllocatedBytes) - heap) / twice);
    }

    private long sum(LongUnaryOperator quantity) {
        return server.stream().mapToLong(thread -> quantity.applyAsLong(thread.getId())).sum();
    }

    private static void print(String what, Block[][] blocks) {
        System.out.printf("%nA request %s%n%-28s  %9s  %17s  %17s  %10s  %20s%n", what, "", "CPU us",
                "more CPU, us", "more CPU, %", "heap bytes", "throughput, change");
        double baseline = mean(blocks[0], Block::cpuNanos) / 1e3;
        for (Way each : Way.values()) {
            Block[] mine = blocks[each.ordinal()];
            double[] more = new double[ROUNDS];
            double[] change = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++) {
                more[i] = (mine[i].cpuNanos - blocks[0][i].cpuNanos) / 1e3;
                change[i] = 100 * (blocks[0][i].elapsedNanos / mine[i].elapsedNanos - 1);
            }
            System.out.printf("%-28s  %9.2f", each.title, mean(mine, Block::cpuNanos) / 1e3);
            double heap = mean(mine, Block::heapBytes);
            if (each == Way.OBSERVED) {
                System.out.printf("  %17s  %17s  %,10.0f  %,17.0f /s%n", "", "", heap,
                        1e9 / mean(mine, Block::elapsedNanos));
            } else {
                System.out.printf("  %17s  %17s  %,10.0f  %20s%n", interval(more, 1, "%+.2f +- %.2f"),
                        interval(more, 100 / baseline, "%+.2f +- %.2f"), heap,
                        interval(change, 1, "%+.1f %% +- %.1f"));
            }
        }
    }

    private static double mean(Block[] blocks, ToDoubleFunction<Block> quantity) {
        return Arrays.stream(blocks).mapToDouble(quantity).average().orElseThrow();
    }

    private static String interval(double[] values, double scale, String format) {
        double mean = Arrays.stream(values).average().orElseThrow();
        double squares = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum();
        return String.format(format, scale * mean,
                scale * STUDENT * Math.sqrt(squares / (ROUNDS - 1) / ROUNDS));
    }

    /** Sends a request on each connection, then reads an answer from each: the server is always busy. */
    private static void request(List<Socket> sockets, int requests) throws IOException {
        byte[] request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < requests / CONNECTIONS; i++) {
            for (Socket socket : sockets) {
                socket.getOutputStream().write(request);
            }
            for (Socket socket : sockets) {
                readAnswer(socket.getInputStream());
            }
        }
    }

    private static void readAnswer(InputStream in) throws IOException {
        byte[] buffer = new byte[8192];
        int length = 0;
        while (true) {
            int count = in.read(buffer, length, buffer.length - length);
            if (count < 0) {
                throw new IOException("the server closed the connection");
            }
            length += count;
            int end = new String(buffer, 0, length, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n");
            if (end >= 0 && length >= end + 4 + ANSWER.length) {
                return;
            }
        }
    }
}
