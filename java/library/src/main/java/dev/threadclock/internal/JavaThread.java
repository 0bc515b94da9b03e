// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.security.AccessController;
import java.security.PrivilegedAction;

/** Internal: {@code Thread.isVirtual()} of JDK 21 and {@code Thread.threadId()} of JDK 19, on any JDK. */
public final class JavaThread {
    private static final MethodHandle THREAD_ID = threadId();

    /**
     * What virtual threads are. A handle for Thread.isVirtual() would allocate once it has been called often
     * (MethodHandle.customize), perhaps on a full heap.
     */
    private static final Class<?> VIRTUAL = named("java.lang.BaseVirtualThread");

    /** The class of virtual threads with -XX:-VMContinuations, which have a platform thread each. */
    private static final Class<?> BOUND = named("java.lang.ThreadBuilders$BoundVirtualThread");

    /** The class of the JDK's carriers of virtual threads; it has no subclasses. */
    private static final Class<?> CARRIER = named("jdk.internal.misc.CarrierThread");

    /** Null before JDK 9. */
    private static final MethodHandle NEW_THREAD = constructor(ThreadGroup.class, Runnable.class,
            String.class, long.class, boolean.class);

    private JavaThread() {}

    /**
     * A daemon thread that inherits nothing from the calling one, which it may outlive: it is in the system's
     * thread group, without context class loader, inheritable thread locals and callers' protection domains.
     */
    public static Thread newDaemon(Runnable task, String name) {
        return AccessController.doPrivileged(new PrivilegedAction<Thread>() {
            @Override
            public Thread run() {
                ThreadGroup group = Thread.currentThread().getThreadGroup();
                while (group.getParent() != null) {
                    group = group.getParent();
                }
                Thread thread = newThread(group, task, name);
                thread.setDaemon(true);
                thread.setContextClassLoader(null);
                return thread;
            }
        });
    }

    private static Thread newThread(ThreadGroup group, Runnable task, String name) {
        try {
            if (NEW_THREAD != null) {
                return (Thread) NEW_THREAD.invokeExact(group, task, name, 0L, false);
            }
            Thread thread = new Thread(group, task, name);
            Field inherited = Thread.class.getDeclaredField("inheritableThreadLocals");
            inherited.setAccessible(true);
            inherited.set(thread, null);
            return thread;
        } catch (Error e) {
            throw e; // no memory
        } catch (Throwable e) {
            throw new IllegalStateException("a thread cannot be made", e);
        }
    }

    /** True if the thread is virtual and so unknown to the kernel. */
    public static boolean isVirtual(Thread thread) {
        return VIRTUAL != null && VIRTUAL.isInstance(thread);
    }

    /** True if the thread is virtual and runs on carriers: the kernel's clocks are not its own. */
    public static boolean isCarried(Thread thread) {
        return isVirtual(thread) && thread.getClass() != BOUND;
    }

    /**
     * True if the thread carries virtual threads: what it uses while one is mounted is that thread's time.
     * Libraries run on it as well, for example in front of a task that some have wrapped.
     */
    public static boolean isCarrier(Thread thread) {
        return CARRIER != null && thread.getClass() == CARRIER;
    }

    /** Null if this JDK has no such class. */
    private static Class<?> named(String name) {
        try {
            // By this class's own loader, which a security manager permits.
            return Class.forName(name, false, JavaThread.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError | SecurityException e) {
            return null;
        }
    }

    /** The id that ThreadMXBean and thread dumps use; up to JDK 18 a subclass can override it. */
    static long id(Thread thread) {
        if (THREAD_ID == null || isVirtual(thread)) {
            return overridableId(thread);
        }
        try {
            return (long) THREAD_ID.invokeExact(thread);
        } catch (Throwable e) {
            throw new AssertionError(e); // the method declares no exception
        }
    }

    @SuppressWarnings("deprecation")
    private static long overridableId(Thread thread) {
        return thread.getId();
    }

    private static MethodHandle constructor(Class<?>... parameters) {
        try {
            return MethodHandles.publicLookup().findConstructor(Thread.class,
                    MethodType.methodType(void.class, parameters));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }

    /** Null before JDK 19. */
    private static MethodHandle threadId() {
        try {
            return MethodHandles.publicLookup().findVirtual(Thread.class, "threadId",
                    MethodType.methodType(long.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }
}
