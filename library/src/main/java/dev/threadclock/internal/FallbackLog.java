// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;

/**
 * Writes one warning to the program's log when ThreadMXBean answers although the native library could:
 * otherwise nobody notices reads that are hundreds of times slower. At most once per class loader. Nothing is
 * logged where there is no native library to use (macOS, Windows, other processors), because there nothing is
 * wrong.
 *
 * <p>It goes to System.Logger, which programs can redirect and which needs no module java.logging; on JDK 8
 * to java.util.logging.
 */
final class FallbackLog {
    private static final String NAME = String.join(".", "dev", "threadclock"); // not changed with the package

    private final AtomicBoolean pending;
    private final String message;

    FallbackLog(boolean isExpected, String message) {
        this.pending = new AtomicBoolean(!isExpected);
        this.message = message;
    }

    /**
     * Called by each read rather than once by a static initializer: a log handler may itself read CPU times,
     * which it could not while the class is being initialized.
     */
    void beforeRead() {
        if (pending.get() && pending.compareAndSet(true, false)) {
            warn();
        }
    }

    private void warn() {
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

    /**
     * A log that does not work is no reason for a read to fail, but the end of the JVM's memory or stack is.
     */
    private static void rethrowIfFatal(Throwable e) {
        Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
        if (cause instanceof VirtualMachineError) {
            throw (VirtualMachineError) cause;
        }
    }
}
