// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Where the CPU time of this process went: by pool of Java threads, garbage collector, compilers, other
 * threads of the JVM and native threads, with the time that they waited for a CPU. Made for metrics: one
 * reading serves all callers that ask at about the same time. Immutable.
 *
 * <pre>{@code
 * for (CpuGroup group : CpuAccount.read().groups()) {
 *     System.out.println(group.kind() + " " + group.name() + ": " + group.times().userNanos());
 * }
 * }</pre>
 *
 * <p><b>Adds up.</b> The groups' times add up to {@link #process()}, which is the process's CPU clock at some
 * moment of the reading. In rare cases it is ahead of that clock for one reading, because the kernel's
 * listing may miss a thread while others end.
 *
 * <p><b>Short threads.</b> From the first reading on, what a Java thread uses until its end goes to its
 * group, though no reading may have seen it: up to JDK 18 always, later if the JVM has the agent or {@link
 * VirtualThreads} accounts for virtual threads. Otherwise the library would need a JVMTI environment, which
 * makes virtual threads slower: what is used between the last reading and a thread's end is then in the group
 * {@link CpuGroup.Kind#UNSEEN}, as that of native threads always is. A thread that ends keeps 130 bytes until
 * the next reading; its end took 0 to 40 us more on a busy machine. Of threads that end between two readings,
 * 32,768 are kept.
 *
 * <p><b>Never decreases.</b> No time of a group decreases. Only a pool that gives its place away disappears:
 * its time moves to {@link #PAST_POOLS}, and if it comes back, it begins at zero. When a thread changes its
 * name, what it uses from then on belongs to its new pool; what it used before stays in the old one, in which
 * it is counted until it runs. A thread that starts during a reading may be counted as native until the next
 * one.
 *
 * <p><b>Cost.</b> As {@link ThreadTimes#read()}, a few files of the control group, and three system calls
 * (about 10 us) more for each thread that has run since the last reading, because its waiting time is read
 * from /proc. A sleeping thread costs one system call, or none: threads that have not run lately are read
 * when the process's clock shows more than the others have used. What such a thread uses may be found one
 * reading later, if it is less than the others use during a reading. Native code keeps the account, so that a
 * reading costs about the same before the JVM has compiled anything. It allocates its result, and more only
 * if threads have started. There is one account, begun by the first reading.
 */
public final class CpuAccount {
    /**
     * The number of pools. At this limit, a new active pool replaces one that has no threads any more or has
     * used nothing for a minute; if there is none, its threads are counted in a pool named {@code (other)}.
     */
    public static final int MAX_POOLS = 100;

    /** The name of the pool with the times of replaced pools. */
    public static final String PAST_POOLS = "(past pools)";

    private static final Duration REUSE = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofDays(365);

    private final List<CpuGroup> groups;
    private final CpuSnapshot process;
    private final long[] values; // of the process, by CpuMetric

    CpuAccount(List<CpuGroup> groups, CpuSnapshot process, long[] values) {
        this.groups = groups;
        this.process = process;
        this.values = values;
    }

    /**
     * Reads the account, or returns the last reading if it is less than 100 ms old.
     *
     * @return the account
     * @throws IllegalStateException with the reason, without the native library, or if the threads cannot be
     *     listed, for example without /proc
     */
    public static CpuAccount read() {
        return read(REUSE);
    }

    /**
     * Reads the account, or returns the last reading if it is recent.
     *
     * @param maxAge a reading younger than this is returned again; {@link Duration#ZERO}: always reads
     * @return the account
     * @throws IllegalStateException as {@link #read()}
     */
    public static CpuAccount read(Duration maxAge) {
        Objects.requireNonNull(maxAge, "maxAge");
        return AccountReader.INSTANCE.read((maxAge.compareTo(LONGEST) < 0 ? maxAge : LONGEST).toNanos());
    }

    /**
     * {@return the groups: first GC, JIT, JVM, native and unseen, which always exist, then carriers, pools of
     * Java threads and groups of virtual threads in the order in which they were first seen. Unmodifiable}
     */
    public List<CpuGroup> groups() {
        return groups;
    }

    /**
     * {@return user, system and total of the process, including ended threads}
     */
    public CpuSnapshot process() {
        return process;
    }

    /**
     * {@return the value of a metric of the process, in nanoseconds if its unit is seconds; -1: it is one of
     * groups, or unknown}
     *
     * @param metric which one
     */
    public long value(CpuMetric metric) {
        return values[metric.ordinal()];
    }

    /**
     * {@return the number of periods in which the process's control group reached its CPU limit and was
     * stopped (nr_throttled), since the group was created; 0 without a limit, -1 if the control groups cannot
     * be read}
     */
    public long throttledPeriods() {
        return value(CpuMetric.THROTTLED_PERIODS);
    }

    /**
     * {@return how long the process's control group was stopped because of its CPU limit, in nanoseconds,
     * summed over CPUs, since the group was created; 0 without a limit, -1 if the control groups cannot be
     * read}
     */
    public long throttledNanos() {
        return value(CpuMetric.THROTTLED_TIME);
    }

    @Override
    public String toString() {
        return "process " + process + " in " + groups.size() + " groups, throttled " + throttledNanos()
                + " ns";
    }
}
