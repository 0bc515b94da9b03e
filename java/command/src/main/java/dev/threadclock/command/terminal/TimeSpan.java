// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import dev.threadclock.attach.internal.Printable;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations in options: 500ms, 60s, 1.5m, 1h. A bare number is in seconds. */
public final class TimeSpan implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h|d|)");
    private static final Map<String, ChronoUnit> UNITS = Map.of("ms", ChronoUnit.MILLIS, "s",
            ChronoUnit.SECONDS, "", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d", ChronoUnit.DAYS);

    @Override
    public Duration convert(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + Printable.line(text, 100)
                    + "' is not a length of time; give one such as 500ms, 60s, 5m or 1h");
        }
        BigDecimal nanos = new BigDecimal(matcher.group(1))
                .multiply(BigDecimal.valueOf(UNITS.get(matcher.group(2)).getDuration().toNanos()));
        return Duration.ofNanos(nanos.longValue());
    }

    /** From one sample of a JVM's threads to the next. */
    public static final class BetweenSamples implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            Duration time = new TimeSpan().convert(text);
            if (time.toMillis() < 100 || time.compareTo(Duration.ofHours(1)) > 0) {
                throw new TypeConversionException("the time between samples is 100ms to 1h");
            }
            return time;
        }
    }
}
