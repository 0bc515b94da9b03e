// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.sample.NoSampling;
import dev.threadclock.command.terminal.Failure;
import java.io.IOException;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What ends the samples ends the screen. */
@Timeout(60)
class LiveScreenTest {
    static Stream<Throwable> reasons() {
        return Stream.of(new IOException("a test's"), new Failure("a test's"),
                new OutOfMemoryError("a test's"));
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void aReadingThatFailsIsReported(Throwable reason) {
        LiveScreen.Feed feed = new LiveScreen.Feed(new NoSampling() {
            @Override
            public Optional<Interval> next() {
                return LiveScreenTest.<RuntimeException, Optional<Interval>>thrown(reason);
            }
        });
        assertThatThrownBy(() -> {
            while (!feed.isOver()) {
                Thread.onSpinWait();
            }
        }).isSameAs(reason);
    }

    /** Throws it, whatever the method declares. */
    @SuppressWarnings("unchecked")
    private static <X extends Throwable, T> T thrown(Throwable reason) throws X {
        throw (X) reason;
    }
}
