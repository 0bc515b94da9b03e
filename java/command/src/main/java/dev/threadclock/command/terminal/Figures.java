// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.util.Locale;

/** Formats numbers for people. */
public final class Figures {
    private Figures() {}

    /** "12.3 ns", "8,021 ns". */
    public static String nanos(double nanos) {
        return number(nanos) + " ns";
    }

    /** "85 ns", "15.2 µs", "3.60 ms": in the unit that fits. */
    public static String duration(double nanos) {
        double size = Math.abs(nanos);
        return size < 1_000 ? nanos(nanos)
                : size < 1_000_000 ? number(nanos / 1e3) + " µs" : number(nanos / 1e6) + " ms";
    }

    /** "3.2 s", "61 s". */
    public static String seconds(long nanos) {
        return nanos < 10_000_000_000L ? String.format(Locale.ROOT, "%.1f s", nanos / 1e9)
                : Math.round(nanos / 1e9) + " s";
    }

    /** "652×", "3.4×". */
    public static String times(double ratio) {
        return number(ratio) + "×";
    }

    /** "+350 %", "-3 %", "0 %". */
    public static String percent(double fraction) {
        long percent = Math.round(fraction * 100);
        return (percent > 0 ? "+" : "") + percent + " %";
    }

    /** Three significant digits, with thousands separators. */
    public static String number(double value) {
        double size = Math.abs(value);
        String form = size >= 99.95 ? "%,.0f" : size >= 9.995 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, form, value);
    }
}
