// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

/**
 * The metrics of a {@link CpuAccount}, for those who report them elsewhere: Prometheus, Micrometer and
 * OpenTelemetry get these; and those of a {@link CpuAttribution}. Each constant is one value of a group, of
 * the process or of a key. Constants with the same {@link #label()} are one metric, with the attribute
 * {@code cpu.mode}.
 *
 * <pre>{@code
 * for (CpuGroup group : account.groups()) {
 *     for (CpuMetric metric : CpuMetric.values()) {
 *         if (group.value(metric) >= 0) {
 *             System.out.println(metric.label() + " of " + group.name() + ": " + group.value(metric));
 *         }
 *     }
 * }
 * }</pre>
 */
public enum CpuMetric {
    // From native/account/metrics.def, by ci/lib/metrics.py:
    /** CPU time of the threads of a group, including those that have ended: user. */
    CPU_USER("threadclock.cpu.time", "user", "s", true, true,
            "CPU time of the threads of a group, including those that have ended"),
    /** CPU time of the threads of a group, including those that have ended: system. */
    CPU_SYSTEM("threadclock.cpu.time", "system", "s", true, true,
            "CPU time of the threads of a group, including those that have ended"),
    /** Time for which threads of a group were runnable but waited for a CPU, summed over threads. */
    CPU_WAIT("threadclock.cpu.wait", "", "s", true, true,
            "Time for which threads of a group were runnable but waited for a CPU, summed over threads"),
    /** Living threads of a group. */
    THREADS("threadclock.threads", "", "{thread}", false, true,
            "Living threads of a group"),
    /** Time for which the CPU limit stopped the control group, summed over CPUs. */
    THROTTLED_TIME("threadclock.throttled.time", "", "s", true, false,
            "Time for which the CPU limit stopped the control group, summed over CPUs"),
    /** Periods in which the control group reached its CPU limit. */
    THROTTLED_PERIODS("threadclock.throttled.periods", "", "{period}", true, false,
            "Periods in which the control group reached its CPU limit"),
    /** CPU time that was used for a key: user. */
    KEY_USER("threadclock.key.cpu.time", "user", "s", true, false,
            "CPU time that was used for a key"),
    /** CPU time that was used for a key: system. */
    KEY_SYSTEM("threadclock.key.cpu.time", "system", "s", true, false,
            "CPU time that was used for a key");
    // The end of the table.

    private final String label;
    private final String mode;
    private final String unit;
    private final boolean isCounter;
    private final boolean isOfGroup;
    private final String description;

    CpuMetric(String label, String mode, String unit, boolean isCounter, boolean isOfGroup,
            String description) {
        this.label = label;
        this.mode = mode;
        this.unit = unit;
        this.isCounter = isCounter;
        this.isOfGroup = isOfGroup;
        this.description = description;
    }

    /** {@return its name in metrics, such as threadclock.cpu.time} */
    public String label() {
        return label;
    }

    /** {@return the value of its attribute cpu.mode: user or system; or "": it has none} */
    public String mode() {
        return mode;
    }

    /** {@return the unit in which it is to be reported, by UCUM: s, {thread} or {period}} */
    public String unit() {
        return unit;
    }

    /** {@return whether it never decreases; otherwise it is a gauge} */
    public boolean isCounter() {
        return isCounter;
    }

    /** {@return whether groups have it; otherwise it is the process's or {@linkplain #isOfKey() of keys}} */
    public boolean isOfGroup() {
        return isOfGroup;
    }

    /** {@return whether keys of a {@link CpuAttribution} have it, and neither groups nor the process} */
    public boolean isOfKey() {
        return this == KEY_USER || this == KEY_SYSTEM;
    }

    /** {@return what it is, in a few words of English} */
    public String description() {
        return description;
    }

    /** {@return whether its values are nanoseconds, to be reported in seconds; otherwise they are numbers} */
    public boolean isInSeconds() {
        return unit.equals("s");
    }
}
