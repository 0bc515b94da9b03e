// SPDX-License-Identifier: Apache-2.0

import com.sun.management.ThreadMXBean;
import dev.threadclock.CpuAccount;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URL;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * The CPU time and the heap that one scrape of the agent's option prometheus= takes from a JVM with 2,000
 * threads, which sleep: all that the thread threadclock-prometheus does, from accepting the connection to
 * closing it. In one kind of scrape the account is read anew, in the other it is younger than 100 ms.
 *
 * <p>How to run, on a quiet machine: {@code java -cp dist/threadclock.jar
 * -javaagent:dist/threadclock.jar=prometheus=9464 lab/java/ScrapeCost.java 9464} (from JDK 24 on with
 * {@code --enable-native-access=ALL-UNNAMED})
 */
public final class ScrapeCost {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int SLEEPERS = 2_000;
    private static final int WARM_UP = 3_000;
    private static final int SCRAPES = 101;
    private static final int AGED_MILLIS = 110;

    private ScrapeCost() {}

    public static void main(String[] args) throws Exception {
        URL url = new URL("http://127.0.0.1:" + args[0] + "/metrics");
        System.out.println("JDK " + System.getProperty("java.version"));
        for (int pools : new int[]{20, 50}) {
            CountDownLatch end = sleepers(pools);
            for (int i = 0; i < WARM_UP; i++) {
                CpuAccount.read(Duration.ZERO);
                scrape(url, i % 2 == 0 ? "gzip" : "identity");
            }
            for (String encoding : new String[]{"identity", "gzip"}) {
                print(url, pools, encoding, 0, "reused");
                print(url, pools, encoding, AGED_MILLIS, "read");
            }
            end.countDown();
        }
    }

    private static CountDownLatch sleepers(int pools) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(SLEEPERS);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < SLEEPERS; i++) {
            String pool = "" + (char) ('a' + i % pools % 26) + (char) ('a' + i % pools / 26);
            Thread thread = new Thread(() -> {
                try {
                    started.countDown();
                    end.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }, "pool-" + pool + "-thread-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        started.await();
        return end;
    }

    private static void print(URL url, int pools, String encoding, int pauseMillis, String account)
            throws Exception {
        Thread server = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("threadclock-prometheus")).findFirst()
                .orElseThrow(() -> new IllegalStateException("no -javaagent:threadclock.jar=prometheus="));
        long[] nanos = new long[SCRAPES];
        long bytes = THREADS.getThreadAllocatedBytes(server.getId());
        int length = 0;
        for (int i = 0; i < SCRAPES; i++) {
            Thread.sleep(pauseMillis);
            long before = THREADS.getThreadCpuTime(server.getId());
            length = scrape(url, encoding);
            Thread.sleep(5); // until the connection is closed on its side, too
            nanos[i] = THREADS.getThreadCpuTime(server.getId()) - before;
        }
        bytes = THREADS.getThreadAllocatedBytes(server.getId()) - bytes;
        Arrays.sort(nanos);
        System.out.printf("%,d threads in %2d pools, account %-6s %-8s %,7d bytes: %5.0f us of CPU time"
                + " (median of %d; least %.0f), %,7d bytes of heap%n",
                SLEEPERS, pools, account, encoding, length, nanos[SCRAPES / 2] / 1e3, SCRAPES, nanos[0] / 1e3,
                bytes / SCRAPES);
    }

    /** The number of bytes of the body. */
    private static int scrape(URL url, String encoding) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        connection.setRequestProperty("Accept-Encoding", encoding);
        connection.setRequestProperty("Accept", "application/openmetrics-text;version=1.0.0");
        try (InputStream in = connection.getInputStream()) {
            byte[] some = new byte[1 << 16];
            int length = 0;
            for (int read; (read = in.read(some)) > 0;) {
                length += read;
            }
            return length;
        }
    }
}
