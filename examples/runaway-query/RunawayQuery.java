// SPDX-License-Identifier: Apache-2.0

import dev.threadclock.CpuBudget;
import dev.threadclock.CpuSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * An engine whose queries run on a pool of eight threads, each with a budget of 100 ms of CPU time: one that
 * is small, one that runs away and checks, and one that runs away and never checks, but can be interrupted.
 * For each it prints the CPU time of all threads, as {@code QUERY: MILLIS ms: done} or the reason why it was
 * stopped.
 *
 * <p>{@code examples/runaway-query/run} runs it.
 */
public final class RunawayQuery {
    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final int THREADS = 8;

    private static volatile double result;

    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);

    private interface Part {
        void run(CpuBudget budget);
    }

    public static void main(String[] args) {
        RunawayQuery engine = new RunawayQuery();
        for (int i = 0; i < 3; i++) { // the first rounds compile it
            engine.query("small", budget -> rows(1_000));
            engine.query("runaway that checks", budget -> {
                for (;;) {
                    budget.check();
                    rows(1_000);
                }
            });
            engine.query("runaway that never checks", budget -> {
                while (!Thread.currentThread().isInterrupted()) {
                    rows(1_000);
                }
            });
        }
        engine.pool.shutdown();
    }

    /** Runs the same part of the query on each thread of the pool. */
    private void query(String name, Part part) {
        CpuBudget budget = new CpuBudget(LIMIT);
        ExecutorService metered = budget.metered(pool);
        List<Future<?>> parts = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            parts.add(metered.submit(() -> part.run(budget)));
        }
        for (Future<?> each : parts) {
            try {
                each.get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof CpuBudget.Exhausted)) {
                    throw new IllegalStateException(e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        CpuSnapshot used = budget.snapshot();
        System.out.printf("%s: %.1f ms: %s%n", name, used.totalNanos() / 1e6,
                budget.isExhausted() ? budget.whyExhausted() : "done");
    }

    private static void rows(int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += Math.sqrt(i);
        }
        result = sum;
    }
}
