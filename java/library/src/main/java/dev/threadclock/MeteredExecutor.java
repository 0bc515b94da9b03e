// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An executor whose tasks run in scopes; a thin layer over another. */
final class MeteredExecutor implements ExecutorService {
    private final CpuTasks scopes;
    private final ExecutorService executor;

    MeteredExecutor(CpuTasks scopes, ExecutorService executor) {
        this.scopes = scopes;
        this.executor = executor;
    }

    private <T> List<Callable<T>> wrapAll(Collection<? extends Callable<T>> tasks) {
        List<Callable<T>> wrapped = new ArrayList<>(tasks.size());
        for (Callable<T> task : tasks) {
            wrapped.add(scopes.wrapCallable(task));
        }
        return wrapped;
    }

    /**
     * Of ExecutorService from JDK 19 on, whose default waits for ever for an executor that never terminates
     * (ForkJoinPool.commonPool()).
     */
    public void close() {
        if (!(executor instanceof AutoCloseable)) {
            executor.shutdown();
            return;
        }
        try {
            ((AutoCloseable) executor).close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) { // not that of an ExecutorService
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(scopes.wrap(task));
    }

    @Override
    public Future<?> submit(Runnable task) {
        return executor.submit(scopes.wrap(task));
    }

    @Override
    public <T> Future<T> submit(Runnable task, T result) {
        return executor.submit(scopes.wrap(task), result);
    }

    @Override
    public <T> Future<T> submit(Callable<T> task) {
        return executor.submit(scopes.wrapCallable(task));
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
            throws InterruptedException {
        return executor.invokeAll(wrapAll(tasks));
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException {
        return executor.invokeAll(wrapAll(tasks), timeout, unit);
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        return executor.invokeAny(wrapAll(tasks));
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return executor.invokeAny(wrapAll(tasks), timeout, unit);
    }

    @Override
    public void shutdown() {
        executor.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return executor.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return executor.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return executor.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return executor.awaitTermination(timeout, unit);
    }
}
