// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/**
 * Runs tasks in scopes of a {@link CpuWork} or of a {@link CpuAttribution}: now, later, or by an executor.
 */
public abstract class CpuTasks {
    CpuTasks() {}

    /** What a task that is wrapped now keeps for its scopes; null: nothing. */
    Object context() {
        return null;
    }

    /** Opens a scope of the calling thread. */
    abstract Object begin(Object context);

    abstract void end(Object scope);

    /**
     * Runs a task in a scope.
     *
     * @param task the task
     */
    public final void measure(Runnable task) {
        run(context(), task);
    }

    /**
     * Runs a task in a scope.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return its result
     */
    public final <T> T measure(Supplier<T> task) {
        return get(context(), task);
    }

    /**
     * Runs a task that may throw a checked exception, in a scope.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return its result
     * @throws Exception what the task throws
     */
    public final <T> T measureCallable(Callable<T> task) throws Exception {
        return call(context(), task);
    }

    private void run(Object context, Runnable task) {
        Object scope = begin(context);
        try {
            task.run();
        } finally {
            end(scope);
        }
    }

    private <T> T get(Object context, Supplier<T> task) {
        Object scope = begin(context);
        try {
            return task.get();
        } finally {
            end(scope);
        }
    }

    private <T> T call(Object context, Callable<T> task) throws Exception {
        Object scope = begin(context);
        try {
            return task.call();
        } finally {
            end(scope);
        }
    }

    /**
     * Returns a task that runs the given one in a scope, each time.
     *
     * @param task the task
     * @return the measured task
     */
    public final Runnable wrap(Runnable task) {
        Objects.requireNonNull(task, "task");
        Object context = context();
        return () -> run(context, task);
    }

    /**
     * Returns a task that runs the given one in a scope, each time; for example for
     * {@code CompletableFuture.supplyAsync}.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return the measured task
     */
    public final <T> Supplier<T> wrap(Supplier<T> task) {
        Objects.requireNonNull(task, "task");
        Object context = context();
        return () -> get(context, task);
    }

    /**
     * Returns a task that runs the given one in a scope, each time.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return the measured task
     */
    public final <T> Callable<T> wrapCallable(Callable<T> task) {
        Objects.requireNonNull(task, "task");
        Object context = context();
        return () -> call(context, task);
    }

    /**
     * Returns an executor that hands every task to the given one and runs it in a scope. Everything else,
     * including shutdown, is left to the given executor. Tasks that never run are not counted.
     *
     * @param executor the executor that runs the tasks
     * @return the measuring executor
     */
    public final ExecutorService metered(ExecutorService executor) {
        return new MeteredExecutor(this, Objects.requireNonNull(executor, "executor"));
    }
}
