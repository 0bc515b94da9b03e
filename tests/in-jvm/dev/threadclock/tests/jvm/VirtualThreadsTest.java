// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.VirtualAccounts.burn;
import static dev.threadclock.tests.child.VirtualAccounts.join;
import static dev.threadclock.tests.child.VirtualAccounts.joinAll;
import static dev.threadclock.tests.child.VirtualAccounts.load;
import static dev.threadclock.tests.child.VirtualAccounts.pauseSomehow;
import static dev.threadclock.tests.child.VirtualAccounts.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTimes;
import dev.threadclock.CpuWork;
import dev.threadclock.Freshness;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import dev.threadclock.command.probe.VirtualSwitch;
import dev.threadclock.tests.child.Threads;
import dev.threadclock.tests.child.VirtualAccounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Virtual threads have a CPU time of their own while they are accounted for, and otherwise none. */
class VirtualThreadsTest {
    private static final long SLICE_NANOS = 2_000_000;
    /** By how much more CPU time than elapsed time an interpolated total may show. */
    private static final long AHEAD_NANOS = 1_000_000;

    private static final CpuTimes NOTHING = new CpuTimes();
    private static volatile boolean done;

    private volatile VirtualThreads.Accounting accounting;

    @BeforeEach
    void begin() {
        done = false;
    }

    @AfterEach
    void stop() {
        if (accounting != null) {
            accounting.close();
        }
    }

    /**
     * Compares the sum of slices, between all ways to be unmounted, with the carriers' time. The work between
     * unmount and mount is missing: the more, the shorter the slices are and the more often other load
     * interrupts it. The lab shows how little it is on a quiet machine.
     */
    @ParameterizedTest(name = "by {0}")
    @EnumSource(value = Freshness.class, names = {"INTERPOLATED", "NOW"})
    @Tag("plain")
    @Tag("events")
    @Tag("unreported")
    void theirTimesAddUpToTheirCarriers(Freshness clock) throws Throwable {
        Jvm.assumeVirtualThreads();
        accounting = VirtualThreads.startAccounting(clock);
        AtomicLong total = new AtomicLong();
        AtomicLong parts = new AtomicLong();
        load(SLICE_NANOS, VirtualSwitch::carriersNanos, 500_000_000, total, parts); // compiles it
        total.set(0);
        parts.set(0);
        long before = VirtualSwitch.carriersNanos();
        load(SLICE_NANOS, VirtualSwitch::carriersNanos, 1_000_000_000, total, parts);
        long carriers = VirtualSwitch.carriersNanos() - before;
        assertThat(total.get()).isBetween(carriers * 3 / 4, carriers + 2_000_000);
        assertThat(parts).hasValue(total.get());
    }

