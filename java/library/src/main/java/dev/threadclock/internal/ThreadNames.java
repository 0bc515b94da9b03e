// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Thread names for people: the pool that a thread belongs to, and the full names of JVM threads that the
 * kernel truncates.
 */
public final class ThreadNames {
    private static final String WORD = "[\\w\\u0080-\\uffff]";
    private static final String HEX = "[0-9a-fA-F]";
    /** A UUID, or a run of hexadecimal digits that no word has. */
    private static final String ID = "(?<!" + WORD + ")(?:" + HEX + "{8}(?:-" + HEX + "{4}){3}-" + HEX
            + "{12}|(?=[a-fA-F]*\\d)" + HEX + "{7,})(?!" + WORD + ")";
    /**
     * Excludes the digit in the JVM's own "G1 ", "C1 " and "C2 ", and the number by which the JDK tells its
     * pools apart.
     */
    private static final String NUMBER = "(?<!\\d)(?!(?<=\\b[A-Z])\\d |(?<=^pool-)\\d+-thread-"
            + "|(?<=^ForkJoinPool-)\\d+-worker-)\\d+";
    private static final Pattern VARIABLE = Pattern.compile(ID + "|" + NUMBER);

    /** HotSpot's own threads whose names exceed the kernel's 15 bytes; truncation drops their numbers. */
    private static final Map<String, String> CUT_SHORT = cutShort(
            "VM Periodic Task Thread", "C1 CompilerThread", "C2 CompilerThread", "JVMCI CompilerThread",
            "Monitor Deflation Thread",
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
     * The pool: the name with each number and id replaced by {@code *}. {@code http-nio-8080-exec-7} belongs
     * to {@code http-nio-*-exec-*}. The C core has the same rule (virtual_groups.c).
     *
     * @param name a thread's name
     * @return what it shares with the other threads of its pool
     */
    public static String pool(String name) {
        return VARIABLE.matcher(name).replaceAll("*");
    }

    /**
     * The name of a non-Java thread: HotSpot's own name for it where that is known, otherwise the kernel's.
     *
     * @param kernelName at most 15 bytes
     * @return the untruncated name, where it can be determined
     */
    public static String full(String kernelName) {
        return CUT_SHORT.getOrDefault(kernelName, kernelName);
    }
}
