// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.terminal.Shutdown;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Something in the target's file system that is removed again: at the end of a block, or when Ctrl-C ends the
 * command.
 */
final class Undo<T> implements AutoCloseable {
    private final T made;
    private final Runnable undo;

    private Undo(T made, Runnable undo) {
        this.made = made;
        this.undo = undo;
    }

    /** Creates it; from then on its removal is ensured, as far as a program can ensure it. */
    static <T> Undo<T> after(Callable<T> make, Consumer<T> unmake) throws IOException {
        return uncut(() -> {
            T made = make.call();
            Runnable undo = () -> unmake.accept(made);
            Shutdown.add(undo);
            return new Undo<>(made, undo);
        });
    }

    /** A step that a shutdown waits for. */
    static <T> T uncut(Callable<T> step) throws IOException {
        try {
            return Shutdown.notDuring(step);
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    T made() {
        return made;
    }

    @Override
    public void close() {
        Shutdown.remove(undo);
        undo.run();
    }
}
