// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.tests.child.VirtualSlices.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A child program: an agent that accounts for virtual threads is loaded while five thousand of them run and
 * pause in each way. All of them go on, know their time since then, and end. Arguments: the helper library,
 * the agent's, a file for its report. Prints what the agent says of virtual threads while they run, and when
 * all have ended.
 */
public final class VirtualRunning {
    private static final int THREADS = 5000;
    /** How many threads have begun and ended a pause in each phase: before the agent came, and since. */
    private static final AtomicIntegerArray PAUSED = new AtomicIntegerArray(2);
    private static volatile int phase;
    private static volatile boolean over;

    public static void main(String[] args) throws Throwable {
        System.load(args[0]);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Way way = Way.values()[i % Way.values().length];
            threads.add(VirtualAccounts.start(() -> run(way)));
        }
        awaitPauses();
        Helper.attach(args[1], "virtual=on");
        phase = 1;
        awaitPauses();
        VirtualSwitches.say("running", args);
        over = true;
        VirtualAccounts.joinAll(threads);
        // Who joins a thread may run before its account ends (VirtualThread.afterDone).
        for (int i = 0; i < 1000 && !VirtualSwitches.status(args).contains("virtual.threads=0"); i++) {
            Threads.pause(10);
        }
        VirtualSwitches.say("ended", args);
    }

    private static void run(Way way) {
        for (int paused = -1; !over;) {
            int now = phase;
            Burn.slice();
            if (way == Way.PINNED_BY_NATIVE_FRAME) {
                Helper.call(way::pause);
            } else {
                way.pause();
            }
            Threads.pause(200); // those that yield or are pinned would leave their carrier to no other
            if (now > paused) {
                paused = now;
                PAUSED.incrementAndGet(now);
            }
        }
        CpuTimes times = new CpuTimes();
        if (!ThreadClock.readNow(times) || times.isWhole()) {
            throw new AssertionError("its time is not known, or is said to be whole: " + times);
        }
    }

    /** Waits for a pause of every thread: the account of one that ran already begins when it is mounted. */
    private static void awaitPauses() throws Throwable {
        for (; PAUSED.get(phase) < THREADS; Threads.pause(1)) {
            VirtualAccounts.rethrow();
        }
    }
}
