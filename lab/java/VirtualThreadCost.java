// SPDX-License-Identifier: Apache-2.0

import com.sun.net.httpserver.HttpServer;
import dev.threadclock.CpuTimes;
import dev.threadclock.Freshness;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import dev.threadclock.command.probe.VirtualLoads;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How accurate the CPU time of virtual threads is, compared with the time for which they are mounted, and the
 * cost of its accounting.
 *
 * <p>How to run (JDK 21 or later), on a quiet machine: {@code java -cp dist/threadclock.jar
 * lab/java/VirtualThreadCost.java right}; for the cost, {@code cost} or {@code http}, then the path of {@code
 * libswitch_events.so} (made by lab/cpp), and {@code -Djdk.virtualThreadScheduler.parallelism=1
 * -Djdk.virtualThreadScheduler.maxPoolSize=1 -Xms1g -Xmx1g -XX:+AlwaysPreTouch}
 */
public final class VirtualThreadCost {
    private static final long SECOND = 1_000_000_000;
    private static final int ROUNDS = 7;
    private static final int CONNECTIONS = 16;

    public static void main(String[] args) throws Exception {
        System.out.println("JDK " + System.getProperty("java.version"));
        if (args[0].equals("right")) {
            sums();
            oneThread();
            mounted();
        } else if (args[0].equals("http")) {
            System.load(Path.of(args[1]).toAbsolutePath().toString());
            server();
        } else {
            System.load(Path.of(args[1]).toAbsolutePath().toString());
            yields();
            starts();
            memory();
        }
    }

