// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.ThreadClock;
import dev.threadclock.tests.shared.Work;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.lang.ref.WeakReference;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The CPU time on spans. Each expectation is a pair of readings by the thread itself: just within its scope,
 * and just around it.
 */
class ThreadClockSpansTest {
    private static final long BURN_NANOS = 20_000_000;
    private static final InMemorySpanExporter EXPORTER = InMemorySpanExporter.create();
    private static final Tracer TRACER = tracer();

    private static volatile long sink;

    private static Tracer tracer() {
        SdkTracerProviderBuilder builder = SdkTracerProvider.builder();
        ThreadClockSpans.addTo(builder);
        return builder.addSpanProcessor(SimpleSpanProcessor.create(EXPORTER)).build().get("test");
    }

    private static Span start() {
        return start(TRACER);
    }

    private static Span start(Tracer tracer) {
        return tracer.spanBuilder("test").startSpan();
    }

    /** Ends the span, and returns the attributes with which it is exported. */
    private static Attributes end(Span span) {
        EXPORTER.reset();
        span.end();
        return EXPORTER.getFinishedSpanItems().get(0).getAttributes();
    }

    /** What a thread had used of a span at least and at most. */
    private static final class Used {
        private final long leastNanos;
        private final long mostNanos;

        Used(long leastNanos, long mostNanos) {
            this.leastNanos = leastNanos;
            this.mostNanos = mostNanos;
        }

        Used plus(Used other) {
            return new Used(leastNanos + other.leastNanos, mostNanos + other.mostNanos);
        }

        void assertTotalOf(Attributes attributes) {
            long total = attributes.get(SpanScopes.TOTAL);
            // Total is raised to user + system, which are whole microseconds.
            assertThat(total).isBetween(leastNanos, mostNanos + 5_000);
            assertThat(attributes.get(SpanScopes.USER)).isNotNegative();
            assertThat(attributes.get(SpanScopes.SYSTEM)).isNotNegative();
            assertThat(attributes.get(SpanScopes.USER) + attributes.get(SpanScopes.SYSTEM))
                    .isLessThanOrEqualTo(total);
            assertThat(attributes.get(SpanScopes.PARTIAL)).isFalse();
        }
    }

    private static Used within(Span span) {
        long before = ThreadClock.totalNowNanos();
        long begun;
        long done;
        try (Scope scope = span.makeCurrent()) {
            begun = ThreadClock.totalNowNanos();
            Work.burn(BURN_NANOS);
            done = ThreadClock.totalNowNanos();
        }
        return new Used(done - begun, ThreadClock.totalNowNanos() - before);
    }

    private static void onThread(Runnable task) throws InterruptedException {
        Thread thread = new Thread(task);
        thread.start();
        thread.join();
    }

    @Test
    void aSpanHasWhatItsThreadUsedWithinItsScopes() {
        Span span = start();
        Work.burn(BURN_NANOS); // outside of the scope
        Used used = within(span).plus(within(span));
        Work.burn(BURN_NANOS);
        used.assertTotalOf(end(span));
    }

    /** The storage is installed for all who might ask for spans. */
    @Test
    void nothingIsMeteredBeforeAProviderAsks() {
        SpanScopes scopes = new SpanScopes();
        ContextStorage storage = scopes.over(ContextStorage.defaultStorage());
        Context context = Context.root().with(start());
        try (Scope scope = storage.attach(context)) {
            assertThat(scope.getClass().getName()).doesNotContain("threadclock");
        }
        scopes.isAsked = true;
        try (Scope scope = storage.attach(context)) {
            assertThat(scope.getClass().getName()).contains("threadclock");
        }
    }

    /** OpenTelemetry accepts no wrapper of contexts after the first context. */
    @Test
    void spansOfAProviderBuiltAfterTheFirstSpanHaveTimes() {
        Span first = start();
        within(first).assertTotalOf(end(first));
        Span second = start(tracer());
        within(second).assertTotalOf(end(second));
    }

    @Test
    void threadsAreSummed() throws Exception {
        Span span = start();
        Used[] used = new Used[2];
        Thread other = new Thread(() -> used[1] = within(span));
        other.start();
        used[0] = within(span);
        other.join();
        used[0].plus(used[1]).assertTotalOf(end(span));
    }

    /** As of a parallel stream: its last task ends within its scope, and its caller ends the span. */
    @Test
    void aScopeThatIsBeingClosedAtTheEndCounts() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        for (int i = 0; i < 3_000; i++) {
            Span span = start();
            AtomicBoolean isResult = new AtomicBoolean();
            Future<?> task = other.submit(() -> {
                try (Scope scope = span.makeCurrent()) {
                    sink++;
                    isResult.set(true);
                }
            });
            while (!isResult.get()) {
                Thread.onSpinWait();
            }
            for (int spin = 0; spin < i % 64; spin++) {
                Thread.onSpinWait();
            }
            Attributes attributes = end(span);
            assertThat(attributes.get(SpanScopes.TOTAL)).isNotNull();
            assertThat(attributes.get(SpanScopes.PARTIAL)).isFalse();
            task.get();
        }
        other.shutdown();
    }

    @Test
    void scopesClosedInAnotherOrderCountUntilTheLast() throws Exception {
        Span span = start();
        Used[] used = new Used[1];
        onThread(() -> {
            long before = ThreadClock.totalNowNanos();
            Scope outer = span.makeCurrent();
            Scope inner = Context.current().with(ContextKey.named("other"), "context").makeCurrent();
            long begun = ThreadClock.totalNowNanos();
            outer.close();
            outer.close();
            Work.burn(BURN_NANOS);
            long done = ThreadClock.totalNowNanos();
            inner.close();
            used[0] = new Used(done - begun, ThreadClock.totalNowNanos() - before);
        });
        used[0].assertTotalOf(end(span));
    }

    @Test
    void aSpanWhoseTimeIsUnknownHasNoValue() throws Exception {
        Span span = start();
        onThread(span::makeCurrent); // and ends without closing the scope
        Attributes attributes = end(span);
        assertThat(attributes.asMap()).isEqualTo(Attributes.of(SpanScopes.PARTIAL, true).asMap());
    }

    @Test
    void aSpanThatWasNeverCurrentHasNoAttributes() {
        assertThat(end(start()).isEmpty()).isTrue();
    }

    /** Otherwise the thread's next spans would have the wrong parent. */
    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, IllegalStateException.class})
    void aSpanThatCannotBeMeteredIsStillCurrentAndEnds(Class<? extends Throwable> thrown) throws Exception {
        Throwable failure = thrown.getConstructor(String.class).newInstance("a test's");
        Context failing = new Context() {
            @Override
            public <V> V get(ContextKey<V> key) {
                return throwAny(failure);
            }

            @Override
            public <V> Context with(ContextKey<V> key, V value) {
                return this;
            }
        };
        Context before = Context.current();
        Scope scope = failing.makeCurrent();
        assertThat(Context.current()).isSameAs(failing);
        scope.close();
        assertThat(Context.current()).isSameAs(before);
    }

    @SuppressWarnings("unchecked")
    private static <T, E extends Throwable> T throwAny(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void aSpanThatIsNeverEndedIsCollected() throws Exception {
        WeakReference<SpanContext> forgotten = forget();
        for (int i = 0; forgotten.get() != null && i < 1000; i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(forgotten.get()).isNull();
    }

    /** Its scope is not closed either; the thread that opened it ends. */
    private static WeakReference<SpanContext> forget() throws InterruptedException {
        Span span = start();
        onThread(span::makeCurrent);
        within(span);
        return new WeakReference<>(span.getSpanContext());
    }
}
