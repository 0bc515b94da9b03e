// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuAttribution;
import dev.threadclock.CpuAttribution.Scope;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import dev.threadclock.tests.child.VirtualAccounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * CPU time by key against the kernel's own sums: each piece of work reads the kernel's clock of its thread
 * within its scope and around it.
 */
@Tag("plain")
class AttributionTest {
    private static final int THREADS = 8;
    private static final int TENANTS = 10_000;
    private static final int TASKS = Integer.getInteger("threadclock.tenants.tasks", 20_000);
    /** Then 1 % of what each of the dearest uses is more than what a host takes away, and none is absent. */
    private static final boolean ARE_MANY = TASKS >= 1_000_000;
    private static final int IN_A_ROUND = 20_000; // their futures must find room on the heap
    private static final int DEAREST = 100;
    private static final long TASK_NANOS = 100_000;
    /** What a host takes away counts in an interval of a thread at first, and is taken off its next ones. */
    private static final long STOLEN_NANOS = 1_000_000;

    private static volatile int result;

    private final CpuAttribution tenants = new CpuAttribution("tenant", 2 * DEAREST);
    private final AtomicLongArray within = new AtomicLongArray(TENANTS);
    private final AtomicLongArray around = new AtomicLongArray(TENANTS);
    private final double[] law = new double[TENANTS]; // of Zipf, summed up
    private final Map<String, CpuSnapshot> last = new HashMap<>();
    private final int[] absent = new int[DEAREST]; // the number of readings that did not show a tenant

    AttributionTest() {
        double sum = 0;
        for (int i = 0; i < TENANTS; i++) {
            sum += 1.0 / (i + 1);
            law[i] = sum;
        }
    }

