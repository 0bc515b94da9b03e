// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Burn.THREADS;
import static dev.threadclock.tests.child.Threads.UNKNOWN;
import static dev.threadclock.tests.jvm.ContractTest.users;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Threads;
import dev.threadclock.tests.child.Threads.Worker;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads that override getId(), whose result only ThreadImpl of JDKs before 21 uses. */
@Tag("plain")
@Tag("agentpath")
@Tag("now")
@Tag("javaagent")
@SuppressWarnings("deprecation")
class OverriddenIdTest {
    /**
     * Far more than a thread can have that burnt almost nothing, even if user time is a raw count of ticks.
     */
    private static final long MUCH_NANOS = 120_000_000;
    private static final long REFUSED = Long.MIN_VALUE;

    private static long ask(LongSupplier question) {
        try {
            return question.getAsLong();
        } catch (IllegalArgumentException e) {
            return REFUSED;
        }
    }

    private static long user(long id) {
        return ask(() -> THREADS.getThreadUserTime(id));
    }

    /** Claims to have another id, and reads itself and that one. */
    private static final class Liar extends Thread {
        private final long claim;
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private long current;
        private long claimed;
        private long claimedInArray;

        Liar(long claim) {
            super("liar");
            this.claim = claim;
        }

        @Override
        public long getId() {
            return claim;
        }

        @Override
        public void run() {
            current = THREADS.getCurrentThreadUserTime();
            claimed = user(claim);
            claimedInArray = ask(() -> users(claim, UNKNOWN)[0]);
            asked.countDown();
            Threads.await(end);
        }
    }

    private static void assertOwn(long user) {
        assertThat(user).isBetween(0L, MUCH_NANOS);
    }

    /** The claim's answer is that of the thread that really has this id. */
    private static void assertClaim(long claim, long answer) {
        Liar[] made = new Liar[1];
        long real = realId(() -> made[0] = new Liar(claim));
        Liar liar = made[0];
        liar.start();
        Threads.await(liar.asked);
        assertOwn(liar.current);
        if (answer != REFUSED && Jvm.FEATURE < 21) {
            assertOwn(liar.claimed);
        } else {
            assertThat(liar.claimed).isEqualTo(answer);
        }
        assertThat(liar.claimedInArray).isEqualTo(answer);
        assertOwn(user(real));
        assertThat(user(claim)).isEqualTo(answer);
        liar.end.countDown();
        Threads.join(liar);
        assertThat(user(real)).as("after its end").isEqualTo(-1);
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

    @Test
    void theIdOfAnotherThreadIsTheOthers() {
        Worker worker = new Worker() {
            @Override
            protected void work() {
                // A raw count of ticks misses time: on a busy machine most ticks find other threads.
                for (int i = 0; i < 100 && THREADS.getCurrentThreadUserTime() <= MUCH_NANOS; i++) {
                    Burn.cpuNanos(MUCH_NANOS);
                }
            }
        };
        worker.start(run -> new Thread(run, "truthful"));
        long user = user(worker.id());
        assertThat(user).isGreaterThan(MUCH_NANOS);
        assertClaim(worker.id(), user); // it sleeps, so its time is constant
        worker.end();
    }

    @Test
    void anUnknownIdIsNobodys() {
        assertClaim(UNKNOWN, -1);
    }

    @Test
    void anInvalidIdIsRefused() {
        assertClaim(0, REFUSED);
        assertClaim(-5, REFUSED);
    }

    /** If getId() throws, only the caller that asked for the thread's id gets the exception. */
    @Test
    void anIdThatThrowsIsTheCallersProblem() {
        Throwable[] failure = new Throwable[1];
        Worker worker = new Worker() {
            @Override
            protected void work() {
                try {
                    assertThat(THREADS.getCurrentThreadUserTime()).isNotNegative();
                    if (Jvm.FEATURE < 21) {
                        assertThatExceptionOfType(UnsupportedOperationException.class)
                                .isThrownBy(() -> THREADS.getThreadUserTime(UNKNOWN));
                    } else {
                        assertThat(THREADS.getThreadUserTime(UNKNOWN)).isEqualTo(-1);
                    }
                    assertThat(users(UNKNOWN, UNKNOWN)).containsExactly(-1, -1);
                } catch (Throwable e) {
                    failure[0] = e;
                }
            }
        };
        long real = realId(() -> worker.make(run -> new Thread(run, "throws") {
            @Override
            public long getId() {
                throw new UnsupportedOperationException("no id");
            }
        }));
        worker.start();
        assertThat(failure[0]).isNull();
        Jvm.assertBurnt(THREADS.getThreadUserTime(real));
        worker.end();
    }
}