    /** Own reads of all freshnesses, meters, and reads by other threads, while threads change carriers. */
    @Test
    @Tag("plain")
    @Tag("events")
    @Tag("unreported")
    @Tag("interpreted")
    void noValueDecreasesOrExceedsTheTimeThatPasses() throws Throwable {
        Jvm.assumeVirtualThreads();
        accounting = VirtualThreads.startAccounting();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            threads.add(start(() -> readOwn(2_500_000_000L)));
        }
        AtomicLong reads = new AtomicLong();
        Runnable reader = () -> {
            Map<Thread, CpuTimes> before = new HashMap<>();
            CpuTimes times = new CpuTimes();
            while (!done) {
                for (Thread thread : threads) {
                    if (ThreadClock.read(thread, times)) {
                        reads.incrementAndGet();
                        Jvm.assertNotBack(before.computeIfAbsent(thread, any -> new CpuTimes()), times);
                    } else {
                        assertTrue(times.totalNanos() == -1, "a failure is -1");
                    }
                }
            }
        };
        Thread platform = new Thread(reader);
        platform.setUncaughtExceptionHandler((thread, e) -> VirtualAccounts.failure = e);
        platform.start();
        Thread virtual = start(() -> {
            for (int i = 0; i < 20; i++) {
                ThreadClock.read(threads.get(i % threads.size()), new CpuTimes());
                Thread.yield();
            }
        });
        joinAll(threads);
        join(virtual);
        done = true;
        join(platform);
        assertTrue(!ThreadClock.read(threads.get(0), NOTHING), "an ended thread has no time");
        assertThat(reads).hasPositiveValue();
    }

    /** On a virtual thread, no value decreases and CPU time does not exceed elapsed time. */
    private static void readOwn(long runNanos) {
        CpuTimes times = new CpuTimes();
        CpuMeter meter = new CpuMeter();
        CpuTimes before = new CpuTimes();
        long[] single = new long[7];
        long end = System.nanoTime() + runNanos;
        for (int round = 0; System.nanoTime() < end; round++) {
            long began = System.nanoTime();
            assertTrue(ThreadClock.readNow(times), "its time is known");
            long total = times.totalNanos();
            meter.start();
            burn(round % 50 * 1_000L);
            pauseSomehow(round);
            meter.stop();
            assertTrue(ThreadClock.readNow(times), "its time is known");
            Jvm.assertNotBack(before, times);
            assertTrue(times.totalNanos() - total <= System.nanoTime() - began + AHEAD_NANOS,
                    "no more than passes");
            assertTrue(ThreadClock.read(times), "its time as of the tick is known");
            Jvm.assertNotBack(before, times);
            singles(single);
        }
        assertTrue(meter.totalNanos() > 0 && meter.totalNanos() <= before.totalNanos(),
                "the meter has this thread's time");
    }

    private static void singles(long[] single) {
        long[] now = {ThreadClock.userNanos(), ThreadClock.systemNanos(), ThreadClock.totalNanos(),
            ThreadClock.userNowNanos(), ThreadClock.systemNowNanos(), ThreadClock.totalNowNanos(),
            ThreadClock.totalInterpolatedNanos()};
        for (int i = 0; i < now.length; i++) {
            assertTrue(now[i] >= single[i], "read " + i + " does not decrease");
            single[i] = now[i];
        }
        assertTrue(now[0] <= now[3] && now[1] <= now[4] && now[2] <= now[5] && now[5] <= now[6],
                "each is later");
    }

    /** If accounting begins or ends during a thread's life, reads fail: never 0 or a carrier's time. */
    @Test
    @Tag("plain")
    @Tag("events")
    void withoutAccountingReadsFail() throws Throwable {
        Jvm.assumeVirtualThreads();
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Thread thread = start(() -> {
            CpuTimes times = new CpuTimes();
            burn(20_000_000);
            assertTrue(ThreadClock.userNanos() == -1 && ThreadClock.totalInterpolatedNanos() == -1
                    && !ThreadClock.read(times) && times.totalNanos() == -1
                    && ThreadClock.totalNowNanos() == -1,
                    "without accounting there is no time");
            assertThatIllegalStateException().isThrownBy(new CpuMeter()::start)
                    .withMessageContaining("virtual=on");
            accounting = VirtualThreads.startAccounting();
            long start = System.nanoTime();
            assertTrue(ThreadClock.readNow(times), "its time is known from here on");
            assertTrue(!times.isWhole(), "what came before is missing");
            long total = times.totalNanos();
            burn(20_000_000);
            assertTrue(ThreadClock.readNow(times) && times.totalNanos() > total, "it is accounted for");
            assertTrue(times.totalNanos() - total <= System.nanoTime() - start + AHEAD_NANOS,
                    "no more than passes");
            began.countDown();
            Threads.await(goesOn);
            CpuMeter meter = new CpuMeter().start();
            CpuWork work = new CpuWork().open();
            burn(10_000_000);
            accounting.close();
            assertTrue(!ThreadClock.readNow(times), "its time is unknown again");
            accounting = VirtualThreads.startAccounting();
            CpuTimes again = new CpuTimes();
            assertTrue(ThreadClock.readNow(again) && !again.isWhole(), "another account");
            meter.stop();
            work.close();
            assertTrue(meter.totalNanos() == -1 && work.totalNanos() == 0 && work.isPartial(),
                    "an interval over the gap is unknown");
            assertTrue(again.totalNanosSince(times) == -1, "so is the difference");
        });
        while (!began.await(100, TimeUnit.MILLISECONDS)) {
            VirtualAccounts.rethrow();
        }
        CpuTimes times = new CpuTimes();
        assertTrue(ThreadClock.read(thread, times) && !times.isWhole(), "others see the same");
        goesOn.countDown();
        join(thread);
        assertTrue(ThreadClock.tid(thread) == -1, "a virtual thread has no TID");
    }

    /** One that was unmounted when accounting began has run before; one that begins later has not. */
    @Test
    @Tag("plain")
    @Tag("events")
    void onlyWhatBeganSinceIsWhole() throws Throwable {
        Jvm.assumeVirtualThreads();
        Thread before = start(() -> {
            LockSupport.park();
            assertWhole(false);
        });
        while (before.getState() != Thread.State.WAITING) {
            VirtualAccounts.rethrow();
            Thread.yield();
        }
        accounting = VirtualThreads.startAccounting();
        LockSupport.unpark(before);
        join(before);
        join(start(() -> {
            Thread.yield();
            assertWhole(true);
        }));
    }

    private static void assertWhole(boolean whole) {
        CpuTimes times = new CpuTimes();
        assertTrue(ThreadClock.readNow(times) && times.isWhole() == whole, "whole: " + whole);
    }

    /** HotSpot still offers its events with that flag, but sends none, so all times would stay 0. */
    @Test
    @Tag("refused")
    void aJvmThatReportsNoSwitchesRefuses() {
        assertRefused("-XX:-DoJVMTIVirtualThreadTransitions", "start it without that flag");
    }

    @Test
    @Tag("plain")
    void aJvmWithoutThemRefuses() {
        assumeTrue(Jvm.FEATURE < 21, "from JDK 21 on there are virtual threads");
        assertRefused("HotSpot 21");
    }

    private static void assertRefused(String... why) {
        assertThatThrownBy(VirtualThreads::startAccounting).isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(why);
        assertThat(VirtualThreads.isAccounting()).isFalse();
    }

    @Test
    @Tag("accounted")
    void theAgentsOptionSwitchesItOn() throws Throwable {
        assertThat(VirtualThreads.isAccounting()).isTrue();
        // By the ticks, a thread that has only just begun has used nothing.
        join(start(() -> {
            long began = System.nanoTime();
            while (ThreadClock.totalNowNanos() == 0 && System.nanoTime() - began < 10_000_000_000L) {
            }
            assertTrue(ThreadClock.totalNowNanos() > 0, "a virtual thread reads its time");
        }));
    }

    /** A virtual thread with its own platform thread always has the kernel's clock. */
    @Test
    @Tag("bound")
    void thoseWithTheirOwnPlatformThreadHaveTheKernelsClock() throws Throwable {
        Runnable body = () -> {
            CpuTimes times = new CpuTimes();
            long before = ThreadClock.totalNowNanos();
            burn(20_000_000);
            assertTrue(ThreadClock.readNow(times) && times.totalNanos() > before && times.isWhole(),
                    "it has its time");
            assertTrue(ThreadClock.tid(Thread.currentThread()) > 0, "and a TID");
            assertTrue(new CpuMeter().start().stop().totalNanos() >= 0, "and a meter");
        };
        join(start(body));
        try (VirtualThreads.Accounting one = VirtualThreads.startAccounting()) {
            join(start(body));
        }
        join(start(body));
    }
}
