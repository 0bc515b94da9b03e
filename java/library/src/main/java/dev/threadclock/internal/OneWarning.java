// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;

/**
 * Internal: one warning in the program's log, at most once per class loader.
 *
 * <p>It goes to System.Logger, which programs can redirect and which needs no module java.logging; on JDK 8
 * to java.util.logging.
 */
public final class OneWarning {
    private static final String NAME = String.join(".", "dev", "threadclock"); // not renamed

    private final AtomicBoolean pending = new AtomicBoolean(true);
    private final String message;

    public OneWarning(String message) {
        this.message = message;
    }

    /** Logs it, unless that has been done. Without a lock: a log handler may itself read CPU times. */
    public void log() {
        if (pending.get() && pending.compareAndSet(true, false)) {
            write();
        }
    }

    private void write() {
        try {
            Class<?> loggers = Class.forName("java.lang.System$Logger");
            Class<?> levels = Class.forName("java.lang.System$Logger$Level");
            Object logger = System.class.getMethod("getLogger", String.class).invoke(null, NAME);
            Object warning = levels.getField("WARNING").get(null);
            loggers.getMethod("log", levels, String.class).invoke(logger, warning, message);
        } catch (ClassNotFoundException e) {
            Logger.getLogger(NAME).warning(message);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            rethrowIfFatal(e);
        }
    }

    /** A read must not fail because a log does not work, but it must if memory or stack has run out. */
    private static void rethrowIfFatal(Throwable e) {
        Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
        if (cause instanceof VirtualMachineError) {
            throw (VirtualMachineError) cause;
        }
    }
}
