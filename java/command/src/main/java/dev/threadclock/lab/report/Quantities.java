// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.lab.model.Outcome.Figure;
import dev.threadclock.command.page.Figures;
import dev.threadclock.command.page.Html;

/** Formats figures with their units for people. */
final class Quantities {
    private Quantities() {}

    /** "8.02 µs ± 0.31 µs", "4,096 bytes", "24.5". */
    static String withSpread(Figure figure) {
        String value = value(figure.value(), figure.unit());
        return figure.spread() == 0 ? value : value + " ± " + value(figure.spread(), figure.unit());
    }

    static String value(double value, String unit) {
        return switch (unit) {
            case "ns" -> Math.abs(value) < 1_000 ? number(value) + " ns" : Figures.duration(value);
            case "1" -> number(value);
            default -> number(value) + " " + unit;
        };
    }

    /** Whole numbers unchanged, others with three digits. */
    private static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return Html.format("%,.0f", value);
        }
        return value < 0 ? "-" + number(-value)
                : value < 0.00995 ? Html.format("%.2g", value) : Figures.number(value);
    }
}
