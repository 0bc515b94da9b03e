// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * Something in the target's file system that is removed again: at the end of a block, or when this program
 * ends meanwhile. A program that is ending makes nothing more.
 */
final class Undo<T> implements AutoCloseable {
    interface Step<R> {
        R run() throws IOException;
    }

    private final Consumer<T> unmake;
    private final Thread hook = new Thread(this::undo, "threadclock undo");
    private T made;

    private Undo(Consumer<T> unmake) {
        this.unmake = unmake;
    }

    /** Creates it; from then on its removal is ensured, as far as a program can ensure it. */
    static <T> Undo<T> after(Step<T> make, Consumer<T> unmake) throws IOException {
        Undo<T> undo = new Undo<>(unmake);
        undo.make(make);
        return undo;
    }

    private synchronized void make(Step<T> make) throws IOException {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            throw ending();
        }
        try {
            made = make.run();
        } finally {
            if (made == null) {
                forgetHook();
            }
        }
    }

    /** A step that the end of this program waits for. */
    synchronized <R> R uncut(Step<R> step) throws IOException {
        made();
        return step.run();
    }

    synchronized T made() {
        if (made == null) {
            throw ending();
        }
        return made;
    }

    private static AttachException ending() {
        return new AttachException("this program is ending, and begins nothing more with a JVM");
    }

    private synchronized void undo() {
        if (made != null) {
            unmake.accept(made);
            made = null;
        }
    }

    private void forgetHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It runs already, or has run.
        }
    }

    @Override
    public void close() {
        forgetHook();
        undo();
    }
}
