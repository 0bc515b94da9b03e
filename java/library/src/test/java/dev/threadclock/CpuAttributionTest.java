// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.threadclock.CpuAttribution.Scope;
import dev.threadclock.tests.shared.Work;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scopes by key on one thread and on several, and what happens where they are not closed as they should. */
class CpuAttributionTest {
    private static final long WORK_NANOS = 20_000_000;
    /** What a host takes away counts in an interval of a thread at first, and is taken off its next ones. */
    private static final long STOLEN_NANOS = 1_000_000;

    private final CpuAttribution keys = new CpuAttribution("key");
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private Map<String, CpuSnapshot> last = new HashMap<>();
    private int threads = 2; // that have scopes, at most

    @AfterEach
    void shutDown() {
        other.shutdownNow();
    }

    private static long burn() {
        return Work.burn(WORK_NANOS);
    }

    private static long processNanos() {
        CpuTimes times = new CpuTimes();
        ThreadClock.readProcess(times);
        return times.totalNanos();
    }

    /** Reads, and checks what holds of each reading. */
    private Map<String, CpuSnapshot> read() {
        long before = processNanos();
        Map<String, CpuSnapshot> reading = keys.read();
        long sum = reading.values().stream().mapToLong(CpuSnapshot::totalNanos).sum();
        assertThat(sum).isBetween(before, processNanos() + threads * STOLEN_NANOS);
        reading.forEach((key, used) -> {
            CpuSnapshot earlier = last.getOrDefault(key, CpuSnapshot.ZERO);
            assertThat(used.totalNanos()).as(key).isGreaterThanOrEqualTo(earlier.totalNanos());
            assertThat(used.userNanos()).as(key).isGreaterThanOrEqualTo(earlier.userNanos());
            assertThat(used.systemNanos()).as(key).isGreaterThanOrEqualTo(earlier.systemNanos());
        });
        last = reading;
        return reading;
    }

    private void assertUsed(String key, long atLeast, long atMost) {
        assertThat(read().get(key).totalNanos()).as(key).isBetween(atLeast - STOLEN_NANOS,
                atMost + STOLEN_NANOS);
    }

    /** What the calling thread uses while a task runs. */
    private static long around(Runnable task) {
        long before = ThreadClock.totalNowNanos();
        task.run();
        return ThreadClock.totalNowNanos() - before;
    }

    @Test
    void theInnermostKeyCountsAlone() {
        long[] burnt = new long[2];
        long all = around(() -> {
            try (Scope outer = keys.open("outer")) {
                burnt[0] += burn();
                try (Scope inner = keys.open("inner"); Scope again = keys.open("inner")) {
                    burnt[1] += burn();
                }
                burnt[0] += burn();
            }
        });
        assertUsed("outer", burnt[0], all - burnt[1]);
        assertUsed("inner", burnt[1], all - burnt[0]);
        assertThat(keys.whyPartial()).isEmpty();
    }

    @Test
    void scopesMayOverlap() {
        Scope first = keys.open("first");
        Scope second = keys.open("second");
        first.close();
        long burnt = burn();
        first.close(); // void
        second.close();
        burn(); // in none
        assertUsed("second", burnt, burnt + WORK_NANOS / 2);
        assertUsed("first", 0, WORK_NANOS / 2);
        assertThat(keys.whyPartial()).isEmpty();
    }

    @Test
    void anOpenScopeIsInTheReadings() throws Exception {
        CountDownLatch isBurnt = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<Long> task = other.submit(() -> {
            try (Scope running = keys.open("job")) {
                long burnt = burn();
                isBurnt.countDown();
                goOn.await();
                return burnt + burn();
            }
        });
        isBurnt.await();
        assertUsed("job", WORK_NANOS, 2 * WORK_NANOS);
        goOn.countDown();
        long burnt = task.get();
        assertUsed("job", burnt, burnt + WORK_NANOS / 2);
    }

    @Test
    void withoutAKeyNothingCounts() {
        try (Scope outer = keys.open("outer"); Scope none = keys.open(null)) {
            burn();
        }
        try (Scope none = keys.open("")) {
            burn();
        }
        assertUsed("outer", 0, WORK_NANOS / 2);
        assertThat(read()).hasSize(4);
    }

    @Test
    void tooLongAKeyIsOneOfTheOthers() {
        long burnt;
        try (Scope scope = keys.open("x".repeat(CpuAttribution.LONGEST_KEY + 1))) {
            burnt = burn();
        }
        assertUsed(CpuAttribution.OTHER, burnt, burnt + WORK_NANOS / 2);
        assertThat(read()).hasSize(3);
    }

