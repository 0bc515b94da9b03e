// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Creates method handles of functions of the native library. Uses java.lang.foreign by reflection, so that
 * JDK 17 can compile what JDK 22 and later run. The result is a plain method handle.
 */
final class Downcall {
    private Downcall() {}

    /** {@code int64_t symbol(void)} as {@code ()long}. */
    static MethodHandle ofNanos(String symbol) {
        return of(symbol, long.class);
    }

    /** {@code int symbol(void *)} as {@code (long)int}. */
    static MethodHandle ofAddress(String symbol) {
        return of(symbol, int.class, long.class);
    }

    private static MethodHandle of(String symbol, Class<?> result, Class<?>... parameters) {
        // By address within the library whose natives are bound: with the agent, the process may have two
        // copies.
        long address = Native.address(symbol);
        if (address == 0) {
            throw new UnsatisfiedLinkError("the native library has no " + symbol);
        }
        try {
            if (!(boolean) Module.class.getMethod("isNativeAccessEnabled")
                    .invoke(Downcall.class.getModule())) {
                // 22 and 23 would print a warning; from 24 on, loading the library has already enabled native
                // access.
                throw new IllegalStateException("no FFM here: native access is not enabled");
            }
            Class<?> linkers = type("Linker");
            Class<?> segments = type("MemorySegment");
            Class<?> descriptors = type("FunctionDescriptor");
            Class<?> options = type("Linker$Option");
            Class<?> layouts = type("MemoryLayout");
            Object linker = linkers.getMethod("nativeLinker").invoke(null);
            Object segment = segments.getMethod("ofAddress", long.class).invoke(null, address);
            Object arguments = Array.newInstance(layouts, parameters.length);
            for (int i = 0; i < parameters.length; i++) {
                Array.set(arguments, i, layout(parameters[i]));
            }
            Object descriptor = descriptors.getMethod("of", layouts, arguments.getClass()).invoke(null,
                    layout(result), arguments);
            Object critical = Array.newInstance(options, 1);
            Array.set(critical, 0, options.getMethod("critical", boolean.class).invoke(null, false));
            Method downcallHandle = linkers.getMethod("downcallHandle", segments, descriptors,
                    critical.getClass());
            return (MethodHandle) downcallHandle.invoke(linker, segment, descriptor, critical);
        } catch (ReflectiveOperationException e) {
            Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
            throw new IllegalStateException("no FFM here: " + cause, cause);
        }
    }

    private static Object layout(Class<?> primitive) throws ReflectiveOperationException {
        String name = primitive == long.class ? "JAVA_LONG" : "JAVA_INT";
        return type("ValueLayout").getField(name).get(null);
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName("java.lang.foreign." + name);
    }
}
