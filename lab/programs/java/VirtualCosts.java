// SPDX-License-Identifier: Apache-2.0

import com.sun.net.httpserver.HttpServer;
import dev.threadclock.CpuTimes;
import dev.threadclock.Freshness;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import dev.threadclock.VirtualThreads;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * How accurate the CPU time of virtual threads is, and what its accounting costs; from JDK 21 on. One round
 * of each; the lab repeats them.
 *
 * <p>"right MILLISECONDS" prints for each clock and length of a slice "sum", the clock, microseconds of a
 * slice, the CPU time of the virtual threads and that of their carriers; for each number of burners
 * "mounted", that number, the CPU time of two virtual threads at work, and the time for which they were
 * mounted; then "platform" and the CPU time of the same work on a virtual and on a platform thread.
 *
 * <p>"cost LIBRARY" prints "cost", what, the way of accounting, and nanoseconds of the process's CPU time
 * for one. LIBRARY is that of switch_events.c. Start it with one carrier and a heap that does not grow. The
 * requests of "request" come from this process, so their cost includes the client's.
 */
public final class VirtualCosts {
    private static final long[] SLICE_MICROS = {2_000, 1_000, 100, 10};
    private static final int[] BURNERS = {0, 1, 2, 4};
    private static final int CARRIERS = Runtime.getRuntime().availableProcessors();
    /** More than carriers, because an idle carrier looks for work, which is no virtual thread's time. */
    private static final int YIELDING = 4 * CARRIERS;
    private static final int PIECE = 10_000_000;
    private static final int CONNECTIONS = 16;
    private static final int WARM_UPS = 8;

    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        if (args[0].equals("right")) {
            right(Long.parseLong(args[1]) * 1_000_000);
        } else {
            System.load(Path.of(args[1]).toAbsolutePath().toString());
            cost("yield", 40_000,
                    () -> run(2, () -> IntStream.range(0, 20_000).forEach(i -> Thread.yield())));
            cost("start", 20_000, () -> {
                CountDownLatch ended = new CountDownLatch(20_000);
                for (int i = 0; i < 20_000; i++) {
                    Thread.startVirtualThread(ended::countDown);
                }
                ended.await();
            });
            requests();
        }
    }

    private static void right(long nanos) throws InterruptedException {
        for (Freshness clock : Freshness.values()) {
            VirtualThreads.Accounting accounting = VirtualThreads.startAccounting(clock);
            slices(SLICE_MICROS[0] * 1_000, nanos / 4); // compiles it
            for (long micros : SLICE_MICROS) {
                long[] taken = slices(micros * 1_000, nanos);
                say("sum", clock.name().toLowerCase(), micros, taken[0], taken[1]);
            }
            accounting.close();
        }
        VirtualThreads.Accounting accounting = VirtualThreads.startAccounting();
        for (int burners : BURNERS) {
            long[] taken = besideBurners(burners, nanos);
            say("mounted", burners, taken[0], taken[1]);
        }
        work();
        AtomicLong virtual = new AtomicLong();
        run(1, () -> virtual.set(work()));
        say("platform", virtual, work());
        accounting.close();
    }

    /** Virtual threads that yield after each slice: their CPU time, and that of their carriers. */
    private static long[] slices(long sliceNanos, long runNanos) throws InterruptedException {
        AtomicLong cpu = new AtomicLong();
        long before = carriersTotal();
        long began = System.nanoTime();
        run(YIELDING, () -> {
            while (System.nanoTime() - began < runNanos) {
                burn(sliceNanos);
                Thread.yield();
            }
            cpu.addAndGet(ownTotal());
        });
        return new long[]{cpu.get(), carriersTotal() - before};
    }

    /** Two virtual threads that wait after each piece of work, beside platform threads that burn. */
    private static long[] besideBurners(int burners, long runNanos) throws InterruptedException {
        long end = System.nanoTime() + runNanos;
        List<Thread> burning = new ArrayList<>();
        for (int i = 0; i < burners; i++) {
            burning.add(Thread.ofPlatform().start(() -> burn(end - System.nanoTime())));
        }
        AtomicLong cpu = new AtomicLong();
        AtomicLong mounted = new AtomicLong();
        run(2, () -> {
            long sum = 0;
            while (System.nanoTime() - end < 0) {
                long began = System.nanoTime();
                spin(PIECE);
                sum += System.nanoTime() - began;
                LockSupport.parkNanos(1_000_000);
            }
            cpu.addAndGet(ownTotal());
            mounted.addAndGet(sum);
        });
        for (Thread thread : burning) {
            thread.join();
        }
        return new long[]{cpu.get(), mounted.get()};
    }

    /** The CPU time of 200 pieces of work, without the waits between them. */
    private static long work() {
        long sum = 0;
        for (int piece = 0; piece < 200; piece++) {
            long before = ThreadClock.totalNowNanos();
            spin(1_000_000);
            sum += ThreadClock.totalNowNanos() - before;
            LockSupport.parkNanos(10_000);
        }
        return sum;
    }

    private interface Work {
        void run() throws Exception;
    }

    /** What happens at a switch: nothing, an event that is ignored, or a read of a clock. */
    private enum Way {
        NOTHING, IGNORED, INTERPOLATED, TICK, NOW;

        private VirtualThreads.Accounting accounting;

        void begin() {
            if (this == IGNORED && !setEvents(true)) {
                throw new IllegalStateException("this JVM does not report switches");
            }
            if (compareTo(IGNORED) > 0) {
                accounting = VirtualThreads.startAccounting(Freshness.valueOf(name()));
            }
        }

        void end() {
            if (this == IGNORED) {
                setEvents(false);
            }
            if (accounting != null) {
                accounting.close();
            }
        }
    }

    /** Implemented in switch_events.c. */
    private static native boolean setEvents(boolean on);

    private static void cost(String what, int operations, Work work) throws Exception {
        for (Way way : Way.values()) {
            way.begin();
            for (int i = 0; i < WARM_UPS; i++) { // switching has cost the JVM some of its compiled code
                work.run();
            }
            long before = processTotal();
            work.run();
            say("cost", what, way.name().toLowerCase(), (double) (processTotal() - before) / operations);
            way.end();
        }
    }

    private static void requests() throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // else some JDKs answer 25 times a second
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        byte[] answer = "hello".repeat(100).getBytes(StandardCharsets.US_ASCII);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        cost("request", 4_000, () -> request(server.getAddress().getPort(), 4_000, answer.length));
        server.stop(0);
    }

    /** Many connections at a time: with one, both sides would wait for each other after each request. */
    private static void request(int port, int requests, int length) throws Exception {
        byte[] request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            sockets.add(new Socket("127.0.0.1", port));
            sockets.get(i).setTcpNoDelay(true);
        }
        for (int i = 0; i < requests / CONNECTIONS; i++) {
            for (Socket socket : sockets) {
                socket.getOutputStream().write(request);
            }
            for (Socket socket : sockets) {
                readAnswer(socket.getInputStream(), length);
            }
        }
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static void readAnswer(InputStream in, int length) throws IOException {
        byte[] buffer = new byte[8192];
        String head = "";
        for (int end = -1; end < 0 || head.length() < end + 4 + length; end = head.indexOf("\r\n\r\n")) {
            int count = in.read(buffer);
            if (count < 0) {
                throw new IOException("the server closed the connection");
            }
            head += new String(buffer, 0, count, StandardCharsets.US_ASCII);
        }
    }

    private static void run(int count, Runnable body) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(Thread.startVirtualThread(body));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static long ownTotal() {
        CpuTimes times = new CpuTimes();
        if (!ThreadClock.readNow(times)) {
            throw new IllegalStateException("a virtual thread has no time");
        }
        return times.totalNanos();
    }

    private static long processTotal() {
        CpuTimes times = new CpuTimes();
        ThreadClock.readProcess(times);
        return times.totalNanos();
    }

    private static long carriersTotal() {
        ThreadTimes times = new ThreadTimes();
        times.read();
        return IntStream.range(0, times.size()).filter(i -> times.name(i).startsWith("ForkJoinPool-1-worker"))
                .mapToLong(times::totalNanos).sum();
    }

    private static void spin(int rounds) {
        long x = sink;
        for (int i = 0; i < rounds; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
    }

    private static void burn(long nanos) {
        for (long began = System.nanoTime(); System.nanoTime() - began < nanos;) {
            sink++;
        }
    }

    private static void say(Object... words) {
        System.out.println(String.join(" ", List.of(words).stream().map(String::valueOf).toList()));
    }
}
