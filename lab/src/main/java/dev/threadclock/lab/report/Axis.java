// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.terminal.page.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/** One axis of a drawing: it maps a value to a position from 0 to 1, and has marks. */
record Axis(DoubleUnaryOperator place, List<Mark> marks) {
    record Mark(double place, String label) {}

    private static final int LINEAR_MARKS = 5;
    /** With more labels than this, they would overlap. */
    private static final int DECADE_LABELS = 7;
    private static final int NINES_LABELS = 4;

    double at(double value) {
        return Math.max(0, Math.min(1, place.applyAsDouble(value)));
    }

    /** An axis from 0, or from below if there are negative values, in round steps. */
    static Axis linear(double least, double most, String unit) {
        double from = Math.min(0, least);
        double range = Math.max(most - from, Double.MIN_NORMAL);
        double power = Math.pow(10, Math.floor(Math.log10(range / LINEAR_MARKS)));
        double step = power;
        for (double factor : new double[]{2, 5, 10}) {
            step = range / step > LINEAR_MARKS ? factor * power : step;
        }
        double start = Math.floor(from / step) * step;
        double end = Math.ceil((from + range) / step) * step;
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; start + i * step <= end + step / 2; i++) {
            double value = start + i * step;
            marks.add(new Mark((value - start) / (end - start),
                    Quantities.value(value, unit.equals("ns") ? unit : "1")));
        }
        return new Axis(value -> (value - start) / (end - start), marks);
    }

    /** An axis on which each power of ten takes the same space. Values of 0 or less are at its start. */
    static Axis logarithmic(double least, double most, String unit) {
        int first = (int) Math.floor(Math.log10(least));
        int last = Math.max(first + 1, (int) Math.ceil(Math.log10(most)));
        int labelled = 1 + (last - first) / DECADE_LABELS;
        List<Mark> marks = new ArrayList<>();
        for (int decade = first; decade <= last; decade++) {
            boolean shown = (decade - first) % labelled == 0;
            String label = unit.equals("ns") && decade >= 0 && decade < 12 ? Figures.decade(decade)
                    : Quantities.value(Math.pow(10, decade), "1");
            marks.add(new Mark((double) (decade - first) / (last - first), shown ? label : ""));
        }
        return new Axis(value -> value <= 0 ? 0 : (Math.log10(value) - first) / (last - first), marks);
    }

    /**
     * An axis for percentiles, on which each further nine takes the same space: 1 / (1 - p). The maximum,
     * 100, is one nine after the last percentile.
     */
    static Axis nines(double lastBelow100) {
        double nines = Math.max(1, Math.min(8, -Math.log10(1 - lastBelow100 / 100)));
        PercentileAxis axis = new PercentileAxis(Math.round(Math.pow(10, nines + 1)));
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; i <= nines + 0.01; i++) {
            boolean shown = i < NINES_LABELS || i % 2 == 0;
            marks.add(new Mark(i / axis.end(), shown ? PercentileAxis.label(i) : ""));
        }
        marks.add(new Mark(1, "max"));
        return new Axis(percentile -> axis.position(percentile / 100) / axis.end(), marks);
    }
}
