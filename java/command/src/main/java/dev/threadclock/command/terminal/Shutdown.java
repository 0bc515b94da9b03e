// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Undoes what is unfinished when Ctrl-C or SIGTERM ends the command line: stops children, deletes
 * half-written files, erases the progress line. One lock keeps the shutdown from interrupting critical steps.
 */
public final class Shutdown {
    private static final Deque<Runnable> UNDO = new ArrayDeque<>();
    private static final long SIGNAL_SPREAD_MILLIS = 500;
    private static boolean underWay;

    static {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(Shutdown::undoAll, "shutdown"));
        } catch (IllegalStateException e) {
            underWay = true;
        }
    }

    private Shutdown() {}

    /** A step that must not be interrupted. */
    public interface Step {
        void run() throws IOException;
    }

    /** Runs a step that the shutdown waits for. Never returns once the shutdown is under way. */
    public static synchronized void notDuring(Step step) throws IOException {
        waitIfUnderWay();
        step.run();
    }

    /** Registers an action that runs at shutdown unless it is removed before. */
    public static synchronized void add(Runnable undo) {
        waitIfUnderWay();
        UNDO.push(undo);
    }

    public static synchronized void remove(Runnable undo) {
        UNDO.remove(undo);
    }

    /**
     * Ctrl-C reaches children as well, and a child may end before our own shutdown begins. If a signal ended
     * the child, this gives the shutdown time to begin. It never returns once the shutdown is under way.
     */
    public static void waitIfSignalled(int childExit) {
        boolean bySignal = childExit > 128;
        if (bySignal) {
            try {
                Thread.sleep(SIGNAL_SPREAD_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        waitIfUnderWay();
    }

    /** Never returns once the shutdown is under way, because nothing more may be printed then. */
    public static synchronized void waitIfUnderWay() {
        while (underWay) {
            try {
                // The JVM halts when the hook has run. wait() releases the lock to the hook.
                Shutdown.class.wait();
            } catch (InterruptedException e) {
                // Keeps waiting.
            }
        }
    }

    private static synchronized void undoAll() {
        underWay = true;
        while (!UNDO.isEmpty()) {
            UNDO.pop().run();
        }
    }
}
