// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Calls libc functions through FFM on Java 22 and later, by reflection because this is Java 8 bytecode. A
 * call costs the same as a direct FFM call in Java 22.
 */
final class LibC {
    private static final int TIMESPEC_BYTES = 16;

    private static final MethodHandle CLOCK_GETTIME = function("clock_gettime", "JAVA_INT", "JAVA_LONG");
    private static final MethodHandle GETPPID = function("getppid");
    private static final MethodHandle GETTID = function("gettid");

    private LibC() {}

    /** Memory for the result of clock_gettime. Not thread-safe. */
    static final class Timespec {
        private final ByteBuffer memory = ByteBuffer.allocateDirect(TIMESPEC_BYTES)
                .order(ByteOrder.nativeOrder());
        private final long address = address(memory);

        /** Reads any clock, in nanoseconds. */
        long read(int clock) {
            try {
                if ((int) CLOCK_GETTIME.invokeExact(clock, address) != 0) {
                    throw new IllegalStateException("clock_gettime refuses clock " + clock);
                }
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
            return memory.getLong(0) * 1_000_000_000 + memory.getLong(8);
        }
    }

    static int getppid() {
        return call(GETPPID);
    }

    static int gettid() {
        return call(GETTID);
    }

    private static int call(MethodHandle function) {
        try {
            return (int) function.invokeExact();
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** A function that returns int. Addresses are passed as longs, which the ABI treats alike. */
    private static MethodHandle function(String name, String... parameters) {
        try {
            String foreign = "java.lang.foreign.";
            Class<?> linkerType = Class.forName(foreign + "Linker");
            Class<?> layoutType = Class.forName(foreign + "MemoryLayout");
            Class<?> lookupType = Class.forName(foreign + "SymbolLookup");
            Class<?> descriptorType = Class.forName(foreign + "FunctionDescriptor");
            Class<?> optionType = Class.forName(foreign + "Linker$Option");
            Class<?> values = Class.forName(foreign + "ValueLayout");
            Object layouts = Array.newInstance(layoutType, parameters.length);
            for (int i = 0; i < parameters.length; i++) {
                Array.set(layouts, i, values.getField(parameters[i]).get(null));
            }
            Object linker = linkerType.getMethod("nativeLinker").invoke(null);
            Object lookup = linkerType.getMethod("defaultLookup").invoke(linker);
            Object symbol = ((Optional<?>) lookupType.getMethod("find", String.class).invoke(lookup, name))
                    .orElseThrow(
                            () -> new IllegalStateException("libc has no " + name));
            Object descriptor = descriptorType.getMethod("of", layoutType, layouts.getClass())
                    .invoke(null, values.getField("JAVA_INT").get(null), layouts);
            Object options = Array.newInstance(optionType, 1);
            Array.set(options, 0, optionType.getMethod("critical", boolean.class).invoke(null, false));
            return (MethodHandle) linkerType
                    .getMethod("downcallHandle", Class.forName(foreign + "MemorySegment"), descriptorType,
                            options.getClass())
                    .invoke(linker, symbol, descriptor, options);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this benchmark needs Java 22 or later", e);
        }
    }

    private static long address(Buffer direct) {
        try {
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            Object memory = segment.getMethod("ofBuffer", Buffer.class).invoke(null, direct);
            return (long) segment.getMethod("address").invoke(memory);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
