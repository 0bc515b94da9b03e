// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Internal: the thread that looks at budgets, each as often as it wants. It ends when there are none. */
public final class BudgetWatcher implements Runnable {
    private static final long LINGER_NANOS = 200_000_000;
    private static final Set<Watched> BUDGETS = ConcurrentHashMap.newKeySet();

    private static Thread thread; // null: there is nothing to watch

    private BudgetWatcher() {}

    /** What is watched, from watch() until it has been idle for a while. */
    public abstract static class Watched {
        private volatile boolean isWatched;
        private long nextNanos;
        private long busyNanos; // when it was last not idle

        /** Looks, and returns how long it takes at least until it must look again. */
        protected abstract long look();

        protected abstract boolean isIdle();

        /** Nothing can be known of it any more. */
        public abstract void fail(Throwable why);

        public final void watch() {
            if (!isWatched) {
                isWatched = true;
                busyNanos = nextNanos = System.nanoTime();
                BUDGETS.add(this);
                try {
                    wake();
                } catch (OutOfMemoryError e) {
                    BUDGETS.remove(this);
                    isWatched = false;
                    throw e;
                }
            }
        }
    }

    private static synchronized void wake() {
        if (thread == null) {
            Thread watcher = new Thread(new BudgetWatcher(), "threadclock-budgets");
            watcher.setDaemon(true);
            watcher.setPriority(Thread.MAX_PRIORITY);
            watcher.start(); // or it throws
            thread = watcher;
        } else {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void run() {
        while (!ended()) {
            long now = System.nanoTime();
            long wait = LINGER_NANOS;
            for (Watched each : BUDGETS) {
                if (each.nextNanos - now <= 0) {
                    each.nextNanos = now + look(each);
                }
                wait = Math.min(wait, each.nextNanos - now);
                removeIfIdle(each, now);
            }
            LockSupport.parkNanos(wait);
        }
    }

    private static long look(Watched watched) {
        try {
            return watched.look();
        } catch (Throwable e) { // no memory, for example
            watched.fail(e);
            return LINGER_NANOS;
        }
    }

    private static void removeIfIdle(Watched watched, long now) {
        if (!watched.isIdle()) {
            watched.busyNanos = now;
        } else if (now - watched.busyNanos > LINGER_NANOS) {
            BUDGETS.remove(watched);
            watched.isWatched = false;
            if (!watched.isIdle()) { // meanwhile
                watched.watch();
            }
        }
    }

    private static synchronized boolean ended() {
        if (BUDGETS.isEmpty()) {
            thread = null;
        }
        return thread == null;
    }
}
