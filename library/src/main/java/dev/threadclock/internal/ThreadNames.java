// SPDX-License-Identifier: Apache-2.0
// Names of threads for people: which pool a thread is of, and what the JVM calls those of its own that the kernel cuts short.
package dev.threadclock.internal;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What can be told from a thread's name. */
public final class ThreadNames {
    /** But for the digit of the JVM's own "G1 ", "C1 " and "C2 ". */
    private static final Pattern NUMBER = Pattern.compile("(?<!\\d)(?!(?<=\\b[A-Z])\\d )\\d+");

    /** HotSpot's own threads whose names are longer than the kernel's 15 bytes; their numbers are lost. */
    private static final Map<String, String> CUT_SHORT = cutShort(
            "VM Periodic Task Thread", "C1 CompilerThread", "C2 CompilerThread", "JVMCI CompilerThread", "Monitor Deflation Thread",
            "Concurrent Mark-Sweep GC Thread", "G1 Concurrent Refinement Thread", "Shenandoah Control Thread",
            "Shenandoah GC Threads");

    private static final int KERNEL_LENGTH = 15;

    private ThreadNames() {}

    private static Map<String, String> cutShort(String... names) {
        Map<String, String> full = new HashMap<>();
        for (String name : names) {
            full.put(name.substring(0, KERNEL_LENGTH), name);
        }
        return Collections.unmodifiableMap(full);
    }

    /**
     * The pool: the name with a {@code *} in the place of each number. {@code http-nio-8080-exec-7} is of
     * {@code http-nio-*-exec-*}.
     *
     * @param name a thread's name
     * @return what it shares with the other threads of its pool
     */
    public static String pool(String name) {
        return NUMBER.matcher(name).replaceAll("*");
    }

    /**
     * The name of a thread that is not Java's: what HotSpot calls it where that is known, else the kernel's.
     *
     * @param kernelName at most 15 bytes
     * @return a name that is not cut short, as far as can be told
     */
    public static String full(String kernelName) {
        return CUT_SHORT.getOrDefault(kernelName, kernelName);
    }
}
