// SPDX-License-Identifier: Apache-2.0

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.ThreadClock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A pool of report threads starves a pool of request threads. Every request needs 2 ms of CPU time, whatever
 * else runs, but its duration depends on how long it waits for a CPU. The account of the process shows CPU
 * time and waiting time by pool, as the kernel counts them.
 *
 * <p>Argument: the seconds that each of the three parts takes. {@code examples/starving-pool/run} runs it.
 */
public final class StarvingPool {
    private static final long REQUEST_CPU_NANOS = 2_000_000;
    private static final int REQUEST_PERIOD_MILLIS = 10;
    private static final int REQUEST_THREADS = 4;
    private static final int MANY = 4 * Runtime.getRuntime().availableProcessors();

    private static volatile boolean stop;
    private static volatile int result;

    private final ExecutorService requests = pool("requests-", REQUEST_THREADS);
    private final ExecutorService reports = pool("reports-", MANY);

    private StarvingPool() {}

    /** One part of the run. Times are means per request in milliseconds. */
    private record Part(String name, double elapsed, double p99, double user, double system, double waited,
            double requestCpus, double reportCpus) {
        /** Spent mostly in the queue of the pool. */
        double otherwise() {
            return Math.max(0, elapsed - user - system - waited);
        }
    }

    public static void main(String[] args) throws Exception {
        int seconds = Integer.parseInt(args[0]);
        StarvingPool pools = new StarvingPool();
        pools.run("until all is compiled", MANY, 2);
        Part alone = pools.run("requests alone", 0, seconds);
        Part starved = pools.run("beside " + MANY + " report threads", MANY, seconds);
        Part remedied = pools.run("beside 1 report thread", 1, seconds);

        System.out.println("Where the time of a request goes (means in milliseconds)");
        line("", "user", "system", "waits for a CPU", "otherwise");
        List<Part> parts = List.of(alone, starved, remedied);
        parts.forEach(part -> line(part.name, part.user, part.system, part.waited, part.otherwise()));
        System.out.println();
        line("", "mean, ms", "p99, ms", "CPUs of requests", "of reports");
        parts.forEach(part -> line(part.name, part.elapsed, part.p99, part.requestCpus, part.reportCpus));
        System.out.printf(Locale.ROOT,
                "%nBeside %d report threads a request takes %.1f times as long, and %.0f %% of that it"
                        + " waits for a CPU.%nIts CPU time is what it was, so no profile of CPU time shows"
                        + " the reason.%n",
                MANY, starved.elapsed / alone.elapsed, 100 * starved.waited / starved.elapsed);
        System.exit(0); // the pools' threads would run on
    }

    private static void line(String name, Object... values) {
        System.out.printf("%-26s%10s%10s%18s%13s%n", Stream.concat(Stream.of(name), Arrays.stream(values)
                .map(value -> value instanceof Double ? String.format(Locale.ROOT, "%.2f", value) : value))
                .toArray());
    }

    private Part run(String name, int reportThreads, int seconds) throws InterruptedException {
        int count = seconds * 1000 / REQUEST_PERIOD_MILLIS;
        long[] elapsedNanos = new long[count];
        CountDownLatch ended = new CountDownLatch(count);
        stop = false;
        CountDownLatch reporting = new CountDownLatch(reportThreads);
        for (int i = 0; i < reportThreads; i++) {
            reports.execute(() -> {
                while (!stop) {
                    burn(1_000_000);
                }
                reporting.countDown();
            });
        }
        CpuAccount before = CpuAccount.read(Duration.ZERO);
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int request = i;
            long submitted = System.nanoTime();
            requests.execute(() -> {
                burn(REQUEST_CPU_NANOS);
                elapsedNanos[request] = System.nanoTime() - submitted;
                ended.countDown();
            });
            Thread.sleep(REQUEST_PERIOD_MILLIS);
        }
        ended.await();
        double tookNanos = System.nanoTime() - start;
        CpuAccount after = CpuAccount.read(Duration.ZERO);
        stop = true;
        reporting.await();
        Arrays.sort(elapsedNanos);
        CpuSnapshot used = used("requests-*", before, after);
        return new Part(name, Arrays.stream(elapsedNanos).average().orElseThrow() / 1e6,
                elapsedNanos[count * 99 / 100] / 1e6, used.userNanos() / 1e6 / count,
                used.systemNanos() / 1e6 / count,
                (group(after, "requests-*").waitedNanos() - group(before, "requests-*").waitedNanos()) / 1e6
                        / count,
                used.totalNanos() / tookNanos, used("reports-*", before, after).totalNanos() / tookNanos);
    }

    private static CpuSnapshot used(String pool, CpuAccount before, CpuAccount after) {
        return group(after, pool).times().minus(group(before, pool).times());
    }

    private static CpuGroup group(CpuAccount account, String pool) {
        return account.groups().stream()
                .filter(group -> group.kind() == CpuGroup.Kind.JAVA && pool.equals(group.name()))
                .findFirst().orElseThrow();
    }

    /** Computes until the calling thread has used this much CPU time, however long that takes. */
    private static void burn(long nanos) {
        long end = ThreadClock.totalNowNanos() + nanos;
        while (ThreadClock.totalNowNanos() < end) {
            for (int i = 0; i < 10_000; i++) {
                result = result * 31 + i;
            }
        }
    }

    /** Creates a pool whose threads exist from the beginning. */
    private static ExecutorService pool(String name, int size) {
        AtomicInteger number = new AtomicInteger();
        ThreadFactory factory = task -> new Thread(task, name + number.incrementAndGet());
        ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, 0, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), factory);
        pool.prestartAllCoreThreads();
        return pool;
    }
}
