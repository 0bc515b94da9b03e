// SPDX-License-Identifier: Apache-2.0
// A thing in the target's file system that is taken away again: at the end of a block, or when Ctrl-C ends the command.
package dev.threadclock.cli.attach;

import dev.threadclock.cli.Shutdown;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

final class Undo<T> implements AutoCloseable {
    private final T made;
    private final Runnable undo;

    private Undo(T made, Runnable undo) {
        this.made = made;
        this.undo = undo;
    }

    /** Makes it; from then on its end is certain, for as far as a program can see to that. */
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