    @Test
    void tasksCountForTheKeyWithinWhichTheyAreHandedOn() throws Exception {
        ExecutorService pool = keys.inheriting().metered(other);
        Future<?> task;
        try (Scope scope = keys.open("tenant")) {
            task = pool.submit(() -> keys.inheriting().wrap(CpuAttributionTest::burn).get());
        }
        task.get();
        pool.submit(CpuAttributionTest::burn).get();
        keys.of("report").metered(other).submit(CpuAttributionTest::burn).get();
        assertThat(keys.of("report").measureCallable(() -> 1)).isEqualTo(1);
        other.submit(() -> assertThat(keys.inheriting().context()).isNull()).get();
        assertUsed("tenant", WORK_NANOS, 2 * WORK_NANOS);
        assertUsed("report", WORK_NANOS, 2 * WORK_NANOS);
    }

    @Test
    void aKeyThatIsOpenedAgainAndAgainCountsAndIsHandedOn() {
        long before;
        try (Scope scope = keys.open("before")) {
            before = burn();
        }
        long[] burnt = new long[1];
        long all = around(() -> {
            for (int i = 0; i < 500; i++) { // then all records have this key
                try (Scope scope = keys.open("again")) {
                    burnt[0] += Work.burn(50_000);
                }
            }
        });
        assertUsed("before", before, before + WORK_NANOS / 2);
        assertUsed("again", burnt[0], all);
        for (boolean isOuterFirst : new boolean[]{false, true}) {
            Scope outer = keys.open("again");
            assertHandedOn("again");
            Scope inner = keys.open("inner");
            assertHandedOn("inner");
            (isOuterFirst ? outer : inner).close();
            keys.open("again").close();
            assertHandedOn(isOuterFirst ? "inner" : "again");
            (isOuterFirst ? inner : outer).close();
            assertHandedOn(null);
        }
        try (Scope scope = keys.open("another")) {
            assertHandedOn("another");
        }
    }

    private void assertHandedOn(String key) {
        assertThat(keys.inheriting().context()).isEqualTo(key);
    }

    @Test
    void aForgottenKeyIsRememberedOnceItIsOpenedAgain() throws Exception {
        CpuAttribution few = new CpuAttribution("key", 1); // of which 100 are remembered
        for (int i = 0; i < 200; i++) {
            few.open("again").close();
        }
        other.submit(() -> {
            for (int i = 0; i < 100; i++) {
                try (Scope scope = few.open("key" + i)) {
                    Work.burn(1_000_000);
                }
            }
        }).get();
        few.read(); // forgets the cheaper half
        try (Scope scope = few.open("again")) {
            burn();
        }
        assertThat(few.read()).containsKey("again");
    }

    @Test
    void aScopeThatAnotherThreadClosesCountsUntilThen() throws Exception {
        Scope outer = keys.open("outer");
        Scope inner = keys.open("inner");
        long burnt = burn();
        other.submit(inner::close).get();
        long read = read().get("inner").totalNanos();
        assertThat(read).isBetween(burnt - STOLEN_NANOS, burnt + WORK_NANOS / 2);
        burn();
        assertThat(read().get("inner").totalNanos()).isEqualTo(read);
        assertThat(keys.whyPartial()).contains("closed on another thread");
        inner.close(); // void
        burn(); // not in the outer one either
        try (Scope next = keys.open("next")) {
            outer.close(); // void
            burn();
        }
        burn();
        assertThat(read().get("inner").totalNanos()).isEqualTo(read);
        assertUsed("outer", 0, WORK_NANOS / 2);
        assertUsed("next", WORK_NANOS, 2 * WORK_NANOS);
    }

