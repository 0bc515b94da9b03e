// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A child program: switches reach=jvm on and off while four threads call System.nanoTime(), one reads the
 * user times of all threads, and threads start, work and end. Arguments: the helper library, the agent's, how
 * often. Prints {@code backwards=N thrown=N changed=N left=N}: the words of libjvm's read-only
 * memory that differ from before while it is on, and after it is off; -1: its protection does.
 */
public final class ReachSwitching {
    private static final AtomicLong BACKWARDS = new AtomicLong();
    private static final AtomicLong THROWN = new AtomicLong();

    private static volatile boolean over;

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        int times = Integer.parseInt(args[2]);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(new Thread(ReachSwitching::callNanoTime));
        }
        threads.add(new Thread(() -> repeat(() -> THREADS.getThreadUserTime(THREADS.getAllThreadIds()))));
        threads.add(new Thread(() -> repeat(ReachSwitching::startOne)));
        threads.forEach(Thread::start);
        LibjvmMemory before = new LibjvmMemory();
        Helper.attach(args[1], "reach=jvm");
        int changed = before.differences(new LibjvmMemory());
        for (int i = 0; i < times; i++) {
            Helper.attach(args[1], i % 2 == 0 ? "do=detach" : "reach=bean");
            Helper.attach(args[1], "reach=jvm");
        }
        Helper.attach(args[1], "do=detach");
        int left = before.differences(new LibjvmMemory());
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("backwards=" + BACKWARDS + " thrown=" + THROWN
                + " changed=" + changed + " left=" + left);
    }

    private static void callNanoTime() {
        long last = System.nanoTime();
        while (!over) {
            long now = System.nanoTime();
            if (now < last) {
                BACKWARDS.incrementAndGet();
            }
            last = now;
        }
    }

    /** Works long enough for Flight Recorder to report it at its end. */
    private static void startOne() {
        Thread thread = new Thread(() -> Burn.until(System.nanoTime() + 3_000_000));
        thread.start();
        Threads.join(thread);
    }

    private static void repeat(Runnable body) {
        while (!over) {
            try {
                body.run();
            } catch (Throwable e) {
                THROWN.incrementAndGet();
            }
        }
    }
}
