// SPDX-License-Identifier: Apache-2.0

import com.sun.management.ThreadMXBean;
import dev.threadclock.CpuAccount;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * What one scrape of the agent's option prometheus= costs this JVM: the CPU time and the heap of the thread
 * threadclock-prometheus from accepting the connection to closing it. Arguments: the port, the number of
 * threads, of pools, and of threads that run between two scrapes. Prints for each encoding "scrape read", the
 * encoding, bytes of text, median microseconds of CPU time, bytes of heap, and series.
 */
public final class ScrapeCost {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 3_000;
    private static final int SCRAPES = 61;
    /** A reading of the account serves all requests within 100 ms. */
    private static final int AGED_MILLIS = 110;

    private static final class Jvm {
        private final int size;
        private final int pools;
        private final Semaphore turns = new Semaphore(0);
        private final Semaphore ran = new Semaphore(0);
        private final int active;

        /** Starts threads in pools. The first "active" of them run once per turn. */
        Jvm(int size, int pools, int active) throws InterruptedException {
            this.size = size;
            this.pools = pools;
            this.active = active;
            for (int i = 0; i < size; i++) {
                boolean runs = i < active;
                String pool = "" + (char) ('a' + i % pools % 26) + (char) ('a' + i % pools / 26);
                Thread thread = new Thread(() -> wait(runs), "pool-" + pool + "-thread-" + i);
                thread.setDaemon(true);
                thread.start();
            }
            turn();
        }

        private void wait(boolean runs) {
            try {
                while (runs) {
                    turns.acquire();
                    ran.release();
                    Thread.sleep(1); // so that no thread takes two turns
                }
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        void turn() throws InterruptedException {
            turns.release(active);
            ran.acquire(active);
        }
    }

    public static void main(String[] args) throws Exception {
        URL url = URI.create("http://127.0.0.1:" + args[0] + "/metrics").toURL();
        Jvm jvm = new Jvm(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]));
        for (int i = 0; i < WARM_UP; i++) {
            CpuAccount.read(Duration.ZERO);
            scrape(url, i % 2 == 0 ? "gzip" : "identity");
        }
        measure(url, jvm, "identity", SCRAPES);
        measure(url, jvm, "gzip", 1); // for its size
    }

    private static void measure(URL url, Jvm jvm, String encoding, int scrapes) throws Exception {
        long server = serverId(url);
        long[] nanos = new long[scrapes];
        long heap = THREADS.getThreadAllocatedBytes(server);
        byte[] text = {};
        for (int i = 0; i < scrapes; i++) {
            Thread.sleep(AGED_MILLIS);
            jvm.turn();
            long before = THREADS.getThreadCpuTime(server);
            text = scrape(url, encoding);
            Thread.sleep(5); // until the server has closed the connection as well
            nanos[i] = THREADS.getThreadCpuTime(server) - before;
        }
        heap = (THREADS.getThreadAllocatedBytes(server) - heap) / scrapes;
        Arrays.sort(nanos);
        System.out.println("scrape read " + encoding + " " + text.length + " "
                + nanos[scrapes / 2] / 1e3 + " " + heap + " " + series(text));
    }

    /** The JVM lists no thread of an agent, but answers for its id: the one that allocates when asked. */
    private static long serverId(URL url) throws Exception {
        long[] listed = THREADS.getAllThreadIds();
        long[] others = LongStream.range(1, new Thread().getId())
                .filter(id -> Arrays.stream(listed).noneMatch(each -> each == id)).toArray();
        long[] before = THREADS.getThreadAllocatedBytes(others);
        scrape(url, "identity");
        long[] after = THREADS.getThreadAllocatedBytes(others);
        return others[IntStream.range(0, others.length).boxed()
                .max(Comparator.comparing(i -> after[i] - before[i]))
                .orElseThrow(() -> new IllegalStateException("no agent with prometheus="))];
    }

    /** The number of lines that are not comments; 0 for compressed text. */
    private static int series(byte[] text) {
        return (int) Arrays.stream(new String(text, StandardCharsets.UTF_8).split("\n"))
                .filter(line -> line.startsWith("threadclock_")).count();
    }

    private static byte[] scrape(URL url, String encoding) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        connection.setRequestProperty("Accept-Encoding", encoding);
        connection.setRequestProperty("Accept", "application/openmetrics-text;version=1.0.0");
        try (InputStream in = connection.getInputStream()) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            byte[] some = new byte[1 << 16];
            for (int read; (read = in.read(some)) > 0;) {
                text.write(some, 0, read);
            }
            return text.toByteArray();
        }
    }
}
