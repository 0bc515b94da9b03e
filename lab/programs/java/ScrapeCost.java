// SPDX-License-Identifier: Apache-2.0

import dev.threadclock.CpuAccount;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;

/**
 * What one scrape of the agent's option prometheus= costs this JVM: the CPU time of the thread
 * threadclock-prometheus from accepting the connection to closing it; and what {@code CpuAccount.read()}
 * costs its caller, and the bare system calls for the same threads (for_java.c). Arguments: the library of
 * for_java.c, the port, the number of threads, of pools, and of threads that run between two readings, how
 * many of the first readings to print, and the seconds between them; then "scrape" or "read", which those
 * are.
 *
 * <p>Prints "cold", its number, microseconds of CPU time; and "warm", what,
 * median microseconds, bytes of text, and series.
 */
public final class ScrapeCost {
    private static final int WARM_UP = 30;
    private static final int READINGS = 61;
    /** A reading of the account serves all requests within 100 ms. */
    private static final int AGED_MILLIS = 110;

    private final URL url;
    private final int active;
    private final int[] tids;
    private final Semaphore turns = new Semaphore(0);
    private final Semaphore ran = new Semaphore(0);
    private byte[] text = {};

    /** Starts threads in pools. The first "active" of them run once per turn. */
    private ScrapeCost(URL url, int size, int pools, int active) throws Exception {
        this.url = url;
        this.active = active;
        tids = new int[size];
        Semaphore started = new Semaphore(0);
        for (int i = 0; i < size; i++) {
            int number = i;
            String pool = "" + (char) ('a' + i % pools % 26) + (char) ('a' + i % pools / 26);
            Thread thread = new Thread(() -> run(number, started), "pool-" + pool + "-thread-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        started.acquire(size);
    }

    private void run(int number, Semaphore started) {
        try {
            String self = Paths.get("/proc/thread-self").toRealPath().getFileName().toString();
            tids[number] = Integer.parseInt(self);
            started.release();
            while (number < active) {
                turns.acquire();
                ran.release();
                Thread.sleep(1); // so that no thread takes two turns
            }
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private static native long own();

    private static native long bare(int[] tids, int ran);

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        URL url = URI.create("http://127.0.0.1:" + args[1] + "/metrics").toURL();
        ScrapeCost cost = new ScrapeCost(url, Integer.parseInt(args[2]), Integer.parseInt(args[3]),
                Integer.parseInt(args[4]));
        Path server = server();
        Callable<Long> scrape = () -> cost.scrape(server);
        Callable<Long> read = ScrapeCost::read;
        Callable<Long> bare = () -> bare(cost.tids, cost.active);
        int cold = Integer.parseInt(args[5]);
        for (int i = 0; i < cold; i++) {
            Thread.sleep((long) (1000 * Double.parseDouble(args[6])));
            long nanos = cost.nanos(args[7].equals("read") ? read : scrape);
            System.out.println("cold " + (i + 1) + " " + nanos / 1e3);
        }
        for (int i = 0; i < WARM_UP; i++) {
            cost.nanos(scrape);
            cost.nanos(read);
        }
        long[][] each = new long[3][READINGS];
        for (int i = 0; i < READINGS; i++) {
            each[0][i] = cost.nanos(scrape);
            each[1][i] = cost.nanos(read);
            each[2][i] = cost.nanos(bare);
        }
        print("scrape", each[0], cost.text.length + " " + series(cost.text));
        print("read", each[1], "0 0");
        print("bare", each[2], "0 0");
    }

    private static void print(String what, long[] nanos, String more) {
        Arrays.sort(nanos);
        System.out.println("warm " + what + " " + nanos[nanos.length / 2] / 1e3 + " " + more);
    }

    /** What this takes after the threads have run. */
    private long nanos(Callable<Long> reading) throws Exception {
        turns.release(active);
        ran.acquire(active);
        Thread.sleep(5); // until they sleep again
        return reading.call();
    }

    private static long read() {
        long before = own();
        CpuAccount.read(Duration.ZERO);
        return own() - before;
    }

    private long scrape(Path server) throws Exception {
        Thread.sleep(AGED_MILLIS);
        long before = nanos(server);
        text = get();
        Thread.sleep(5); // until the server has closed the connection as well
        return nanos(server) - before;
    }

    /** The folder of the server's thread; new JDKs shorten its name in the middle. */
    private static Path server() throws IOException {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Paths.get("/proc/self/task"))) {
            for (Path thread : threads) {
                if (text(thread.resolve("comm")).startsWith("threadc")) {
                    return thread;
                }
            }
        }
        throw new IllegalStateException("no agent with prometheus=");
    }

    private static long nanos(Path thread) throws IOException {
        return Long.parseLong(text(thread.resolve("schedstat")).split(" ")[0]);
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    /** The number of lines that are not comments. */
    private static int series(byte[] text) {
        return (int) Arrays.stream(new String(text, StandardCharsets.UTF_8).split("\n"))
                .filter(line -> line.startsWith("threadclock_")).count();
    }

    private byte[] get() throws IOException {
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        connection.setRequestProperty("Accept", "application/openmetrics-text;version=1.0.0");
        try (InputStream in = connection.getInputStream()) {
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            byte[] some = new byte[1 << 16];
            for (int read; (read = in.read(some)) > 0;) {
                got.write(some, 0, read);
            }
            return got.toByteArray();
        }
    }
}