    private int tenant(SplittableRandom random) {
        double at = random.nextDouble() * law[TENANTS - 1];
        int low = 0;
        for (int high = TENANTS - 1; low < high;) {
            int middle = (low + high) / 2;
            if (law[middle] < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static long kernelNanos() {
        return ThreadClock.totalNowNanos();
    }

    /** Returns what it has used. */
    private static long burn(long nanos) {
        long begin = kernelNanos();
        long used = 0;
        while (used < nanos) {
            for (int i = 0; i < 2000; i++) {
                result += i;
            }
            used = kernelNanos() - begin;
        }
        return used;
    }

    /** A request: its own part, a nested part for another tenant, a part that overlaps its end. */
    private void request(SplittableRandom random) {
        int tenant = tenant(random);
        int other = random.nextInt(4) == 0 ? tenant(random) : tenant;
        long begun = kernelNanos();
        Scope scope = tenants.open("tenant" + tenant);
        within.addAndGet(tenant, burn(TASK_NANOS));
        Scope inner = tenants.open("tenant" + other);
        if (random.nextBoolean()) {
            scope.close();
        }
        long middle = kernelNanos();
        within.addAndGet(other, burn(TASK_NANOS));
        inner.close();
        scope.close();
        around.addAndGet(tenant, middle - begun);
        around.addAndGet(other, kernelNanos() - middle);
    }

    private static long processNanos() {
        CpuTimes times = new CpuTimes();
        ThreadClock.readProcess(times);
        return times.totalNanos();
    }

    private Map<String, CpuSnapshot> read() {
        long before = processNanos();
        Map<String, CpuSnapshot> reading = tenants.read();
        long sum = reading.values().stream().mapToLong(CpuSnapshot::totalNanos).sum();
        assertThat(sum).isBetween(before, processNanos() + THREADS * STOLEN_NANOS);
        reading.forEach((key, used) -> {
            assertThat(used.totalNanos()).as(key)
                    .isGreaterThanOrEqualTo(last.getOrDefault(key, CpuSnapshot.ZERO).totalNanos());
        });
        last.clear();
        last.putAll(reading);
        return reading;
    }

    private void readUnlessEarly(long done) {
        if (done > TASKS / 4) {
            Map<String, CpuSnapshot> reading = read();
            for (int i = 0; i < DEAREST; i++) {
                absent[i] += reading.containsKey("tenant" + i) ? 0 : 1;
            }
        }
    }

    private void assertDearestAreRight() {
        Map<String, CpuSnapshot> reading = read();
        double least = 0;
        double most = 0;
        double all = 0;
        long leastShown = reading.keySet().stream().filter(key -> key.startsWith("tenant"))
                .mapToLong(key -> reading.get(key).totalNanos()).min().orElseThrow(AssertionError::new);
        for (int i = 0; i < DEAREST; i++) {
            assertThat(absent[i] == 0 || !ARE_MANY).as("tenant %s is always shown", i).isTrue();
            if (!reading.containsKey("tenant" + i)) { // a place is given up only for twice as much
                assertThat(within.get(i)).as("tenant %s", i).isLessThan(2 * leastShown + STOLEN_NANOS);
                continue;
            }
            double used = reading.get("tenant" + i).totalNanos();
            // What a tenant used before a reading that did not show it may stay with the others.
            double own = absent[i] == 0 ? within.get(i) * 0.99 : 0;
            long stolen = ARE_MANY ? 0 : STOLEN_NANOS;
            assertThat(used).as("tenant %s, absent from %s readings", i, absent[i])
                    .isBetween(own - stolen, around.get(i) * 1.01 + stolen);
            least += own;
            most += around.get(i) * 1.01;
            all += used;
        }
        assertThat(all).isBetween(least, most);
        assertThat(tenants.whyPartial()).isEmpty();
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void theDearestTenantsHaveWhatTheirThreadsUsed() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            for (int done = 0; done < TASKS; done += IN_A_ROUND) {
                List<Future<?>> tasks = submit(pool, done, Math.min(done + IN_A_ROUND, TASKS));
                for (int i = 0; i < tasks.size(); i++) {
                    while (!tasks.get(i).isDone()) {
                        TimeUnit.MILLISECONDS.sleep(20);
                        readUnlessEarly(done + i);
                    }
                    tasks.get(i).get();
                }
            }
        } finally {
            pool.shutdown();
        }
        assertDearestAreRight();
    }

    /** Half of the tasks are handed on: they count for the key of whoever submits them. */
    private List<Future<?>> submit(ExecutorService pool, int from, int to) {
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = from; i < to; i++) {
            SplittableRandom random = new SplittableRandom(i);
            if (i % 2 == 0) {
                tasks.add(pool.submit(() -> request(random)));
            } else {
                int tenant = tenant(random);
                long begun = kernelNanos();
                try (Scope scope = tenants.open("tenant" + tenant)) {
                    Runnable task = tenants.inheriting().wrap(() -> {
                        within.addAndGet(tenant, burn(2 * TASK_NANOS));
                    });
                    tasks.add(pool.submit(() -> {
                        long start = kernelNanos();
                        task.run();
                        around.addAndGet(tenant, kernelNanos() - start);
                    }));
                }
                around.addAndGet(tenant, kernelNanos() - begun);
            }
        }
        return tasks;
    }

    @Test
    void virtualThreadsThatAreNotAccountedForAreUnattributed() throws Exception {
        Jvm.assumeVirtualThreads();
        VirtualAccounts.start(() -> {
            try (Scope scope = tenants.open("tenant")) {
                for (long end = System.nanoTime() + 50_000_000; System.nanoTime() < end;) {
                    result++;
                }
            }
        }).join();
        assertThat(read().getOrDefault("tenant", CpuSnapshot.ZERO).totalNanos()).isZero();
        assertThat(tenants.whyPartial()).contains("virtual threads is not accounted for");
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void theDearestTenantsHaveWhatTheirVirtualThreadsUsed() throws Throwable {
        Jvm.assumeVirtualThreads();
        try (VirtualThreads.Accounting accounting = VirtualThreads.startAccounting()) {
            assertThat(accounting).isNotNull();
            AtomicInteger next = new AtomicInteger();
            for (int round = 0; round < 20; round++) {
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < 20 * THREADS; i++) {
                    threads.add(VirtualAccounts.start(() -> {
                        for (int task = 0; task < TASKS / (400 * THREADS); task++) {
                            request(new SplittableRandom(next.incrementAndGet()));
                            Thread.yield();
                        }
                    }));
                }
                readUnlessEarly(next.get());
                for (Thread each : threads) {
                    each.join();
                }
            }
        }
        assertDearestAreRight();
    }
}
