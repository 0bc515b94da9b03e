// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup.Kind;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import dev.threadclock.internal.Native;
import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Helper;
import dev.threadclock.tests.child.Threads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The account of the process adds up and never decreases while threads come and go. */
@Tag("plain")
class AccountTest {
    private static final int ENDING = 20;
    /** The library's. A field, because otherwise it is collected, with its filter. */
    private static final Logger LOG = Logger.getLogger("dev.threadclock");
    /** By how much the interpolated totals of a few carriers may be ahead. */
    private static final long AHEAD_NANOS = 5_000_000;
    private static volatile boolean stop;
    private static volatile Object garbage;

    @Test
    void aRecentOneIsReadAgain() {
        assertThat(CpuAccount.read(Duration.ofHours(1))).isSameAs(CpuAccount.read(Duration.ofHours(1)));
    }

    @Test
    void eachKindOfThreadThatTheJvmHasIsInIt() throws Exception {
        churn(AccountTest::shortThread); // which also makes garbage, and code to compile
        if (Jvm.FEATURE >= 21) {
            virtualThreads();
        }
        for (Kind kind : Kind.values()) {
            boolean present = Jvm.FEATURE >= 21 || kind != Kind.VIRTUAL && kind != Kind.CARRIER;
            long total = CpuAccount.read().groups().stream().filter(group -> group.kind() == kind)
                    .mapToLong(group -> group.times().totalNanos()).sum();
            assertThat(total > 0).as("%s: %s", kind, total).isEqualTo(present);
        }
    }

    private static CpuAccount now() {
        return CpuAccount.read(Duration.ZERO);
    }

    private static CpuGroup pool(CpuAccount account, String name) {
        return group(account, Kind.JAVA, name);
    }

    private static CpuGroup group(CpuAccount account, Kind kind, String name) {
        return account.groups().stream()
                .filter(group -> group.kind() == kind && group.name().equals(name)).findFirst()
                .orElseThrow(() -> new AssertionError(name + " is missing in " + account.groups()));
    }

    /** Each thread of a pool works, is read while it waits, and ends. */
    @Test
    void endedThreadsStay() throws Exception {
        AtomicLong used = new AtomicLong();
        Crowd crowd = new Crowd(ENDING, "ending-", () -> {
            Burn.cpuNanos(20_000_000);
            used.addAndGet(ThreadClock.totalNowNanos());
        });
        crowd.awaitWork();
        CpuGroup living = pool(now(), "ending-*");
        assertTrue(living.threads() == ENDING, "not all of them: " + living);
        assertTrue(living.times().totalNanos() >= used.get(), used + " ns are more than " + living);
        crowd.end();
        CpuGroup ended = pool(now(), "ending-*");
        assertTrue(ended.threads() == 0, "still there: " + ended);
        assertTrue(ended.times().totalNanos() >= living.times().totalNanos(), living + " became " + ended);
    }

    /** No reading sees these threads. From JDK 19 on, only a JVM with the agent reports their ends. */
    @Test
    @Tag("agentpath")
    void shortThreadsAreInTheirPool() throws Exception {
        Assumptions.assumeTrue(Jvm.FEATURE < 19 || !System.getProperty("threadclock.form").equals("plain"),
                "this JVM need not report ends");
        long unseen = group(now(), Kind.UNSEEN, "(unseen)").times().totalNanos();
        AtomicLong used = new AtomicLong();
        for (int i = 0; i < 50; i++) {
            Thread thread = new Thread(() -> {
                Burn.cpuNanos(5_000_000);
                used.addAndGet(ThreadClock.totalNowNanos());
            }, "brief-" + i);
            thread.start();
            thread.join();
        }
        CpuAccount account = now();
        long found = pool(account, "brief-*").times().totalNanos();
        long lost = group(account, Kind.UNSEEN, "(unseen)").times().totalNanos() - unseen;
        assertTrue(found >= used.get() && found < used.get() * 1.1, found + " instead of " + used);
        assertTrue(lost < used.get() / 4, lost + " of " + used + " are unseen: " + account.groups());
    }

