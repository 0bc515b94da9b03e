// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Burn.THREADS;
import static dev.threadclock.tests.child.Threads.UNKNOWN;
import static dev.threadclock.tests.child.Threads.own;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.sun.management.ThreadMXBean;
import dev.threadclock.tests.child.Active;
import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Threads;
import dev.threadclock.tests.child.Threads.Worker;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** ThreadMXBean's answers for each kind of id, alone and in arrays: the same with and without the agent. */
@Tag("plain")
@Tag("agentpath")
@Tag("now")
@Tag("javaagent")
class ContractTest {
    private static final long HIGH_BIT = 1L << 32;

    private static Worker worker;
    private static long id;
    private static long ended;
    private static long unstarted;

    @BeforeAll
    @SuppressWarnings("deprecation")
    static void start() {
        worker = Worker.started("worker");
        id = worker.id();
        Thread thread = new Thread(() -> Burn.cpuNanos(40_000_000), "ended");
        thread.start();
        Threads.join(thread);
        ended = thread.getId();
        unstarted = new Thread("unstarted").getId();
    }

    @AfterAll
    static void end() {
        worker.end();
    }

    private static long user(long id) {
        return THREADS.getThreadUserTime(id);
    }

    static long[] users(long... ids) {
        return THREADS.getThreadUserTime(ids);
    }

    private static void assertOwnTime() {
        assertThat(THREADS.getCurrentThreadUserTime()).isNotNegative();
        assertThat(user(own())).isNotNegative();
        Jvm.assertTimes(1, users(own()));
        Jvm.assertTimes(2, users(own(), own()));
    }

    @Test
    void itIsSupportedAndEnabled() {
        assertThat(THREADS.isThreadCpuTimeSupported()).isTrue();
        assertThat(THREADS.isCurrentThreadCpuTimeSupported()).isTrue();
        assertThat(THREADS.isThreadCpuTimeEnabled()).isTrue();
    }

    /**
     * So that the other tests are about the agent where there is one. The thread is a new one, because one
     * that others have read may have finer times than those that it reads itself.
     */
    @Test
    void theAgentAnswersWhereItIsLoaded() throws Exception {
        FutureTask<Boolean> active = new FutureTask<>(Active::active);
        new Thread(active).start();
        assertThat(active.get()).isEqualTo(!System.getProperty("threadclock.form").equals("plain"));
    }

    @Test
    void theCallingThreadHasATime() {
        assertOwnTime();
    }

    @Test
    void anotherThreadHasTheTimeItBurnt() {
        Jvm.assertBurnt(user(id), users(id)[0], users(id, own())[0]);
    }

    @Test
    void theTimeOfASleepingThreadIsConstant() {
        long user = user(id);
        for (int i = 0; i < 20; i++) {
            assertThat(user(id)).isEqualTo(user);
            assertThat(users(id, id)[1]).isEqualTo(user);
        }
    }

    @Test
    void anIdWithoutALiveThreadHasNone() {
        Worker ending = Worker.started("ending");
        ending.end();
        for (long nobody : new long[]{UNKNOWN, Long.MAX_VALUE, id + HIGH_BIT, ended, unstarted,
            ending.id()}) {
            assertThat(user(nobody)).as("id %s", nobody).isEqualTo(-1);
            long[] array = users(own(), nobody);
            assertThat(array[0]).isNotNegative();
            assertThat(array[1]).as("id %s", nobody).isEqualTo(-1);
        }
    }

    @Test
    void anIdBelowOneIsRefusedWhereverItStands() {
        for (long wrong : new long[]{0, -1, -id, Long.MIN_VALUE}) {
            assertThatIllegalArgumentException().isThrownBy(() -> user(wrong));
            assertThatIllegalArgumentException().isThrownBy(() -> users(wrong));
            assertThatIllegalArgumentException().isThrownBy(() -> users(wrong, id));
            assertThatIllegalArgumentException().isThrownBy(() -> users(id, own(), wrong));
        }
    }

