// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import java.util.Arrays;
import java.util.List;

/**
 * Writes an account in Prometheus's text format 0.0.4 or in OpenMetrics 1.0. Reuses its buffer, so that a
 * scrape allocates little more than its result. Not for several threads.
 */
final class Exposition {
    /** Longer label values are cut: thread names have no limit. */
    static final int MAX_LABEL = 200;

    private static final String CPU = "threadclock_cpu_time_seconds";
    private static final String WAIT = "threadclock_cpu_wait_seconds";
    private static final String THREADS = "threadclock_threads";
    private static final String THROTTLED = "threadclock_throttled_time_seconds";
    private static final String THROTTLED_PERIODS = "threadclock_throttled_periods";
    private static final String TOTAL = "_total";

    private static final int NANO_DIGITS = 9;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final String HEX = "0123456789abcdef";

    private final String version;
    private byte[] bytes = new byte[1 << 14];
    private int size;
    private boolean openMetrics;

    Exposition(String version) {
        this.version = version;
    }

    /** UTF-8. */
    byte[] of(CpuAccount account, boolean inOpenMetrics) {
        size = 0;
        openMetrics = inOpenMetrics;
        List<CpuGroup> groups = account.groups();
        counter(CPU, "seconds", "CPU time of the threads of a group, including those that have ended");
        for (CpuGroup group : groups) {
            cpu("user", group, group.times().userNanos());
            cpu("system", group, group.times().systemNanos());
        }
        counter(WAIT, "seconds",
                "Time for which threads of a group were runnable but waited for a CPU, summed over threads");
        for (CpuGroup group : groups) {
            if (group.waitedNanos() >= 0) {
                text(WAIT).text(TOTAL).text("{").group(group).text("} ").seconds(group.waitedNanos());
            }
        }
        family(THREADS, "gauge", "Living threads of a group");
        for (CpuGroup group : groups) {
            text(THREADS).text("{").group(group).text("} ").number(group.threads()).text("\n");
        }
        throttling(account);
        info();
        return Arrays.copyOf(bytes, size);
    }

    private void cpu(String mode, CpuGroup group, long nanos) {
        text(CPU).text(TOTAL).text("{cpu_mode=\"").text(mode).text("\",").group(group).text("} ")
                .seconds(nanos);
    }

    private void throttling(CpuAccount account) {
        if (account.throttledNanos() >= 0) {
            counter(THROTTLED, "seconds",
                    "Time for which the CPU limit stopped the control group, summed over CPUs");
            text(THROTTLED).text(TOTAL).text(" ").seconds(account.throttledNanos());
        }
        if (account.throttledPeriods() >= 0) {
            counter(THROTTLED_PERIODS, "", "Periods in which the control group reached its CPU limit");
            text(THROTTLED_PERIODS).text(TOTAL).text(" ").number(account.throttledPeriods()).text("\n");
        }
    }

    private void info() {
        family(openMetrics ? "threadclock" : "threadclock_info", openMetrics ? "info" : "gauge",
                "The agent that counts this");
        text("threadclock_info{version=\"").escaped(version).text("\"} 1\n");
        if (openMetrics) {
            text("# EOF\n");
        }
    }

    /** OpenMetrics names a counter without the suffix of its sample. */
    private void counter(String family, String unit, String help) {
        family(openMetrics ? family : family + TOTAL, "counter", help);
        if (openMetrics && !unit.isEmpty()) {
            text("# UNIT ").text(family).text(" ").text(unit).text("\n");
        }
    }

    private void family(String name, String type, String help) {
        text("# HELP ").text(name).text(" ").text(help).text("\n");
        text("# TYPE ").text(name).text(" ").text(type).text("\n");
    }

    private Exposition group(CpuGroup group) {
        return text("kind=\"").text(group.kind().label()).text("\",group=\"").escaped(group.name())
                .text("\"");
    }

    /** Exact, with no more digits than needed. */
    private void seconds(long nanos) {
        number(nanos / NANOS_PER_SECOND);
        int fraction = (int) (nanos % NANOS_PER_SECOND);
        if (fraction != 0) {
            text(".");
            room(NANO_DIGITS);
            for (int digit = NANO_DIGITS - 1; digit >= 0; digit--, fraction /= 10) {
                bytes[size + digit] = (byte) ('0' + fraction % 10);
            }
            size += NANO_DIGITS;
            while (bytes[size - 1] == '0') {
                size--;
            }
        }
        text("\n");
    }

    private Exposition number(long value) {
        if (value >= 10) {
            number(value / 10);
        }
        return put((char) ('0' + value % 10));
    }

    private Exposition text(String ascii) {
        room(ascii.length());
        for (int i = 0; i < ascii.length(); i++) {
            bytes[size++] = (byte) ascii.charAt(i);
        }
        return this;
    }

    /**
     * A label's value. What UTF-8 cannot hold (half a surrogate pair), and control characters, at which
     * parsers stop or which a terminal obeys, are written as in Java's source: names that differ must not
     * become the same. So are the ends of names that are cut.
     */
    private Exposition escaped(String value) {
        int end = Math.min(value.length(), MAX_LABEL);
        for (int i = 0; i < end; i++) {
            char c = value.charAt(i);
            if (c == '\n') {
                text("\\n");
            } else if (c == '"' || c == '\\') {
                put('\\').put(c);
            } else if (Character.isHighSurrogate(c) && i + 1 < end
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                point(Character.toCodePoint(c, value.charAt(++i)));
            } else if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                text("\\\\u").hex(c, 4);
            } else {
                point(c);
            }
        }
        return end == value.length() ? this : text("...").hex(value.hashCode(), 8);
    }

    private Exposition hex(int value, int digits) {
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            put(HEX.charAt(value >>> shift & 0xf));
        }
        return this;
    }

    private void point(int code) {
        room(4);
        if (code < 0x80) {
            bytes[size++] = (byte) code;
            return;
        }
        if (code < 0x800) {
            bytes[size++] = (byte) (0xc0 | code >> 6);
        } else {
            if (code < 0x10000) {
                bytes[size++] = (byte) (0xe0 | code >> 12);
            } else {
                bytes[size++] = (byte) (0xf0 | code >> 18);
                bytes[size++] = (byte) (0x80 | code >> 12 & 0x3f);
            }
            bytes[size++] = (byte) (0x80 | code >> 6 & 0x3f);
        }
        bytes[size++] = (byte) (0x80 | code & 0x3f);
    }

    private Exposition put(char ascii) {
        room(1);
        bytes[size++] = (byte) ascii;
        return this;
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }
}