    /** The JVM still has its Thread object, and need not report that it has left. */
    @Test
    void aNativeThreadThatHasLeftIsNoLongerJavas() throws Exception {
        Jvm.assumeHelper();
        Thread[] attached = new Thread[1];
        AtomicLong tid = new AtomicLong();
        AtomicLong id = new AtomicLong();
        AtomicLong used = new AtomicLong();
        Thread starter = new Thread(() -> Helper.attached(() -> {
            tid.set(tid());
            id.set(idInEvents(tid.get()));
            used.set(pool(now(), "attached").times().totalNanos());
            attached[0] = Thread.currentThread();
        }, 1, 200, false));
        starter.start();
        while (attached[0] == null || attached[0].isAlive()) {
            Thread.yield();
        }
        long idAfterwards = idInEvents(tid.get());
        while (starter.isAlive()) {
            now();
            starter.join(5);
        }
        assertThat(id).hasValue(attached[0].getId());
        assertThat(idAfterwards).isNotPositive();
        assertThat(pool(now(), "attached").times().totalNanos()).isLessThan(used.get() + 100_000_000);
    }

    private static long tid() {
        try {
            return Long.parseLong(Paths.get("/proc/thread-self").toRealPath().getFileName().toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of a thread that has run since the last call; -1: it has ended. */
    private static long idInEvents(long tid) {
        Object[] read = Native.readThreads(Thread.getAllStackTraces().keySet().toArray(new Thread[0]));
        long[] values = (long[]) read[0];
        int row = 1;
        while (row < read.length && values[4 * row + 1] != tid) {
            row++;
        }
        return row < read.length ? values[4 * row] : -1;
    }

    /** Two burners per CPU: their pool's waiting time is the sum of the kernel's values for its threads. */
    @Test
    void aPoolsWaitingTimeIsTheKernels() throws Exception {
        AtomicLong readThemselves = new AtomicLong();
        Crowd crowd = new Crowd(2 * Runtime.getRuntime().availableProcessors(), "burner-", () -> {
            Burn.until(System.nanoTime() + 600_000_000);
            readThemselves.addAndGet(ThreadClock.waitedNanos());
        });
        crowd.awaitWork();
        long before = crowd.waitedNanos();
        CpuGroup burners = pool(now(), "burner-*");
        long after = crowd.waitedNanos();
        if (before > 0) {
            assertTrue(burners.waitedNanos() >= before * 0.95 && burners.waitedNanos() <= after * 1.05,
                    burners + ", but the kernel says " + before + " to " + after);
            assertTrue(readThemselves.get() >= before / 2 && readThemselves.get() <= after,
                    "the burners themselves have read " + readThemselves + " of " + after);
        } else {
            assertTrue(burners.waitedNanos() == -1 || after > 0, "a wait that the kernel does not count");
        }
        crowd.end();
    }

    /** No value decreases while threads of a few hundred microseconds come and go, whichever thread reads. */
    private static void churn(Starter starter) throws Exception {
        stop = false;
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            threads.add(new Thread(() -> startThreads(starter), "starter-" + i));
            threads.add(new Thread(AccountTest::readThroughout, "reader-" + i));
        }
        for (Thread thread : threads) {
            thread.setUncaughtExceptionHandler((failed, e) -> failure.compareAndSet(null, e));
            thread.start();
        }
        Thread.sleep(1_500);
        stop = true;
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new AssertionError("in a thread", failure.get());
        }
    }

    /** Starts a thread with this number and waits for its end. */
    private interface Starter {
        void run(int number) throws Exception;
    }

    private static void startThreads(Starter starter) {
        for (int i = 0; !stop; i++) {
            try {
                starter.run(i);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void shortThread(int number) throws InterruptedException {
        Thread thread = new Thread(() -> {
            Burn.until(System.nanoTime() + 200_000);
            garbage = new byte[100_000];
        }, "short-" + number);
        thread.start();
        thread.join();
    }

    /** The groups have what their threads read at their ends, before and after accounting is switched off. */
    private static void virtualThreads() throws Exception {
        AtomicLong used = new AtomicLong();
        VirtualThreads.Accounting accounting = VirtualThreads.startAccounting();
        churn(number -> virtualThread("request " + number, () -> {
            Burn.slice();
            used.addAndGet(ThreadClock.totalNowNanos());
        }));
        CpuGroup requests = group(now(), Kind.VIRTUAL, "request *");
        assertTrue(requests.times().totalNanos() >= used.get() - AHEAD_NANOS && used.get() > 0,
                used + " ns are more than " + requests);
        assertTrue(requests.waitedNanos() == -1, "a wait that is its carriers': " + requests);
        accounting.close();
        CpuGroup afterwards = group(now(), Kind.VIRTUAL, "request *");
        assertTrue(afterwards.threads() == 0
                && afterwards.times().totalNanos() >= requests.times().totalNanos(),
                requests + " became " + afterwards);
    }

    private static void readThroughout() {
        Map<String, CpuGroup> seen = Collections.emptyMap();
        while (!stop) {
            Map<String, CpuGroup> now = CpuAccount.read(Duration.ofMillis(1)).groups().stream()
                    .collect(Collectors.toMap(group -> group.kind() + group.name(), group -> group));
            seen.forEach((name, before) -> {
                CpuGroup group = now.get(name);
                assertTrue(group != null, name + " disappeared");
                assertTrue(group.times().userNanos() >= before.times().userNanos()
                        && group.times().systemNanos() >= before.times().systemNanos()
                        && group.times().totalNanos() >= before.times().totalNanos()
                        && group.waitedNanos() >= before.waitedNanos(), before + " became " + group);
                assertTrue(
                        group.times().userNanos() + group.times().systemNanos() <= group.times().totalNanos(),
                        "more than the total: " + group);
            });
            seen = now;
        }
    }

    /** Including short-lived threads, the sum equals the process's clock within 1 %. */
    @Test
    void itAddsUpToTheProcess() {
        CpuTimes process = new CpuTimes();
        for (int i = 0; i < 20; i++) {
            ThreadClock.readProcess(process);
            long before = process.totalNanos();
            CpuAccount account = now();
            ThreadClock.readProcess(process);
            long sum = account.process().totalNanos();
            assertTrue(sum >= before * 0.99 && sum <= process.totalNanos() * 1.01,
                    "the sum is " + sum + ", the process's clock " + before + " to " + process + "\n"
                            + account.groups());
        }
    }

    /**
     * Threads with unique names, three hundred pools that come and go, and virtual threads: every 100 ms the
     * groups add up to the process's clock, and none decreases, unless its time has moved to the past pools.
     * Between two readings on a busy machine more pools may work than there are places: a warning says so.
     */
    @Test
    @Tag("agentpath")
    void theGroupsAddUpInAStorm() throws Exception {
        VirtualThreads.Accounting accounting = Jvm.FEATURE >= 21 ? VirtualThreads.startAccounting() : null;
        stop = false;
        LOG.setFilter(line -> !line.getMessage().startsWith("the CPU account has "));
        List<Thread> starters = new ArrayList<>();
        starters.add(new Thread(() -> startThreads(AccountTest::shortThread)));
        starters.add(new Thread(() -> startThreads(number -> burst(UUID.randomUUID().toString()))));
        starters.add(new Thread(() -> startThreads(number -> burst("pool-" + (char) ('a' + number % 20)
                + (char) ('a' + number / 20 % 15) + "-" + number))));
        if (accounting != null) {
            starters.add(new Thread(() -> startThreads(number -> virtualThread("request" + number % 3,
                    Burn::slice))));
        }
        starters.forEach(Thread::start);
        try {
            CpuAccount last = now();
            for (int i = 0; i < 10 * Integer.getInteger("threadclock.sums.seconds", 2); i++) {
                Thread.sleep(100);
                last = addsUp(last);
            }
        } finally {
            stop = true;
            for (Thread starter : starters) {
                starter.join();
            }
            if (accounting != null) {
                accounting.close();
            }
            LOG.setFilter(null);
        }
    }

    private static void burst(String name) throws InterruptedException {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> Burn.until(System.nanoTime() + 300_000), name);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Starts one that works, leaves its carrier, does this on the next, and waits for its end. */
    private static void virtualThread(String name, Runnable then) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Threads.virtual(name, () -> {
            Burn.until(System.nanoTime() + 200_000);
            Thread.yield();
            then.run();
            ended.countDown();
        });
        ended.await();
    }

    private static CpuAccount addsUp(CpuAccount last) {
        CpuTimes process = new CpuTimes();
        ThreadClock.readProcess(process);
        long before = process.totalNanos();
        CpuAccount account = now();
        ThreadClock.readProcess(process);
        long sum = account.process().totalNanos();
        assertTrue(sum >= before * 0.99 && sum <= process.totalNanos() * 1.01 && sum >= last.process()
                .totalNanos(), "the sum is " + sum + " after " + last.process() + ", the process's clock "
                        + before + " to " + process);
        Map<String, CpuGroup> groups = account.groups().stream()
                .collect(Collectors.toMap(group -> group.kind() + group.name(), group -> group));
        long past = past(groups.get("JAVA" + CpuAccount.PAST_POOLS));
        for (CpuGroup group : last.groups()) {
            if (group.name().equals(CpuAccount.PAST_POOLS)) {
                past -= past(group);
            }
        }
        for (CpuGroup old : last.groups()) {
            CpuGroup group = groups.get(old.kind() + old.name());
            boolean decreased = group == null || group.times().userNanos() < old.times().userNanos()
                    || group.times().systemNanos() < old.times().systemNanos();
            assertTrue(!decreased || (old.kind() == Kind.JAVA && past >= old.times().totalNanos()),
                    old + " became " + group + ", past pools grew by " + past);
        }
        return account;
    }

    private static long past(CpuGroup pastPools) {
        return pastPools == null ? 0 : pastPools.times().totalNanos();
    }

    @Test
    void throttlingIsTheCgroups() {
        String limit = System.getProperty("threadclock.cpus"); // "Infinity": none; "": no control group
        long least = limit.isEmpty() ? -1 : 0;
        long most = limit.isEmpty() ? -1 : limit.equals("Infinity") ? 0 : Long.MAX_VALUE;
        CpuAccount account = now();
        assertTrue(account.throttledNanos() >= least && account.throttledNanos() <= most
                && account.throttledPeriods() >= least && account.throttledPeriods() <= most,
                account + " with a limit of " + limit + " CPUs");
    }

    private static String text(String file) {
        try {
            return new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** Threads of one pool that work at the same time, wait until they have been read, and end. */
    private static final class Crowd {
        private final List<Thread> threads = new ArrayList<>();
        private final List<Integer> tids = new ArrayList<>();
        private final CountDownLatch worked;
        private final CountDownLatch end = new CountDownLatch(1);

        Crowd(int size, String name, Runnable work) {
            worked = new CountDownLatch(size);
            for (int i = 0; i < size; i++) {
                Thread thread = new Thread(() -> {
                    work.run();
                    worked.countDown();
                    Threads.await(end);
                }, name + i);
                threads.add(thread);
            }
            threads.forEach(Thread::start);
        }

        void awaitWork() throws InterruptedException {
            worked.await();
            threads.forEach(thread -> tids.add(ThreadClock.tid(thread)));
        }

        /** The sum of the threads' waiting times, the second field of schedstat. */
        long waitedNanos() {
            return tids.stream().map(tid -> text("/proc/self/task/" + tid + "/schedstat").split(" "))
                    .mapToLong(fields -> fields.length < 2 ? 0 : Long.parseLong(fields[1])).sum();
        }

        /** Returns when the kernel has removed the threads. */
        void end() throws InterruptedException {
            end.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            for (int tid : tids) {
                while (Files.exists(Paths.get("/proc/self/task/" + tid))) {
                    Thread.sleep(1); // join returns before the kernel has removed them
                }
            }
        }
    }
}