    private static void run(List<Runnable> bodies) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        bodies.forEach(body -> threads.add(Thread.startVirtualThread(body)));
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static List<Runnable> times(int count, Runnable body) {
        List<Runnable> bodies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            bodies.add(body);
        }
        return bodies;
    }

    private static void sums() throws InterruptedException {
        System.out.println(
                "\nThe sum over " + VirtualLoads.yielding() + " virtual threads that yield after each"
                        + " slice, as a share of their carriers' CPU time");
        for (Freshness clock : Freshness.values()) {
            VirtualThreads.startAccounting(clock);
            VirtualLoads.slices(SECOND / 1_000, SECOND / 2);
            StringBuilder line = new StringBuilder(String.format("  %-13s", clock.name().toLowerCase()));
            for (long micros : VirtualLoads.SLICE_MICROS) {
                VirtualLoads.Taken taken = VirtualLoads.slices(micros * 1_000, 2 * SECOND);
                double percent = 100.0 * taken.cpuNanos() / taken.carriersNanos();
                line.append(String.format("%8.2f %% at %4d us", percent, micros));
            }
            System.out.println(line);
            VirtualThreads.stopAccounting();
        }
    }

    /** The same work on a platform thread and on a virtual one, both of which block after each piece. */
    private static void oneThread() throws InterruptedException {
        VirtualThreads.startAccounting();
        double[] ratios = new double[ROUNDS];
        for (int round = -1; round < ROUNDS; round++) { // round -1 compiles the work
            AtomicLong virtual = new AtomicLong();
            run(List.of(() -> virtual.set(work())));
            ratios[Math.max(round, 0)] = (double) virtual.get() / work();
        }
        System.out.printf(
                "%nThe same work, with a wait after each millisecond, on a virtual thread: %.3f x the CPU"
                        + " time that it takes on a platform thread (median of %d)%n",
                median(ratios), ROUNDS);
        VirtualThreads.stopAccounting();
    }

    /** The CPU time of 200 pieces of work, without the waits between them. */
    private static long work() {
        long sum = 0;
        for (int piece = 0; piece < 200; piece++) {
            long before = ThreadClock.totalNowNanos();
            VirtualLoads.spin(1_000_000);
            sum += ThreadClock.totalNowNanos() - before;
            LockSupport.parkNanos(10_000);
        }
        return sum;
    }

    private static void mounted() throws InterruptedException {
        int cpus = Runtime.getRuntime().availableProcessors();
        System.out.printf("%nTwo virtual threads at work, on %d CPUs, beside threads that burn: the time for"
                + " which they are mounted, as a multiple of their CPU time%n", cpus);
        VirtualThreads.startAccounting();
        for (int burners : VirtualLoads.BURNERS) {
            VirtualLoads.Taken taken = VirtualLoads.besideBurners(burners, 3 * SECOND);
            System.out.printf("  %d burners: CPU %6.0f ms, mounted %6.0f ms: %.2f x%n", burners,
                    taken.cpuNanos() / 1e6, taken.elapsedNanos() / 1e6,
                    (double) taken.elapsedNanos() / taken.cpuNanos());
        }
        VirtualThreads.stopAccounting();
    }

    private interface Work {
        void run() throws Exception;
    }

    /** What happens at a switch: nothing, an event that is ignored, or a read of a clock. */
    private enum Switches {
        NOTHING, IGNORED, INTERPOLATED, TICK, NOW;

        void begin() {
            if (this == IGNORED && !setEvents(true)) {
                throw new IllegalStateException("this JVM does not report switches");
            }
            if (compareTo(IGNORED) > 0) {
                VirtualThreads.startAccounting(Freshness.valueOf(name()));
            }
        }

        void end() {
            if (this == IGNORED) {
                setEvents(false);
            }
            VirtualThreads.stopAccounting();
        }
    }

    /** Implemented in lab/cpp/switch_events.c. */
    private static native boolean setEvents(boolean on);

    /** Prints the process's CPU nanoseconds per operation; the ways take turns. */
    private static void compare(String what, int operations, int warmUps, Work work) throws Exception {
        Switches[] all = Switches.values();
        double[][] nanos = new double[all.length][ROUNDS];
        for (int round = -2; round < ROUNDS; round++) {
            for (Switches switches : all) {
                switches.begin();
                for (int i = 0; i < warmUps; i++) { // switching has cost the JVM some of its compiled code
                    work.run();
                }
                long before = processTotal();
                work.run();
                nanos[switches.ordinal()][Math.max(round, 0)] = (double) (processTotal() - before)
                        / operations;
                switches.end();
            }
        }
        double nothing = median(nanos[0]);
        System.out.printf("  %-28s %6.0f ns of CPU time without; events ignored %.0f (%.2f x)%n", what,
                nothing, median(nanos[1]), median(nanos[1]) / nothing);
        System.out.printf("  %-28s ", "");
        for (Switches clock : List.of(Switches.INTERPOLATED, Switches.TICK, Switches.NOW)) {
            double on = median(nanos[clock.ordinal()]);
            System.out.printf("%s%s %.0f (%.2f x)", clock == Switches.INTERPOLATED ? "" : ", ",
                    clock.name().toLowerCase(), on, on / nothing);
        }
        System.out.println();
    }

    private static long processTotal() {
        CpuTimes times = new CpuTimes();
        ThreadClock.readProcess(times);
        return times.totalNanos();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void yields() throws Exception {
        System.out.println("\nCost, one carrier");
        int yields = 200_000;
        Work work = () -> run(times(2, () -> {
            for (int i = 0; i < yields; i++) {
                Thread.yield();
            }
        }));
        double[] nanos = new double[ROUNDS];
        for (int round = -2; round < ROUNDS; round++) {
            long before = processTotal();
            work.run();
            nanos[Math.max(round, 0)] = (double) (processTotal() - before) / (2 * yields);
        }
        System.out.printf("  %-28s %6.0f ns of CPU time before accounting was on for the first time%n",
                "a yield, two threads", median(nanos));
        compare("the same afterwards", 2 * yields, 5, work);
    }

    private static void starts() throws Exception {
        int threads = 50_000;
        compare("a thread's start and end", threads, 5, () -> {
            CountDownLatch ended = new CountDownLatch(threads);
            for (int i = 0; i < threads; i++) {
                Thread.startVirtualThread(ended::countDown);
            }
            ended.await();
        });
    }

    private static void memory() throws Exception {
        int threads = 100_000;
        parked(threads); // by then the stacks that the collector has to move have their size
        long without = parked(threads);
        VirtualThreads.startAccounting();
        long with = parked(threads);
        VirtualThreads.stopAccounting();
        System.out.printf("  memory outside the heap of a parked thread: %d bytes more than without%n",
                (with - without) / threads);
    }

    private static long parked(int count) throws Exception {
        CountDownLatch parked = new CountDownLatch(count);
        List<Thread> threads = new ArrayList<>();
        long before = residentBytes();
        for (int i = 0; i < count; i++) {
            threads.add(Thread.startVirtualThread(() -> {
                parked.countDown();
                LockSupport.park();
            }));
        }
        parked.await();
        long used = residentBytes() - before;
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            thread.join();
        }
        return used;
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("no VmRSS in /proc/self/status");
    }

    private static void server() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        byte[] answer = "hello".repeat(100).getBytes(StandardCharsets.US_ASCII);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        int requests = 4_000;
        compare("an HTTP request", requests, 12, () -> request(server.getAddress().getPort(), requests));
        server.stop(0);
    }

    /** Uses many connections at a time: with one, both sides would wait for each other after each request. */
    private static void request(int port, int requests) throws Exception {
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
                readAnswer(socket.getInputStream());
            }
        }
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static void readAnswer(InputStream in) throws IOException {
        byte[] buffer = new byte[8192];
        String head = "";
        for (int end = -1; end < 0 || head.length() < end + 4 + 500; end = head.indexOf("\r\n\r\n")) {
            int count = in.read(buffer);
            if (count < 0) {
                throw new IOException("the server closed the connection");
            }
            head += new String(buffer, 0, count, StandardCharsets.US_ASCII);
        }
    }
}
