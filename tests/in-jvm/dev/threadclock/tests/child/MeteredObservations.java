// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import dev.threadclock.micrometer.CpuObservationHandler;
import dev.threadclock.micrometer.CpuTaskMetrics;
import dev.threadclock.micrometer.ThreadClockMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A child program with the meters of threadclock-micrometer: an observation that moves from one thread to
 * another, and a task. With "virtual", on virtual threads, which are accounted for with "accounted".
 */
public final class MeteredObservations {
    private static final long WORK_NANOS = 50_000_000;
    private static long withinNanos;
    private static long aroundNanos;
    private static long workerNanos; // the thread that runs the task

    public static void main(String[] args) throws Throwable {
        boolean isVirtual = args.length > 0;
        if (args.length > 1) {
            VirtualThreads.startAccounting();
        }
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        new ThreadClockMetrics().bindTo(meters);
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new CpuObservationHandler(meters));
        Observation observation = Observation.start("observed", observations);
        Runnable scoped = () -> {
            long before = ThreadClock.totalNowNanos();
            observation.scoped(() -> withinNanos += work());
            aroundNanos += ThreadClock.totalNowNanos() - before;
        };
        run(isVirtual, scoped);
        run(isVirtual, scoped);
        run(isVirtual, observation::stop);
        Thread[] worker = new Thread[1];
        ExecutorService pool = Executors.newSingleThreadExecutor(work -> worker[0] = thread(isVirtual, () -> {
            long before = ThreadClock.totalNowNanos();
            work.run();
            workerNanos = ThreadClock.totalNowNanos() - before;
        }));
        long taskNanos = CpuTaskMetrics.monitor(meters, pool, "named").submit(MeteredObservations::work)
                .get();
        pool.shutdown();
        worker[0].join();
        double observed = 0;
        for (Timer timer : meters.find("observed.cpu").timers()) {
            observed += timer.totalTime(TimeUnit.NANOSECONDS);
        }
        System.out.println("observed=" + (long) observed + " within=" + withinNanos + " around="
                + aroundNanos + " timers="
                + meters.find("observed.cpu").timers().size() + " partial="
                + meters.find("threadclock.observations.partial").counters().size());
        double tasks = 0;
        for (FunctionCounter counter : meters.find("threadclock.tasks.cpu.time").functionCounters()) {
            tasks += counter.count();
        }
        System.out
                .println("tasks=" + tasks + " taskWithin=" + taskNanos + " taskAround=" + workerNanos
                        + " meters=" + meters.find("threadclock.cpu.time").meters().size());
    }

    /** Works in two pieces, between which a virtual thread leaves its carrier. Returns its own CPU time. */
    private static long work() {
        long before = ThreadClock.totalNowNanos();
        Burn.until(System.nanoTime() + WORK_NANOS);
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        Burn.until(System.nanoTime() + WORK_NANOS);
        return ThreadClock.totalNowNanos() - before;
    }

    private static void run(boolean isVirtual, Runnable work) throws InterruptedException {
        Thread thread = thread(isVirtual, work);
        thread.start();
        thread.join();
    }

    /** Creates a thread that has not been started. */
    private static Thread thread(boolean isVirtual, Runnable work) {
        if (!isVirtual) {
            return new Thread(work);
        }
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class)
                    .invoke(builder, work);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
