// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: one way for the table, the page and the markdown.
package dev.threadclock.cli.demo;

import java.util.Locale;

final class Figures {
    private Figures() {}

    /** "12.3 ns", "8,021 ns". */
    static String nanos(double nanos) {
        return number(nanos) + " ns";
    }

    /** "85 ns", "15.2 µs", "3.60 ms": the unit that fits. */
    static String duration(double nanos) {
        if (nanos < 1_000) {
            return number(nanos) + " ns";
        }
        return nanos < 1_000_000 ? number(nanos / 1e3) + " µs" : number(nanos / 1e6) + " ms";
    }

    /** "652×", "3.4×". */
    static String times(double ratio) {
        return number(ratio) + "×";
    }

    /** "181 of 187 ms". */
    static String userOfCpu(TickRun run) {
        return String.format(Locale.ROOT, "%.0f of %.0f ms", run.userNanos() / 1e6, run.cpuNanos() / 1e6);
    }

    /** "+350 %", "-3 %", "0 %". */
    static String percent(double fraction) {
        long percent = Math.round(fraction * 100);
        return (percent > 0 ? "+" : "") + percent + " %";
    }

    /** Three significant digits, and thousands separated. */
    static String number(double value) {
        String form = value >= 99.95 ? "%,.0f" : value >= 9.995 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, form, value);
    }
}
