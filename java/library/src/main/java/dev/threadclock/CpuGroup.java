// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import java.util.Locale;

/** What one group of threads, ended ones included, has used: a row of {@link CpuAccount}. Immutable. */
public final class CpuGroup {
    /** What the threads of a group are. */
    public enum Kind {
        /** A pool of Java threads: threads whose names differ only in numbers and ids. */
        JAVA,
        /**
         * Virtual threads whose names differ only in numbers and ids; threads without a name, by what started
         * them. Only threads that {@link VirtualThreads} accounts for.
         */
        VIRTUAL,
        /**
         * The JVM's carriers of virtual threads, without the time that is in groups of virtual threads: the
         * scheduler's own time.
         */
        CARRIER,
        /** The garbage collector. The serial collector works in the VM Thread, which is {@link #JVM}. */
        GC,
        /** The compilers' threads. */
        JIT,
        /** Other threads of the JVM itself. */
        JVM,
        /** Threads that neither Java nor the JVM started, and the one that started the JVM. */
        NATIVE,
        /**
         * The process's time that was seen in no thread: that of threads that ended before the first reading,
         * and of native threads between the last reading and their end; also of Java threads in a JVM that
         * does not report their ends ({@link CpuAccount}).
         */
        UNSEEN;

        private final String label = name().toLowerCase(Locale.ROOT);

        /** {@return its name in metrics: java, virtual, carrier, gc, jit, jvm, native or unseen} */
        public String label() {
            return label;
        }
    }

    private final Kind kind;
    private final String name;
    private final CpuSnapshot times;
    private final long[] values; // by CpuMetric

    CpuGroup(Kind kind, String name, long[] values) {
        this.kind = kind;
        this.name = name;
        this.values = values;
        long user = value(CpuMetric.CPU_USER);
        long system = value(CpuMetric.CPU_SYSTEM);
        times = new CpuSnapshot(user, system, user + system);
    }

    /**
     * {@return the value of a metric, in nanoseconds if its unit is seconds; -1: this group does not have it,
     * or it is unknown}
     *
     * @param metric which one
     */
    public long value(CpuMetric metric) {
        return values[metric.ordinal()];
    }

    /** {@return the kind of its threads} */
    public Kind kind() {
        return kind;
    }

    /**
     * {@return for {@link Kind#JAVA} the threads' name with {@code *} for each number, UUID and run of seven
     * or more hexadecimal digits, for example {@code http-nio-*-exec-*}; the number of a pool of the JDK
     * stays ({@code pool-1-thread-*}, {@code ForkJoinPool-2-worker-*}); or {@code (other)}, see {@link
     * CpuAccount#MAX_POOLS}; for {@link Kind#VIRTUAL} the same, or for threads without a name what started
     * them; every other kind has one fixed name}
     */
    public String name() {
        return name;
    }

    /** {@return the number of living threads} */
    public int threads() {
        return (int) value(CpuMetric.THREADS);
    }

    /** {@return user, system and total time of all its threads; never decreases} */
    public CpuSnapshot times() {
        return times;
    }

    /**
     * How long its threads were runnable but waited for a CPU, summed over the threads. The kernel adds a
     * wait when it ends. With a CPU limit this includes the time throttled. For {@link Kind#CARRIER} it
     * includes the waits of the virtual threads, whose CPU time is in {@link Kind#VIRTUAL}.
     *
     * @return nanoseconds, never decreases; -1 for {@link Kind#UNSEEN} and {@link Kind#VIRTUAL} (their
     *     carriers wait), and where the kernel does not count this (schedstat)
     */
    public long waitedNanos() {
        return value(CpuMetric.CPU_WAIT);
    }

    @Override
    public String toString() {
        return kind + " " + name + ", " + threads() + " threads: " + times + ", waited " + waitedNanos()
                + " ns";
    }
}
