// SPDX-License-Identifier: Apache-2.0
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Checks what the Java documentation promises for ThreadMXBean's times, in a program of threads that work
 * in different ways. Argument: milliseconds. Prints, for each invariant, "holds" or "broken", its name, and
 * how often it was checked and broken.
 */
public final class Invariants {
    private static final int BYTES = 64 * 1024;
    private static final long PAUSE_NANOS = 1_000_000;
    /** The period of the thread that works around ticks: a tick at 250 Hz, which ends each pause. */
    private static final long NAP_NANOS = 4_000_000;
    private static final long WORK_NANOS = 300_000;
    /** Some JVMs count user time in steps of 10 ms. */
    private static final long STEP_NANOS = 10_000_000;

    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static volatile long sink;
    private static volatile boolean ended;

    /** How often each was checked and broken. */
    private static final Map<String, long[]> INVARIANTS = new LinkedHashMap<>();

    private static void look(String invariant, boolean holds) {
        long[] counts = INVARIANTS.computeIfAbsent(invariant, name -> new long[2]);
        counts[0]++;
        counts[1] += holds ? 0 : 1;
    }

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(3);
        Thread[] workers = {worker("user", begun, () -> spin(PAUSE_NANOS)),
            worker("naps", begun, Invariants::nap),
            worker("system", begun, Invariants::readZeros)};
        begun.await();
        BEAN.setThreadCpuTimeEnabled(false);
        look("minus-one-while-disabled",
                BEAN.getCurrentThreadUserTime() == -1 && BEAN.getCurrentThreadCpuTime() == -1);
        for (Thread worker : workers) {
            look("minus-one-while-disabled", BEAN.getThreadUserTime(worker.getId()) == -1);
        }
        BEAN.setThreadCpuTimeEnabled(true);
        long[] lastUser = new long[workers.length];
        long[] lastTotal = new long[workers.length];
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        while (System.nanoTime() - end < 0) {
            for (int i = 0; i < workers.length; i++) {
                long user = BEAN.getThreadUserTime(workers[i].getId());
                long total = BEAN.getThreadCpuTime(workers[i].getId());
                look("not-negative-once-enabled", user >= 0 && total >= 0);
                look("never-goes-back", user >= lastUser[i] && total >= lastTotal[i]);
                look("user-within-total", user <= total + STEP_NANOS);
                lastUser[i] = user;
                lastTotal[i] = total;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        ended = true;
        for (Thread worker : workers) {
            worker.join();
            look("minus-one-of-an-ended-thread", BEAN.getThreadUserTime(worker.getId()) == -1);
        }
        INVARIANTS.forEach((name, counts) -> System.out.println(
                (counts[1] == 0 ? "holds " : "broken ") + name + " " + counts[0] + " " + counts[1]));
    }

    private static Thread worker(String name, CountDownLatch begun, Runnable round) {
        Thread thread = new Thread(() -> {
            begun.countDown();
            while (!ended) {
                round.run();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void nap() {
        LockSupport.parkNanos(NAP_NANOS - WORK_NANOS);
        spin(WORK_NANOS);
    }

    private static void spin(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            sink++;
        }
    }

    private static void readZeros() {
        try (InputStream in = new FileInputStream("/dev/zero")) {
            sink += in.read(new byte[BYTES]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
