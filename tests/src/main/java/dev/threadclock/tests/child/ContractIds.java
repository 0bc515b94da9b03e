// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Transcript.THREADS;
import static dev.threadclock.tests.child.Transcript.UNKNOWN;
import static dev.threadclock.tests.child.Transcript.line;
import static dev.threadclock.tests.child.Transcript.own;
import static dev.threadclock.tests.child.Transcript.say;

import dev.threadclock.tests.child.Transcript.Worker;
import java.util.Arrays;

/** Part of the contract: the answers for each kind of id, alone and in arrays, and refused requests. */
final class ContractIds {
    private static final long HIGH_BIT = 1L << 32;

    static void run() throws Exception {
        say("supported",
                () -> THREADS.isThreadCpuTimeSupported() && THREADS.isCurrentThreadCpuTimeSupported());
        say("enabled", () -> THREADS.isThreadCpuTimeEnabled());
        Worker worker = Worker.started("worker");
        Thread ended = new Thread(() -> Burn.cpuNanos(40_000_000), "ended");
        ended.start();
        ended.join();
        Thread unstarted = new Thread("unstarted");
        long id = worker.id();

        ownTime("");
        say("worker", () -> THREADS.getThreadUserTime(id));
        line("worker's value", Transcript.burnt(THREADS.getThreadUserTime(id)));
        say("array of the worker", () -> userTimes(id));
        line("array's value", Transcript.burnt(userTimes(id, own())[0]));
        say("sleeping thread stands still", () -> stands(id));
        none("unknown", UNKNOWN);
        none("largest id", Long.MAX_VALUE);
        none("id of the worker with bit 32 set", id + HIGH_BIT);
        none("ended", ended.getId());
        none("unstarted", unstarted.getId());
        for (long wrong : new long[]{0, -1, -id, Long.MIN_VALUE}) {
            refused(wrong == -id ? "negative of the worker's" : String.valueOf(wrong), id, wrong);
        }
        say("null array", () -> userTimes((long[]) null));
        say("empty array", () -> userTimes());
        say("duplicates", () -> userTimes(id, own(), id, own(), id));
        long[] duplicates = userTimes(id, UNKNOWN, id, id);
        line("duplicates are equal", duplicates[0] == duplicates[2] && duplicates[2] == duplicates[3]);
        say("mixed array", () -> userTimes(UNKNOWN, id, ended.getId(), own(), unstarted.getId(), id));
        long[] asked = {id, own(), UNKNOWN};
        userTimes(asked);
        line("array asked with is as it was", Arrays.equals(asked, new long[]{id, own(), UNKNOWN}));
        thousand(worker, ended);
        say("100,000 unknown ids",
                () -> Arrays.stream(filled(100_000, UNKNOWN)).allMatch(time -> time == -1));
        endWhileRead();
        total(id, ended.getId());
        disabled(id);
        worker.end();
        none("worker after its end", id);
    }

    private static void ownTime(String when) {
        say("current" + when, () -> THREADS.getCurrentThreadUserTime());
        say("own id" + when, () -> THREADS.getThreadUserTime(own()));
        say("array of the own id" + when, () -> userTimes(own()));
        say("array of the own id twice" + when, () -> userTimes(own(), own()));
    }

    private static void none(String what, long id) {
        say(what, () -> THREADS.getThreadUserTime(id));
        say(what + ", in an array", () -> userTimes(own(), id));
    }

    private static void refused(String what, long good, long wrong) {
        say("id " + what, () -> THREADS.getThreadUserTime(wrong));
        say("array of id " + what, () -> userTimes(wrong));
        say("array that begins with id " + what, () -> userTimes(wrong, good));
        say("array that ends with id " + what, () -> userTimes(good, own(), wrong));
    }

    private static boolean stands(long id) {
        long user = THREADS.getThreadUserTime(id);
        for (int i = 0; i < 20; i++) {
            if (THREADS.getThreadUserTime(id) != user || userTimes(id, id)[1] != user) {
                return false;
            }
        }
        return true;
    }

