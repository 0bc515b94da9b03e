// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.sample.Sampling.Frames;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Samples of one thread's top frames: the methods in which it used the CPU, by share. */
final class Stacks {
    /** The number of frames to take of each stack. */
    static final int MOST_FRAMES = 32;
    private static final int MOST_METHODS = 10;
    private static final int MOST_STACKS = 40; // the newest
    /** Where a thread that wakes up waits for a CPU. Shown only if hardly anything else was found. */
    private static final Pattern WAITS = Pattern
            .compile("java\\.lang\\.(Thread\\.sleep|Object\\.wait)|[a-z.]+\\.misc\\.Unsafe\\.park\\("
                    + "|sun\\.nio\\.ch\\.EPoll\\.wait\\(");
    private static final int SELDOM = 10; // times less often than all that was found
    /** The top frame of a carrier while a virtual thread runs on it. */
    private static final String MOUNTED = "jdk.internal.vm.Continuation.run(";

    private final Deque<List<String>> ran = new ArrayDeque<>();
    private List<String> last = List.of();

    /** A method: in how many stacks it was the top frame, in how many it was at all, and where. */
    private static final class Method {
        private int top;
        private int any;
        private final Map<String, Integer> places = new HashMap<>();
    }

    void add(Frames frames) {
        last = frames.lines();
        if (frames.ran() && !last.isEmpty()) {
            ran.add(last);
            if (ran.size() > MOST_STACKS) {
                ran.remove();
            }
        }
    }

    /** The number of stacks that were taken while the thread ran. */
    int size() {
        return ran.size();
    }

    /** The frames taken last, whether or not the thread ran meanwhile. */
    List<String> last() {
        return last;
    }

    boolean carryVirtualThreads() {
        return ran.stream().anyMatch(stack -> stack.get(0).startsWith(MOUNTED));
    }

    /**
     * " 58 % 100 %  app.Fib.fib(Fib.java:7)": the share of stacks that the method was on top of, that of
     * those that it was in, and its most frequent line. A recursion, whose stacks all differ, counts once.
     */
    List<String> methods() {
        List<List<String>> working = ran.stream().filter(stack -> !WAITS.matcher(stack.get(0)).lookingAt())
                .toList();
        List<List<String>> stacks = working.size() * SELDOM >= ran.size() ? working : List.copyOf(ran);
        Map<String, Method> methods = new HashMap<>();
        for (List<String> stack : stacks) {
            Set<String> seen = new HashSet<>();
            for (String frame : stack) {
                String name = frame.split("\\(", 2)[0];
                Method method = methods.computeIfAbsent(name, unknown -> new Method());
                method.top += seen.isEmpty() ? 1 : 0;
                if (seen.add(name)) {
                    method.any++;
                    method.places.merge(frame, 1, Integer::sum);
                }
            }
        }
        return methods.values().stream()
                .sorted(Comparator.comparingInt((Method method) -> -method.top)
                        .thenComparingInt(method -> -method.any).thenComparing(Stacks::place))
                .limit(MOST_METHODS).map(method -> String.format("%3d %% %3d %%  %s",
                        Math.round(100.0 * method.top / stacks.size()),
                        Math.round(100.0 * method.any / stacks.size()), place(method)))
                .toList();
    }

    private static String place(Method method) {
        return method.places.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
    }

    /**
     * Whether loops with an int counter have no safepoint poll in this JVM, so that its frames show the
     * caller instead: HotSpot switches UseCountedLoopSafepoints on for G1, Z and Shenandoah from JDK 10 on
     * (initialize in their Arguments classes).
     *
     * @param jdk "17.0.15, ...", or "" if it is unknown
     */
    static boolean missLoops(String jdk, Interval interval) {
        return !jdk.isEmpty() && (jdk.startsWith("1.8") || interval.threads().stream()
                .noneMatch(use -> use.javaId() == 0 && use.name().matches("(G1|Shenandoah) .*|ZD[a-z].*")));
    }
}
