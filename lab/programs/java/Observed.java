// SPDX-License-Identifier: Apache-2.0
import com.sun.management.OperatingSystemMXBean;
import com.sun.net.httpserver.HttpServer;
import dev.threadclock.ThreadTimes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * A busy HTTP server whose threads are all sampled from within, in alternating phases with and without
 * sampling: what that costs a request. Arguments: "bean" or "threadclock", the sampler; samples per second;
 * idle threads; milliseconds of a phase; pairs of phases. Prints, for each pair, "pair" and the nanoseconds
 * of the process's CPU time per request, without sampling and with it; then "sampler" and the nanoseconds of
 * CPU time of one pass over all threads.
 */
public final class Observed {
    private static final int CLIENTS = 4;
    private static final int BODY_BYTES = 2_000;
    private static final int WARM_UP_PASSES = 300;

    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory
            .getOperatingSystemMXBean();
    private static final LongAdder REQUESTS = new LongAdder();
    private static volatile boolean sampling;
    private static volatile long sink;
    private static long passes;
    private static long samplerNanos;

    private Observed() {}

    public static void main(String[] args) throws Exception {
        // Without this, some JDKs answer only 25 times per second.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            daemon("idle " + i, () -> await(never));
        }
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        HttpServer server = serve(pool);
        URL url = new URL("http", InetAddress.getLoopbackAddress().getHostAddress(),
                server.getAddress().getPort(), "/");
        for (int i = 0; i < CLIENTS; i++) {
            daemon("client " + i, () -> ask(url));
        }
        Runnable pass = args[0].equals("bean") ? Observed::passOfBean : passOfThreadclock(new ThreadTimes());
        long period = 1_000_000_000 / Long.parseLong(args[1]);
        long millis = Long.parseLong(args[3]);
        for (int i = 0; i < WARM_UP_PASSES; i++) {
            pass.run(); // compiles it: at 10 Hz the phases alone would not
        }
        daemon("sampler", () -> sample(pass, period));
        phase(millis, true); // warm-up: compiles everything
        phase(millis, false);
        passes = 0;
        samplerNanos = 0;
        for (int i = 0; i < Integer.parseInt(args[4]); i++) {
            // The machine's other load varies, so the phases take turns in coming first.
            double first = phase(millis, i % 2 == 1);
            double second = phase(millis, i % 2 == 0);
            System.out.println(i % 2 == 0 ? "pair " + first + " " + second : "pair " + second + " " + first);
        }
        synchronized (Observed.class) {
            System.out.println("sampler " + (passes == 0 ? 0 : samplerNanos / passes));
        }
        System.exit(0);
    }

    /** Returns the CPU time of a request, in nanoseconds. */
    private static double phase(long millis, boolean withSampling) throws InterruptedException {
        sampling = withSampling;
        long requests = REQUESTS.sum();
        long cpu = PROCESS.getProcessCpuTime();
        Thread.sleep(millis);
        return (double) (PROCESS.getProcessCpuTime() - cpu) / Math.max(1, REQUESTS.sum() - requests);
    }

    private static void sample(Runnable pass, long periodNanos) {
        for (long next = System.nanoTime();; next += periodNanos) {
            long now;
            while ((now = System.nanoTime()) - next < 0) {
                LockSupport.parkNanos(next - now);
            }
            if (now - next > periodNanos) {
                next = now; // a pass may last longer than a period
            }
            if (sampling) {
                synchronized (Observed.class) {
                    long before = BEAN.getCurrentThreadCpuTime();
                    pass.run();
                    samplerNanos += BEAN.getCurrentThreadCpuTime() - before;
                    passes++;
                }
            }
        }
    }

    /** Reads as profilers and monitoring agents do. */
    private static void passOfBean() {
        long sum = 0;
        long[] ids = BEAN.getAllThreadIds();
        for (long id : ids) {
            sum += BEAN.getThreadUserTime(id) + BEAN.getThreadCpuTime(id);
        }
        sink += sum;
    }

    private static Runnable passOfThreadclock(ThreadTimes times) {
        return () -> {
            long sum = 0;
            int count = times.read();
            for (int i = 0; i < count; i++) {
                sum += times.userNanos(i) + times.totalNanos(i);
            }
            sink += sum;
        };
    }

    private static HttpServer serve(ExecutorService pool) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = page(exchange.getRequestURI().getPath()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.setExecutor(pool);
        server.start();
        return server;
    }

    private static String page(String path) {
        StringBuilder page = new StringBuilder();
        while (page.length() < BODY_BYTES) {
            page.append(path).append(page.toString().hashCode());
        }
        return page.toString();
    }

    private static void ask(URL url) {
        byte[] buffer = new byte[2 * BODY_BYTES];
        while (true) {
            try {
                HttpURLConnection connection = (HttpURLConnection) url.openConnection();
                try (InputStream in = connection.getInputStream()) {
                    while (in.read(buffer) >= 0) {
                        sink++;
                    }
                }
                REQUESTS.increment();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, 256 << 10);
        thread.setDaemon(true);
        thread.start();
    }

    private static void await(CountDownLatch never) {
        try {
            never.await();
        } catch (InterruptedException e) {
        }
    }
}