    @Test
    void arraysMayBeEmptyOrMixedButNotNull() {
        assertThatNullPointerException().isThrownBy(() -> users((long[]) null));
        assertThat(users()).isEmpty();
        Jvm.assertTimes(5, users(id, own(), id, own(), id));
        long[] mixed = users(UNKNOWN, id, ended, own(), unstarted, id);
        assertThat(mixed).hasSize(6);
        assertThat(mixed[5]).isEqualTo(mixed[1]);
        for (int i = 0; i < mixed.length; i++) {
            assertThat(mixed[i] >= 0).as("place %s of %s", i, Arrays.toString(mixed)).isEqualTo(i % 2 == 1);
            assertThat(mixed[i]).isGreaterThanOrEqualTo(-1);
        }
    }

    /** One third are alive, one third have ended, and one third have never existed. */
    @Test
    @SuppressWarnings("deprecation")
    void aThousandIdsAreAnsweredInOrder() {
        long[] gone = new long[50];
        for (int i = 0; i < gone.length; i++) {
            Thread thread = new Thread("short");
            thread.start();
            Threads.join(thread);
            gone[i] = thread.getId();
        }
        long[] ids = new long[1000];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = i % 3 == 0 ? i % 2 == 0 ? id : own() : i % 3 == 1 ? gone[i % gone.length] : UNKNOWN - i;
        }
        long[] times = users(ids);
        assertThat(times).hasSize(ids.length);
        for (int i = 0; i < ids.length; i++) {
            if (i % 3 != 0) {
                assertThat(times[i]).isEqualTo(-1);
            } else if (i % 2 == 0) {
                Jvm.assertBurnt(times[i]);
            } else {
                assertThat(times[i]).isNotNegative();
            }
        }
    }

    private static long[] same(int length, long id) {
        long[] ids = new long[length];
        Arrays.fill(ids, id);
        long[] times = users(ids);
        assertThat(ids).as("the array of ids").containsOnly(id);
        return times;
    }

    @Test
    void oneIdAThousandTimesHasOneTime() {
        long[] times = same(1000, id);
        assertThat(times[0]).isNotNegative();
        assertThat(times).hasSize(1000).containsOnly(times[0]);
        assertThat(same(1000, ended)).containsOnly(-1);
        assertThat(same(100_000, UNKNOWN)).hasSize(100_000).containsOnly(-1);
    }

    /** They have their own time or -1, and after -1 always -1. */
    @Test
    @SuppressWarnings("deprecation")
    void threadsThatEndWhileTheyAreRead() {
        for (int i = 0; i < 300; i++) {
            Thread thread = new Thread("ends");
            long began = System.nanoTime();
            thread.start();
            boolean gone = false;
            while (!gone || thread.isAlive()) {
                long user = i % 2 == 0 ? user(thread.getId()) : users(own(), thread.getId())[1];
                // On no JDK is it -1 at the very start: when start() returns, the thread is in the JVM's list
                // or has ended.
                assertThat(user).isBetween(-1L, gone ? -1 : System.nanoTime() - began + 10_000_000);
                gone = user == -1;
            }
            Threads.join(thread);
            assertThat(user(thread.getId())).isEqualTo(-1);
        }
    }

    /** As JMX clients see it: a proxy gets the server's attributes and invokes its operations. */
    @Test
    void throughTheMBeanServer() throws Exception {
        ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                ManagementFactory.getPlatformMBeanServer(), ManagementFactory.THREAD_MXBEAN_NAME,
                ThreadMXBean.class);
        assertThat(threads.getCurrentThreadUserTime()).isNotNegative();
        long[] times = threads.getThreadUserTime(new long[]{id, UNKNOWN, id});
        Jvm.assertBurnt(threads.getThreadUserTime(id), times[0], times[2]);
        assertThat(times[1]).isEqualTo(-1);
        assertThatIllegalArgumentException().isThrownBy(() -> threads.getThreadUserTime(0));
    }

    @Test
    void totalsAreAnsweredLikewise() {
        assertThat(THREADS.getCurrentThreadCpuTime()).isNotNegative();
        assertThat(THREADS.getThreadCpuTime(id)).isNotNegative();
        long[] totals = THREADS.getThreadCpuTime(new long[]{id, own(), UNKNOWN, ended});
        Jvm.assertTimes(2, Arrays.copyOf(totals, 2));
        assertThat(Arrays.copyOfRange(totals, 2, 4)).containsOnly(-1);
        assertThatIllegalArgumentException().isThrownBy(() -> THREADS.getThreadCpuTime(0));
    }

    @Test
    void switchedOffNobodyHasATime() {
        THREADS.setThreadCpuTimeEnabled(false);
        try {
            assertThat(THREADS.isThreadCpuTimeEnabled()).isFalse();
            assertThat(THREADS.getCurrentThreadUserTime()).isEqualTo(-1);
            assertThat(THREADS.getCurrentThreadCpuTime()).isEqualTo(-1);
            assertThat(user(own())).isEqualTo(-1);
            assertThat(users(own())).containsExactly(-1);
            assertThat(users(own(), own())).containsExactly(-1, -1);
            assertThat(user(id)).isEqualTo(-1);
            assertThat(users(id, own(), UNKNOWN)).containsExactly(-1, -1, -1);
            assertThat(users()).isEmpty();
            assertThatNullPointerException().isThrownBy(() -> users((long[]) null));
            assertThatIllegalArgumentException().isThrownBy(() -> user(0));
            assertThatIllegalArgumentException().isThrownBy(() -> users(id, 0));
        } finally {
            THREADS.setThreadCpuTimeEnabled(true);
        }
        assertOwnTime();
        Jvm.assertBurnt(user(id));
    }

    /** The bean has no time of a virtual thread, whoever asks. */
    @Test
    @SuppressWarnings("deprecation")
    void virtualThreadsHaveNone() throws Exception {
        Jvm.assumeVirtualThreads();
        CountDownLatch mounted = new CountDownLatch(1);
        CountDownLatch askedMounted = new CountDownLatch(1);
        CountDownLatch parks = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        FutureTask<Void> itself = new FutureTask<>(() -> {
            Burn.slice();
            assertThat(THREADS.getCurrentThreadUserTime()).isEqualTo(-1);
            assertThat(THREADS.getCurrentThreadCpuTime()).isEqualTo(-1);
            assertThat(user(own())).isEqualTo(-1);
            assertThat(users(own())).containsExactly(-1);
            long[] both = users(own(), id);
            assertThat(both[0]).isEqualTo(-1);
            Jvm.assertBurnt(both[1], user(id));
            assertThatIllegalArgumentException().isThrownBy(() -> user(0));
            mounted.countDown();
            while (askedMounted.getCount() > 0) {
                Burn.slice();
            }
            parks.countDown();
            Threads.await(end);
            return null;
        });
        Thread virtual = Threads.virtual(null, itself);
        long virtualId = virtual.getId();
        while (!mounted.await(1, TimeUnit.MILLISECONDS) && !itself.isDone()) {
            Thread.yield();
        }
        assertThat(user(virtualId)).as("while it is mounted").isEqualTo(-1);
        long[] array = users(virtualId, id, virtualId);
        assertThat(new long[]{array[0], array[2]}).containsOnly(-1);
        Jvm.assertBurnt(array[1]);
        askedMounted.countDown();
        parks.await(5, TimeUnit.SECONDS);
        Threads.pause(20);
        assertThat(user(virtualId)).as("while it is parked").isEqualTo(-1);
        end.countDown();
        itself.get();
        Threads.join(virtual);
        assertThat(user(virtualId)).as("after its end").isEqualTo(-1);
        assertThat(user(Threads.idOf("ForkJoinPool-"))).as("its carrier").isNotNegative();
    }
}
