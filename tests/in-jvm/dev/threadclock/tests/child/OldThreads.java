// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;

import dev.threadclock.tests.child.Threads.Worker;
import java.util.ArrayList;
import java.util.List;

/**
 * A child program: threads with all kinds of names that have burnt before an agent arrives, and their answers
 * afterwards. Argument: a file that exists once the agent is loaded. Prints {@code ready}; then for each
 * thread {@code user=burnt} or the wrong value, for the last one {@code doubt=} likewise; and {@code fine=N},
 * the number of {@code user} answers that are finer than the ticks in which the JVM itself counts.
 */
public final class OldThreads {
    private static final String[] NAMES = {"plain", "say \"hello\" #", "two\nlines", "nid=7 of #5",
        "\" #3 prio=5 nid=0x7 \n\"\"#",
        new String(new char[5000]).replace('\0', '#'), "\u00e4\u20ac\ud83d\ude00 \0", ""};
    private static final long MILLISECOND_NANOS = 1_000_000;

    public static void main(String[] args) {
        List<Worker> workers = new ArrayList<>();
        for (String name : NAMES) {
            workers.add(Worker.started(name));
        }
        Worker inDoubt = Worker.started("in doubt");
        // A name that contains a thread dump's line for that thread, with the TID of the JVM's first thread.
        Worker.started("x\n\"in doubt\" #" + inDoubt.id() + " prio=5 os_prio=0 tid=0x00007f1b nid="
                + Idle.pid() + " runnable [0x0]\n");
        Idle.untilThere(args[0]);
        int fine = 0;
        for (Worker worker : workers) {
            long user = THREADS.getThreadUserTime(worker.id());
            fine += user % MILLISECOND_NANOS != 0 ? 1 : 0;
            System.out.println("user=" + Threads.burnt(user));
        }
        System.out.println("doubt=" + Threads.burnt(THREADS.getThreadUserTime(inDoubt.id())));
        System.out.println("fine=" + fine);
        System.exit(0);
    }
}