    /** Of a thousand ids, one third are alive, one third have ended, and one third have never existed. */
    private static void thousand(Worker worker, Thread ended) {
        Thread[] ends = new Thread[50];
        for (int i = 0; i < ends.length; i++) {
            ends[i] = new Thread("short");
            ends[i].start();
            Transcript.join(ends[i]);
        }
        long[] ids = new long[1000];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = i % 3 == 0 ? (i % 2 == 0 ? worker.id() : own())
                    : i % 3 == 1 ? ends[i % ends.length].getId() : UNKNOWN - i;
        }
        long[] times = userTimes(ids);
        boolean right = times.length == ids.length;
        for (int i = 0; i < times.length; i++) {
            right &= i % 3 != 0 ? times[i] == -1
                    : i % 2 == 0 ? Transcript.burnt(times[i]).equals("burnt") : times[i] >= 0;
        }
        line("1,000 ids with ended ones between", right);
        long[] atOnce = filled(1000, worker.id());
        line("1,000 times the same", Arrays.stream(atOnce).allMatch(time -> time == atOnce[0] && time >= 0));
        line("ended one's time is nobody's", userTimes(filledIds(1000, ended.getId()))[999]);
    }

    private static long[] filled(int length, long id) {
        return userTimes(filledIds(length, id));
    }

    private static long[] filledIds(int length, long id) {
        long[] ids = new long[length];
        Arrays.fill(ids, id);
        return ids;
    }

    /** Threads that end while they are read have their own time or -1, and after -1 always -1. */
    private static void endWhileRead() {
        boolean right = true;
        for (int i = 0; i < 300; i++) {
            Thread thread = new Thread("ends");
            long id = thread.getId();
            long began = System.nanoTime();
            thread.start();
            boolean gone = false;
            while (!gone || thread.isAlive()) {
                long user = i % 2 == 0 ? THREADS.getThreadUserTime(id) : userTimes(own(), id)[1];
                // On no JDK is it -1 at the very start: when start() returns, the thread is in the JVM's list
                // or has ended.
                right &= user >= -1 && user <= System.nanoTime() - began + 10_000_000
                        && (!gone || user == -1);
                gone = user == -1;
            }
            Transcript.join(thread);
            right &= THREADS.getThreadUserTime(id) == -1;
        }
        line("threads that end while they are read", right);
    }

    private static void total(long id, long ended) {
        say("total of current", () -> THREADS.getCurrentThreadCpuTime());
        say("total of the worker", () -> THREADS.getThreadCpuTime(id));
        say("totals", () -> THREADS.getThreadCpuTime(new long[]{id, own(), UNKNOWN, ended}));
        say("total of id 0", () -> THREADS.getThreadCpuTime(0));
    }

    private static void disabled(long id) {
        THREADS.setThreadCpuTimeEnabled(false);
        line("enabled when disabled", THREADS.isThreadCpuTimeEnabled());
        ownTime(" when disabled");
        say("worker when disabled", () -> THREADS.getThreadUserTime(id));
        say("array when disabled", () -> userTimes(id, own(), UNKNOWN));
        say("empty array when disabled", () -> userTimes());
        say("null array when disabled", () -> userTimes((long[]) null));
        say("id 0 when disabled", () -> THREADS.getThreadUserTime(0));
        say("array that ends with id 0 when disabled", () -> userTimes(id, 0));
        say("total when disabled", () -> THREADS.getCurrentThreadCpuTime());
        THREADS.setThreadCpuTimeEnabled(true);
        ownTime(" when enabled again");
        line("worker's value when enabled again", Transcript.burnt(THREADS.getThreadUserTime(id)));
    }

    static long[] userTimes(long... ids) {
        return THREADS.getThreadUserTime(ids);
    }
}
