// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuBudget;
import dev.threadclock.ThreadClock;
import dev.threadclock.internal.BudgetWatcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program: uses budgets as its argument says, and then prints watched=, whether a new budget is used
 * up when it should be.
 */
public final class Budgets {
    private static final long LONGEST_NANOS = 60_000_000_000L;
    private static final int TRIES = 1000;
    private static final Duration LIMIT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofDays(1);

    private static int tries;
    private static int frames;
    private static boolean hasOpened;
    private static volatile boolean begins;
    private static volatile boolean isFull;
    private static volatile boolean isOver;

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "loaded" :
                printClassesLoadedByOpening();
                break;
            case "made" :
                onSmallStack(Budgets::openOnTheWayUp);
                break;
            case "first" :
                onManyThreads();
                break;
            case "threads" :
                withoutThreads();
                break;
            default :
                onFullHeap();
        }
        CpuBudget budget = new CpuBudget(LIMIT);
        useUp(budget);
        System.out.println("watched=" + budget.whyExhausted().contains("used up"));
        System.exit(0);
    }

    private static void useUp(CpuBudget budget) {
        try (CpuBudget open = budget.open()) {
            for (long end = System.nanoTime() + LONGEST_NANOS; System.nanoTime() < end;) {
                open.check();
                Burn.slice();
            }
        } catch (CpuBudget.Exhausted e) {
            // as it should be
        }
    }

    /** For a JVM that prints what it loads. */
    private static void printClassesLoadedByOpening() throws Exception {
        CpuBudget budget = new CpuBudget(LIMIT);
        Burn.slice();
        awaitNoWatcher();
        System.out.print("opens\n"); // in one write: the JVM prints, too
        useUp(budget);
        System.out.print("closed\n");
    }

    private static void awaitNoWatcher() throws Exception {
        while (Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("threadclock-budgets"))) {
            Thread.sleep(10);
        }
    }

    private static void onSmallStack(Runnable task) throws Exception {
        Thread thread = new Thread(null, task, "deep", 512 << 10);
        thread.start();
        thread.join();
        System.out.println("tries=" + tries);
    }

    /** From the end of the stack on, every few frames, until it succeeds. */
    private static void openOnTheWayUp() {
        try {
            openOnTheWayUp();
        } catch (StackOverflowError e) {
            // the end
        }
        if (!hasOpened && tries < TRIES && frames++ % 4 == 0) {
            try {
                tries++;
                new CpuBudget(LONG).open().close();
                hasOpened = true;
            } catch (CpuBudget.Exhausted | Error e) {
                // not enough stack
            }
        }
    }

    /** Prints heirs=, how many threads inherit from those that make the first budgets at once. */
    private static void onManyThreads() throws Exception {
        AtomicInteger heirs = new AtomicInteger();
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<String>() {
            @Override
            protected String childValue(String value) {
                heirs.incrementAndGet();
                return value;
            }
        };
        CyclicBarrier begin = new CyclicBarrier(16);
        Thread[] threads = new Thread[begin.getParties()];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                try {
                    inherited.set("an application's");
                    begin.await();
                    new CpuBudget(LONG);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        for (Thread each : threads) {
            each.join();
        }
        System.out.println("heirs=" + heirs);
    }

    /** Counts how often it is looked at. */
    private static final class Counted extends BudgetWatcher.Watched {
        private final AtomicInteger looks = new AtomicInteger();

        @Override
        protected long look() {
            return looks.incrementAndGet() < 3 ? 1_000_000 : -1;
        }

        @Override
        protected boolean isIdle() {
            return false;
        }

        @Override
        protected Runnable takeAction() {
            return null;
        }

        @Override
        public void fail(Throwable why) {}
    }

    /**
     * Prints what happens to two budgets when no thread can be started, and looks=, how often the first one
     * is looked at as soon as one can be.
     */
    private static void withoutThreads() throws Exception {
        CpuBudget budget = new CpuBudget(LIMIT);
        Counted counted = new Counted();
        awaitNoWatcher();
        System.out.println("ready");
        while (!isLimited()) {
            pause();
        }
        startAllThreads();
        try {
            counted.watch();
            System.out.println("watched");
        } catch (OutOfMemoryError e) {
            System.out.println("unwatched");
        }
        try {
            budget.open();
            System.out.println("opened");
        } catch (CpuBudget.Exhausted e) {
            System.out.println("refused: " + e.getMessage());
        }
        while (isLimited()) {
            pause();
        }
        isOver = true;
        counted.watch();
        for (long end = System.nanoTime() + LONGEST_NANOS; counted.looks.get() < 3
                && System.nanoTime() < end;) {
            pause();
        }
        System.out.println("looks=" + counted.looks);
    }

    private static void startAllThreads() {
        try {
            for (;;) {
                Threads.daemon("one of many", () -> {
                    while (!isOver) {
                        pause();
                    }
                });
            }
        } catch (OutOfMemoryError e) {
            // as intended
        }
    }

    private static boolean isLimited() throws IOException {
        return Files.readAllLines(Paths.get("/proc/self/limits")).stream()
                .noneMatch(line -> line.matches("Max address space +unlimited .*"));
    }

    /** Prints stopped=, whether a budget is exhausted while no object can be allocated. */
    private static void onFullHeap() {
        CpuBudget budget = new CpuBudget(LIMIT);
        Burn.slice(); // initializes it
        long end = ThreadClock.totalNowNanos() + 100 * LIMIT.toNanos(); // collections take much more
        Thread filler = Threads.daemon("filler", Budgets::keepHeapFull);
        boolean isStopped = false;
        try (CpuBudget open = budget.open()) {
            begins = true;
            while (!isFull) {
                pause();
            }
            while (!isStopped && ThreadClock.totalNowNanos() < end) {
                Burn.slice();
                isStopped = open.isExhausted();
            }
        }
        isOver = true;
        while (filler.isAlive()) {
            pause();
        }
        for (boolean isPrinted = false; !isPrinted;) {
            try {
                System.out.println("stopped=" + isStopped);
                isPrinted = true;
            } catch (OutOfMemoryError e) {
                // Tries again: G1 of JDK 28 may refuse memory even after it has been freed.
            }
        }
    }

    private static void keepHeapFull() {
        while (!begins) {
            pause();
        }
        Object[] all = null;
        for (int size = 1 << 20; !isOver;) {
            try {
                Object[] more = new Object[size];
                more[0] = all;
                all = more;
            } catch (OutOfMemoryError e) {
                isFull = size == 1;
                size = Math.max(1, size / 16);
                LockSupport.parkNanos(isFull ? 100_000_000 : 1_000_000); // others run in between
            }
        }
    }

    /** Allocates nothing. */
    private static void pause() {
        LockSupport.parkNanos(10_000_000);
    }
}