    /** The scope that another thread closes is over, or its interval goes on for the enclosing one. */
    @Test
    void closingElsewhereRacesWithNothing() throws Exception {
        AtomicReference<Scope> shared = new AtomicReference<>();
        AtomicBoolean isDone = new AtomicBoolean();
        Future<?> closer = other.submit(() -> {
            while (!isDone.get()) {
                Scope scope = shared.getAndSet(null);
                if (scope != null) {
                    scope.close();
                }
            }
        });
        long all = around(() -> {
            for (int i = 0; i < 20_000; i++) {
                Scope scope = keys.open("key" + i % 3);
                shared.set(scope);
                if (i % 100 == 0) {
                    read();
                }
                scope.close();
            }
        });
        isDone.set(true);
        closer.get();
        long sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += read().get("key" + i).totalNanos();
        }
        assertThat(sum).isBetween(1L, all + STOLEN_NANOS);
        try (Scope after = keys.open("after")) {
            burn();
        }
        assertUsed("after", WORK_NANOS, 2 * WORK_NANOS);
    }

    @Test
    void aThreadThatEndsWithinAScopeCountsAsFarAsItWasRead() throws Exception {
        CountDownLatch isBurnt = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            keys.open("lost");
            burn();
            isBurnt.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            burn();
        });
        thread.start();
        isBurnt.await();
        long read = read().get("lost").totalNanos();
        goOn.countDown();
        thread.join();
        assertThat(read().get("lost").totalNanos()).isEqualTo(read);
        assertThat(read().get("lost").totalNanos()).isEqualTo(read);
        assertThat(keys.whyPartial()).contains("ended within a scope");
        assertThat(read).isGreaterThanOrEqualTo(WORK_NANOS - STOLEN_NANOS);
    }

    /**
     * Each frame opens a scope, until the stack is used up at any point of open() and close(): nothing is
     * thrown out of them then or later, and no scope counts for another's key.
     */
    @Test
    void anExhaustedStackLeavesNoScopeOpen() throws Exception {
        List<Throwable> thrown = new ArrayList<>();
        AtomicInteger leftOpen = new AtomicInteger();
        for (int i = 0; i < 200; i++) {
            int size = 200_000 + 16 * i;
            Thread thread = new Thread(null, () -> {
                for (int round = 0; round < 3; round++) {
                    try {
                        deeper(0);
                    } catch (StackOverflowError e) {
                        // As intended.
                    }
                }
                long within = within();
                Work.burn(1_000_000); // in no scope
                leftOpen.addAndGet(
                        within() - within > 500_000 || keys.inheriting().context() != null ? 1 : 0);
                for (int round = 0; round < 300; round++) { // the records are taken in
                    keys.open("after" + round % 7).close();
                }
            }, "deep", size);
            thread.setUncaughtExceptionHandler((of, e) -> thrown.add(e));
            thread.start();
            thread.join();
            threads++;
            read();
        }
        assertThat(thrown).isEmpty();
        assertThat(keys.whyPartial()).contains("an error interrupted a thread");
        assertThat(leftOpen).hasValue(0);
    }

    private long within() {
        Map<String, CpuSnapshot> reading = keys.read();
        return reading.values().stream().mapToLong(CpuSnapshot::totalNanos).sum()
                - reading.get(CpuAttribution.UNATTRIBUTED).totalNanos();
    }

    private void deeper(int depth) {
        try (Scope scope = keys.open("deep" + depth % 13)) {
            deeper(depth + 1);
        }
    }

    private int depth;

    private void down(int frames, Runnable task) {
        depth++;
        if (frames == 0) {
            task.run();
        } else {
            down(frames - 1, task);
        }
    }

    /** Runs a task as near to the end of the stack as it can be called, or further away by some frames. */
    private void nearTheEnd(int away, Runnable task) {
        depth = 0;
        try {
            down(Integer.MAX_VALUE, task);
        } catch (StackOverflowError e) {
            // As intended.
        }
        try {
            down(Math.max(0, depth - away), task);
        } catch (StackOverflowError e) {
            // It cannot even be called.
        }
    }

    /** Whatever part of open() or close() has no stack: later scopes count, and nothing else does. */
    @Test
    void anExhaustedStackAtAnyPointLeavesTimeUnattributed() throws Exception {
        List<String> wrong = new ArrayList<>();
        Thread thread = new Thread(null, () -> {
            for (int i = 0; i < 480; i++) {
                boolean isAlone = i % 4 >= 2; // and of the key that each of the records has
                for (int again = 0; isAlone && again < 200; again++) {
                    keys.open("alone").close();
                }
                Scope outer = isAlone ? Scope.NONE : keys.open("outer" + i % 3);
                Scope scope = i % 4 == 3 ? Scope.NONE : keys.open(isAlone ? "alone" : "scope" + i % 3);
                List<Scope> opened = new ArrayList<>(1);
                nearTheEnd(i / 4, i % 2 == 0 ? scope::close : () -> opened.add(keys.open("alone")));
                opened.forEach(Scope::close);
                scope.close();
                outer.close();
                long within = within();
                Work.burn(200_000); // in no scope
                if (within() - within > 100_000 || keys.inheriting().context() != null) {
                    wrong.add("a scope is left open in round " + i);
                }
                try (Scope after = keys.open(isAlone ? "alone" : "after")) {
                    Work.burn(2 * STOLEN_NANOS);
                }
                if (within() - within < STOLEN_NANOS / 2) {
                    wrong.add("a later scope does not count in round " + i);
                }
            }
        }, "near the end", 200_000);
        thread.setUncaughtExceptionHandler((of, e) -> wrong.add(e.toString()));
        thread.start();
        thread.join();
        read();
        assertThat(wrong).isEmpty();
        assertThat(keys.whyPartial()).contains("an error interrupted a thread");
    }

    /** An error in the table: the scope does not count, and neither do the enclosing ones from then on. */
    @Test
    void aFullHeapLeavesTimeUnattributed() {
        boolean[] isFull = new boolean[1];
        KeyedScopes scopes = new KeyedScopes(3) {
            @Override
            synchronized KeyTable.Key add(String name) {
                if (isFull[0]) {
                    throw new OutOfMemoryError("as if");
                }
                return super.add(name);
            }
        };
        Scope outer = scopes.open("outer");
        isFull[0] = true;
        Scope inner = scopes.open("inner");
        burn();
        inner.close();
        isFull[0] = false;
        try (Scope after = scopes.open("after")) {
            burn();
        }
        burn(); // not in the outer one either
        outer.close();
        Map<String, CpuSnapshot> reading = scopes.read(0);
        assertThat(scopes.whyPartial()).contains("an error interrupted a thread");
        assertThat(reading).doesNotContainKey("outer");
        assertThat(reading.get("after").totalNanos()).isGreaterThanOrEqualTo(WORK_NANOS - STOLEN_NANOS);
        assertThat(reading).doesNotContainKey("inner");
    }

    /** A scope that is still open, or was, keeps its thread from nothing. */
    @Test
    void threadsAreNotKept() throws Exception {
        List<Scope> scopes = new ArrayList<>();
        Thread thread = new Thread(() -> {
            keys.open("closed").close();
            scopes.add(keys.open("open"));
        });
        thread.start();
        thread.join();
        WeakReference<Thread> ended = new WeakReference<>(thread);
        thread = null;
        for (int i = 0; i < 100 && ended.get() != null; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(ended.get()).isNull();
        scopes.forEach(Scope::close); // as by another thread
        assertThat(read()).containsKey("closed");
    }

    /** As by an application that never closes one: what is kept of them is bounded. */
    @Test
    void scopesThatAreNeverClosedAreNotKept() throws Exception {
        other.submit(() -> {
            for (int i = 0; i < 3 * KeyedScopes.DEEPEST; i++) {
                keys.open("key" + i % 3);
            }
            assertThat(keys.open("key").depth).isLessThan(KeyedScopes.DEEPEST);
        }).get();
        assertThat(keys.whyPartial()).contains("more than 1,000 deep");
    }

    /** Many keys on two threads, which pass on their sums all the time, while readings check themselves. */
    @Test
    void readingsAgreeWhileThreadsWork() throws Exception {
        AtomicBoolean isDone = new AtomicBoolean();
        ExecutorService two = Executors.newFixedThreadPool(2);
        List<Future<Long>> tasks = List.of(two.submit(() -> work(isDone)), two.submit(() -> work(isDone)));
        for (int i = 0; i < 300; i++) {
            read();
        }
        isDone.set(true);
        long within = 0;
        for (Future<Long> each : tasks) {
            within += each.get();
        }
        Map<String, CpuSnapshot> reading = read();
        long sum = reading.values().stream().mapToLong(CpuSnapshot::totalNanos).sum()
                - reading.get(CpuAttribution.UNATTRIBUTED).totalNanos();
        assertThat(sum).isGreaterThanOrEqualTo(within * 98 / 100);
        two.shutdown();
    }

    private long work(AtomicBoolean isDone) {
        long within = 0;
        for (int i = 0; !isDone.get(); i++) {
            try (Scope scope = keys.open("key" + i % 333)) {
                within += Work.burn(20_000);
            }
        }
        return within;
    }

    @Test
    void placesAreBounded() {
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuAttribution("key", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuAttribution("key", 901));
        assertThat(keys.name()).isEqualTo("key");
    }
}
