// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.util.concurrent.locks.LockSupport;

/**
 * Internal: the thread that looks at budgets, each as often as it wants. It ends when there are none.
 *
 * <p>Whatever happens to the thread, each listed budget is looked at, or fails:
 * <ul>
 * <li>A look, a failure and the list need no memory; the list's links are in the budgets.
 * <li>No error ends the thread. If one does nevertheless, it starts another one, or fails all budgets.
 * <li>An application's action may block: it runs after another thread has taken this one's place.
 * <li>It inherits nothing from the threads that need it: no group, class loader, context or interrupt.
 * </ul>
 */
public final class BudgetWatcher implements Runnable {
    private static final long LINGER_NANOS = 200_000_000;
    private static final Object LOCK = new Object(); // for all changes of what follows

    private static volatile Watched first;
    private static volatile Thread thread; // null: there is nothing to watch

    private BudgetWatcher() {}

    /** What is watched, from watch() until it has been idle for a while, or is over. */
    public abstract static class Watched {
        private Watched next;
        private volatile boolean isListed;
        private long nextNanos;
        private long busyNanos; // when it was last not idle

        /** Looks, and returns the time until the next look is due; negative: it is over. */
        protected abstract long look();

        protected abstract boolean isIdle();

        /** The application's action, for the caller to run once; null: there is none to run. */
        protected abstract Runnable takeAction();

        /** It can no longer be watched. Allocates nothing. */
        public abstract void fail(Throwable why);

        /** Lists it unless it is listed. Once this has returned, a thread looks at it. */
        public final void watch() {
            if (isListed) {
                return;
            }
            synchronized (LOCK) {
                if (isListed) {
                    return;
                }
                busyNanos = nextNanos = System.nanoTime();
                next = first;
                first = this;
                try {
                    wake();
                    isListed = true;
                } finally {
                    if (!isListed) {
                        first = next;
                    }
                }
            }
        }
    }

    /** Only with the lock. */
    private static void wake() {
        if (thread != null && thread.isAlive()) {
            LockSupport.unpark(thread);
        } else {
            Thread watcher = JavaThread.newDaemon(new BudgetWatcher(), "threadclock-budgets");
            watcher.setPriority(Thread.MAX_PRIORITY);
            watcher.start(); // or it throws
            thread = watcher;
        }
    }

    @Override
    public void run() {
        try {
            while (!isDone()) {
                try {
                    LockSupport.parkNanos(pass());
                } catch (Throwable e) { // of this class itself, which could be anywhere
                    failAll(e);
                }
            }
        } finally {
            replace(null); // at a normal end there is nothing to do
        }
    }

    private static boolean isDone() {
        Thread.interrupted(); // otherwise parkNanos would return at once from now on
        synchronized (LOCK) {
            if (first == null && thread == Thread.currentThread()) {
                thread = null;
            }
            return thread != Thread.currentThread();
        }
    }

    /** Another thread takes the place of this one. False: it cannot, and this one keeps it or all fail. */
    private static boolean replace(Watched keeping) {
        synchronized (LOCK) {
            if (thread != Thread.currentThread()) {
                return true;
            }
            thread = null;
            try {
                wake();
                return true;
            } catch (Throwable e) { // no memory, or no more threads
                if (keeping == null) {
                    failAll(e);
                } else {
                    thread = Thread.currentThread();
                }
                return false;
            }
        }
    }

    private static void failAll(Throwable why) {
        for (Watched each = first; each != null; each = each.next) {
            fail(each, why);
        }
    }

    private static void fail(Watched watched, Throwable why) {
        try {
            watched.fail(why);
        } catch (Throwable e) {
            // It has set its state before whatever can fail.
        }
    }

    /** Looks at those whose time has come, and returns how long there is nothing to do. */
    private static long pass() {
        long now = System.nanoTime();
        long wait = LINGER_NANOS;
        Watched previous = null;
        for (Watched each = first, next; each != null; each = next) {
            next = each.next; // now: it may be removed
            boolean isOver = false;
            if (each.nextNanos - now <= 0) {
                long nanos = look(each);
                isOver = nanos < 0;
                each.nextNanos = now + nanos;
                if (hasRunAction(each)) {
                    return 0;
                }
            }
            if (!each.isIdle()) {
                each.busyNanos = now;
            }
            if (isOver || now - each.busyNanos > LINGER_NANOS) {
                remove(each, previous);
                if (!isOver && !each.isIdle()) { // opened meanwhile, when it was still listed
                    each.watch();
                }
            } else {
                wait = Math.min(wait, each.nextNanos - now);
                previous = each;
            }
        }
        return wait;
    }

    private static long look(Watched watched) {
        try {
            return watched.look();
        } catch (Throwable e) { // no memory, for example
            fail(watched, e);
            return LINGER_NANOS;
        }
    }

    /** True: this thread has lost its place. */
    private static boolean hasRunAction(Watched watched) {
        Runnable action = watched.takeAction();
        if (action == null) {
            return false;
        }
        boolean isReplaced = replace(watched);
        try {
            action.run();
        } catch (Throwable e) {
            // It has reported its own failure, or memory has run out for that.
        }
        return isReplaced;
    }

    private static void remove(Watched watched, Watched previous) {
        synchronized (LOCK) {
            if (previous != null) {
                previous.next = watched.next;
            } else if (first == watched) {
                first = watched.next;
            } else { // behind those that have come since
                Watched before = first;
                while (before.next != watched) {
                    before = before.next;
                }
                before.next = watched.next;
            }
            watched.isListed = false;
        }
    }
}
