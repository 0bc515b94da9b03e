// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.ContractIds.userTimes;
import static dev.threadclock.tests.child.Transcript.THREADS;
import static dev.threadclock.tests.child.Transcript.UNKNOWN;
import static dev.threadclock.tests.child.Transcript.line;

import dev.threadclock.tests.child.Transcript.Worker;
import java.util.concurrent.CountDownLatch;

/** Part of the contract: threads that override getId(), whose result only old JDKs' ThreadImpl uses. */
final class ContractGetId {
    /**
     * Far more than a thread can have that burnt almost nothing, even if user time is a raw count of ticks.
     */
    private static final long MUCH_NANOS = 240_000_000;

    static void run() {
        Worker worker = new Worker() {
            @Override
            void work() {
                Burn.cpuNanos(MUCH_NANOS);
            }
        };
        worker.start(run -> new Thread(run, "truthful"));
        claims("the id of another thread", worker.id());
        claims("an unknown id", UNKNOWN);
        claims("0", 0);
        claims("-5", -5);
        worker.end();
        throwing();
    }

    private static final class Liar extends Thread {
        private final long claim;
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);

        Liar(long claim) {
            super("liar");
            this.claim = claim;
        }

        @Override
        @SuppressWarnings("deprecation")
        public long getId() {
            return claim;
        }

        @Override
        public void run() {
            line("the liar's current", kind(Transcript.answer(() -> THREADS.getCurrentThreadUserTime()), 0));
            line("the liar asks for its claim", ask(claim));
            line("the liar asks for its claim in an array", askArray(claim));
            asked.countDown();
            Transcript.await(end);
        }
    }

    private static void claims(String what, long claim) {
        line("a thread claims", what);
        Liar[] made = new Liar[1];
        long real = realId(() -> made[0] = new Liar(claim));
        Liar liar = made[0];
        liar.start();
        Transcript.await(liar.asked);
        line("its real id", ask(real));
        line("its claim, asked by another", ask(claim));
        liar.end.countDown();
        Transcript.join(liar);
        line("its real id after its end", ask(real));
    }

    /** Old JDKs call getId() for every id that they report, but ids are assigned sequentially. */
    private static long realId(Runnable makesOneThread) {
        while (true) {
            long before = new Thread().getId();
            makesOneThread.run();
            if (new Thread().getId() == before + 2) {
                return before + 1;
            }
        }
    }

    private static String ask(long id) {
        long[] time = new long[1];
        return kind(Transcript.answer(() -> time[0] = THREADS.getThreadUserTime(id)), time[0]);
    }

    private static String askArray(long id) {
        long[] time = new long[1];
        return kind(Transcript.answer(() -> time[0] = userTimes(id, UNKNOWN)[0]), time[0]);
    }

    private static String kind(String answer, long time) {
        return !answer.equals("time") ? answer
                : time > MUCH_NANOS / 2 ? "the time of one that burnt" : "its own time";
    }

    /** If getId() throws, only the caller that asked for the thread's id gets the exception. */
    private static void throwing() {
        Worker worker = new Worker() {
            @Override
            void work() {
                line("current of a thread whose getId() throws",
                        Transcript.answer(() -> THREADS.getCurrentThreadUserTime()));
                line("it asks for another", Transcript.answer(() -> THREADS.getThreadUserTime(UNKNOWN)));
                line("it asks for others", Transcript.answer(() -> userTimes(UNKNOWN, UNKNOWN)));
            }
        };
        long real = realId(() -> worker.make(run -> new Thread(run, "throws") {
            @Override
            @SuppressWarnings("deprecation")
            public long getId() {
                throw new UnsupportedOperationException("no id");
            }
        }));
        worker.start();
        line("it is read by its real id", Transcript.burnt(THREADS.getThreadUserTime(real)));
        worker.end();
    }
}
