// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.interval;

import dev.threadclock.CpuSnapshot;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A column of top: its title, width, text and key, what it sorts by, and under which name programs get it. By
 * default its text is the percentage of one core that its nanoseconds are.
 */
public enum Column {
    USER("USER%", 7, 76, 'u', CpuSnapshot::userNanos),
    SYSTEM("SYS%", 7, 76, 'y', CpuSnapshot::systemNanos),
    TOTAL("TOTAL%", 7, 0, 't', CpuSnapshot::totalNanos),
    WAIT("WAIT%", "WAIT%", 7, 0, 'w', Use::waitNanos, null, null),
    TIME("TIME", "TIME", 11, 56, 'm', use -> use.life().totalNanos(),
            (use, grouped) -> time(use.life().totalNanos()), null),
    STATE("S", "S", 2, 0, '\0', null, (use, grouped) -> String.valueOf(use.state()), null),
    NUMBER("TID", "THREADS", 8, 0, '\0', null, (use, grouped) -> grouped ? Integer.toString(use.threads())
            : use.tid() == 0 ? "-" : Integer.toString(use.tid()), null),
    NAME("  THREAD", "  POOL", 0, 0, 'n', null, (use, grouped) -> "  " + name(use, grouped), null);

    /** From left to right. Programs get the parts before the total. */
    private static final List<Column> SHOWN = Stream
            .concat(Stream.of(TOTAL), Stream.of(values()).filter(column -> column != TOTAL)).toList();
    /** Those that a table can be sorted by. */
    public static final List<Column> SORTED = SHOWN.stream().filter(column -> column.key != 0).toList();
    /** Those of a time's parts and their sum. */
    static final List<Column> TIMES = Stream.of(values()).filter(column -> column.times != null).toList();

    private static final String NO_NAME = "(no name)";
    private static final long NANOS_PER_HUNDREDTH = 10_000_000;

    private final String title;
    private final String titleOfPools;
    private final int width;
    private final int leastScreen;
    private final char key;
    private final ToLongFunction<Use> nanos;
    private final BiFunction<Use, Boolean, String> text;
    final ToLongFunction<CpuSnapshot> times;

    /** leastScreen: on a narrower one, a thread's name is more useful than this column. */
    Column(String title, int width, int leastScreen, char key, ToLongFunction<CpuSnapshot> times) {
        this(title, title, width, leastScreen, key, use -> times.applyAsLong(use.interval()), null, times);
    }

    /** key: 0 if the table is not sorted by it. text: of a use, and whether uses are grouped to pools. */
    Column(String title, String titleOfPools, int width, int leastScreen, char key, ToLongFunction<Use> nanos,
            BiFunction<Use, Boolean, String> text, ToLongFunction<CpuSnapshot> times) {
        this.title = title;
        this.titleOfPools = titleOfPools;
        this.width = width;
        this.leastScreen = leastScreen;
        this.key = key;
        this.nanos = nanos;
        this.text = text;
        this.times = times;
    }

    /** The titles of a screen's columns. */
    public static String titles(boolean grouped, int screen) {
        return line(screen, column -> grouped ? column.titleOfPools : column.title);
    }

    public static String line(Interval interval, Use use, boolean grouped, int screen) {
        return line(screen, column -> column.text != null ? column.text.apply(use, grouped)
                : column.percent(interval, use));
    }

    /** Not String.format: there may be thousands of lines, at 30 us each in a JVM that has just started. */
    private static String line(int screen, Function<Column, String> cell) {
        StringBuilder line = new StringBuilder(64);
        for (Column column : SHOWN) {
            if (screen >= column.leastScreen) {
                String text = cell.apply(column);
                line.append(" ".repeat(Math.max(0, column.width - text.length()))).append(text);
            }
        }
        return line.toString();
    }

    private static String name(Use use, boolean grouped) {
        return !use.isVirtual() ? use.name().isEmpty() ? NO_NAME : use.name()
                // Pools have a column of their own for the number of threads.
                : use.name() + " (" + (grouped ? "" : use.threads() + " ") + "virtual, " + use.mounted()
                        + " mounted)";
    }

    private String percent(Interval interval, Use use) {
        long used = nanos.applyAsLong(use);
        if (times == null && used == Use.NOT_MEASURED) {
            return "-";
        }
        // A wait may have begun before the interval.
        long shown = times == null ? Math.min(used, use.threads() * interval.nanos()) : used;
        long tenths = Math.round(10 * interval.percent(Math.max(0, shown)));
        return tenths / 10 + "." + tenths % 10;
    }

    /** "1:02.03" is in minutes, "1:02:03" in hours. */
    public static String time(long nanos) {
        long hundredths = nanos / NANOS_PER_HUNDREDTH;
        long seconds = hundredths / 100;
        return seconds < 3600
                ? seconds / 60 + ":" + twoDigits(seconds % 60) + "." + twoDigits(hundredths % 100)
                : seconds / 3600 + ":" + twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60);
    }

    private static String twoDigits(long number) {
        return (number < 10 ? "0" : "") + number;
    }

    /** The greatest comes first, except for names. */
    public Comparator<Use> order() {
        Comparator<Use> byLife = Comparator.comparingLong((Use use) -> use.life().totalNanos()).reversed();
        return (nanos == null ? Comparator.comparing(Use::name) : Comparator.comparingLong(nanos).reversed())
                .thenComparing(byLife).thenComparing(Use::name).thenComparingInt(Use::tid);
    }

    /** The one to sort by after this one. */
    public Column next() {
        return SORTED.get((SORTED.indexOf(this) + 1) % SORTED.size());
    }

    public char key() {
        return key;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What to sort by, as an option's value: by {@link #toString()}, and of no other column. */
    public static final class Sorting implements ITypeConverter<Column>, Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return SORTED.stream().map(Column::toString).iterator();
        }

        @Override
        public Column convert(String word) {
            return SORTED.stream().filter(column -> column.toString().equals(word)).findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + word + "' is none of " + SORTED));
        }
    }
}
