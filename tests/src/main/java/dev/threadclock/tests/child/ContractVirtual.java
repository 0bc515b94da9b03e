// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.ContractIds.userTimes;
import static dev.threadclock.tests.child.Transcript.THREADS;
import static dev.threadclock.tests.child.Transcript.line;
import static dev.threadclock.tests.child.Transcript.own;
import static dev.threadclock.tests.child.Transcript.say;

import dev.threadclock.tests.child.Transcript.Worker;
import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;

/** Part of the contract: virtual threads, by reflection, on JDKs that have them. */
final class ContractVirtual {
    static void run() throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            line("virtual threads", "none in this JDK");
            return;
        }
        Worker platform = Worker.started("platform");
        CountDownLatch mounted = new CountDownLatch(1);
        CountDownLatch askedMounted = new CountDownLatch(1);
        CountDownLatch parked = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread virtual = (Thread) start.invoke(null, (Runnable) () -> {
            Burn.slice();
            say("virtual thread's current", () -> THREADS.getCurrentThreadUserTime());
            say("virtual thread's own id", () -> THREADS.getThreadUserTime(own()));
            say("virtual thread's own id in an array", () -> userTimes(own(), platform.id()));
            say("virtual thread's own id alone in an array", () -> userTimes(own()));
            line("virtual thread reads a platform thread",
                    Transcript.burnt(THREADS.getThreadUserTime(platform.id())));
            say("virtual thread reads id 0", () -> THREADS.getThreadUserTime(0));
            say("virtual thread's total", () -> THREADS.getCurrentThreadCpuTime());
            mounted.countDown();
            while (askedMounted.getCount() > 0) {
                Burn.slice();
            }
            parked.countDown();
            Transcript.await(end);
        });
        long id = virtual.getId();
        Transcript.await(mounted);
        say("mounted virtual thread by id", () -> THREADS.getThreadUserTime(id));
        say("mounted virtual thread in an array", () -> userTimes(id, platform.id(), id));
        askedMounted.countDown();
        Transcript.await(parked);
        Transcript.pause(20);
        say("parked virtual thread by id", () -> THREADS.getThreadUserTime(id));
        end.countDown();
        Transcript.join(virtual);
        say("ended virtual thread by id", () -> THREADS.getThreadUserTime(id));
        line("its carrier", THREADS.getThreadUserTime(ContractThreads.idOf("ForkJoinPool")) >= 0);
        platform.end();
    }
}
