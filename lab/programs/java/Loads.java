// SPDX-License-Identifier: Apache-2.0

import dev.threadclock.command.probe.TickLoads;
import dev.threadclock.command.probe.TickRun;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads whose work is known, and what ThreadMXBean and the kernel's files report of them: "around" works
 * only around timer ticks and "between" only between them, both in user mode; "user" and "system" work all
 * the time; "mix" alternates.
 *
 * <p>Arguments: "alone" or "together"; milliseconds of each load; length and phase of the timer tick in
 * nanoseconds of System.nanoTime(). "alone" runs one load after the other, "together" the first two and a
 * system worker at once, for a recorder. The moments of ticks come from another process, because looking
 * for them burns ticks.
 *
 * <p>Prints for each load "load", its name, when it began by System.currentTimeMillis(), the CPU time that
 * its work in user mode took, the bean's user time and total, user and system by /proc, the share of ticks
 * at which it was at work as planned, and its run time by schedstat; then "processors". All times are in
 * nanoseconds.
 */
public final class Loads {
    private static final long STEP_NANOS = 3_000_000;
    private static final long REST_NANOS = 16_000_000;
    private static final long HUNDREDTH_NANOS = 10_000_000;
    private static final long LOOK_MILLIS = 250;
    private static final int BYTES = 256 * 1024;
    /** Fields of a stat line after the name, which may contain spaces. */
    private static final int USER_FIELD = 11;
    private static final int SYSTEM_FIELD = 12;

    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static final CountDownLatch OVER = new CountDownLatch(1);

    private static long nanos;
    private static long tickLength;
    private static volatile long sink;

    private final String name;
    private final ByteBuffer zeros = ByteBuffer.allocateDirect(BYTES);
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile Path stat;
    private volatile long began;
    private long trueUser;
    private long user;
    private long total;
    private int roundsOnTime;

    private Loads(String name) {
        this.name = name;
    }

    private interface Work {
        void run(Loads load) throws IOException;
    }

    public static void main(String[] args) throws Exception {
        nanos = Long.parseLong(args[1]) * 1_000_000;
        tickLength = Long.parseLong(args[2]);
        TickLoads ticks = new TickLoads(BEAN, tickLength, Long.parseLong(args[3]));
        boolean alone = args[0].equals("alone");
        Loads[] loads = {new Loads("around"), new Loads("between"), new Loads("system"), new Loads("user"),
            new Loads("mix")};
        Work[] works = {
            load -> load.byTicks(ticks.aroundTicksHere(nanos)),
            load -> load.byTicks(ticks.betweenTicksHere(nanos)),
            load -> load.kernel(alone ? 0 : REST_NANOS), load -> load.user(nanos), Loads::mix};
        for (int i = 0; i < (alone ? loads.length : 3); i++) {
            loads[i].start(works[i], alone);
        }
        for (Loads load : loads) {
            // Looks meanwhile, because the split that the kernel has once shown of a thread never decreases.
            while (load.began != 0 && !load.done.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                load.kernelsSplit();
            }
        }
        if (!alone) {
            Thread.sleep(1_500); // until the recorder's last event, of which there is one each second
        }
        for (int i = 0; i < (alone ? loads.length : 3); i++) {
            loads[i].print();
        }
        System.out.println("processors " + Runtime.getRuntime().availableProcessors());
        OVER.countDown();
    }

    /** In a new thread, whose clocks and ticks start at zero; it lives on, so that /proc still shows it. */
    private void start(Work work, boolean wait) throws InterruptedException {
        Thread thread = new Thread(() -> {
            try {
                Path self = Files.readSymbolicLink(Paths.get("/proc/thread-self")); // PID/task/TID
                stat = Paths.get("/proc").resolve(self).resolve("stat");
                began = System.currentTimeMillis();
                work.run(this);
                user = BEAN.getCurrentThreadUserTime();
                total = BEAN.getCurrentThreadCpuTime();
                done.countDown();
                OVER.await();
            } catch (IOException | InterruptedException | RuntimeException e) {
                e.printStackTrace();
                System.exit(1); // because the others wait for it
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        while (began == 0 || wait && !done.await(1, TimeUnit.MILLISECONDS)) {
            Thread.sleep(1);
        }
    }

    private long[] kernelsSplit() throws IOException {
        String line = new String(Files.readAllBytes(stat), StandardCharsets.ISO_8859_1);
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
        return new long[]{Long.parseLong(fields[USER_FIELD]) * HUNDREDTH_NANOS,
            Long.parseLong(fields[SYSTEM_FIELD]) * HUNDREDTH_NANOS};
    }

    private void print() throws IOException {
        long[] kernel = kernelsSplit();
        byte[] schedstat = Files.readAllBytes(stat.resolveSibling("schedstat"));
        System.out.println("load " + name + " " + began + " " + trueUser + " " + user + " " + total + " "
                + kernel[0] + " " + kernel[1] + " " + (double) roundsOnTime * tickLength / nanos
                + " " + new String(schedstat, StandardCharsets.ISO_8859_1).split(" ")[0]);
    }

    /** In user mode only; the same loads as those of doctor and demo. */
    private void byTicks(TickRun run) {
        trueUser = run.cpuNanos;
        roundsOnTime = run.roundsOnTime;
    }

    private void user(long span) {
        long before = BEAN.getCurrentThreadCpuTime();
        for (long end = System.nanoTime() + span; System.nanoTime() - end < 0;) {
            sink++;
        }
        trueUser += BEAN.getCurrentThreadCpuTime() - before;
        roundsOnTime = (int) (nanos / tickLength);
    }

    /** The kernel fills a buffer with zeros; Java's own part is user time, some percent. */
    private void kernel(long span, FileChannel file) throws IOException {
        for (long end = System.nanoTime() + span; System.nanoTime() - end < 0;) {
            zeros.clear();
            file.read(zeros);
        }
        roundsOnTime = (int) (nanos / tickLength);
    }

    private void kernel(long rest) throws IOException {
        try (FileChannel file = FileChannel.open(Paths.get("/dev/zero"))) {
            for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0;) {
                kernel(STEP_NANOS, file);
                LockSupport.parkNanos(rest);
            }
        }
    }

    private void mix() throws IOException {
        try (FileChannel file = FileChannel.open(Paths.get("/dev/zero"))) {
            for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0;) {
                user(STEP_NANOS);
                kernel(STEP_NANOS, file);
            }
        }
    }
}
