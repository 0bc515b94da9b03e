// SPDX-License-Identifier: Apache-2.0

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
import java.util.Arrays;
import java.util.concurrent.Semaphore;

/**
 * What one scrape of the agent's option prometheus= costs this JVM: the CPU time of the thread
 * threadclock-prometheus from accepting the connection to closing it. Arguments: the port, the number of
 * threads, of pools, and of threads that run between two scrapes. Prints "scrape read identity", bytes of
 * text, median microseconds of CPU time, and series.
 */
public final class ScrapeCost {
    private static final int WARM_UP = 30;
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
            scrape(url);
        }
        Path server = server();
        long[] nanos = new long[SCRAPES];
        byte[] text = {};
        for (int i = 0; i < SCRAPES; i++) {
            Thread.sleep(AGED_MILLIS);
            jvm.turn();
            long before = nanos(server);
            text = scrape(url);
            Thread.sleep(5); // until the server has closed the connection as well
            nanos[i] = nanos(server) - before;
        }
        Arrays.sort(nanos);
        System.out.println("scrape read identity " + text.length + " " + nanos[SCRAPES / 2] / 1e3 + " "
                + series(text));
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

    private static byte[] scrape(URL url) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
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
