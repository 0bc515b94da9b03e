// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.interval.Use;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What the threads are sorted by. The greatest comes first, except for names. */
enum SortKey {
    TOTAL(Comparator.comparingLong((Use use) -> use.interval().totalNanos()).reversed()),
    USER(Comparator.comparingLong((Use use) -> use.interval().userNanos()).reversed()),
    SYSTEM(Comparator.comparingLong((Use use) -> use.interval().systemNanos()).reversed()),
    WAIT(Comparator.comparingLong(Use::waitNanos).reversed()),
    TIME(Comparator.comparingLong((Use use) -> use.life().totalNanos()).reversed()),
    NAME(Comparator.comparing(Use::name));

    /** By {@link #toString()}; picocli's own converter would offer each key twice, in upper case as well. */
    static final class Converter implements ITypeConverter<SortKey> {
        @Override
        public SortKey convert(String word) {
            return Arrays.stream(values()).filter(key -> key.toString().equals(word)).findFirst().orElseThrow(
                    () -> new TypeConversionException(
                            "'" + word + "' is none of " + Arrays.toString(values())));
        }
    }

    private final Comparator<Use> order;

    SortKey(Comparator<Use> order) {
        this.order = order
                .thenComparing(Comparator.comparingLong((Use use) -> use.life().totalNanos()).reversed())
                .thenComparing(Use::name).thenComparingInt(Use::tid);
    }

    Comparator<Use> order() {
        return order;
    }

    SortKey next() {
        return values()[(ordinal() + 1) % values().length];
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
