// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.Freshness;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import java.util.Arrays;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Sees every scope that opens and closes on any thread, and meters those of recorded spans. What a span has
 * used is found by its SpanContext, and goes with it if the span is never ended.
 */
final class SpanScopes {
    private static final int STRIPES = 64; // so that threads with different spans rarely meet at a lock

    private final Map<SpanContext, SpanCpu>[] spans;
    private final SpanCpu.Clock clock;

    @SuppressWarnings({"unchecked", "rawtypes"})
    SpanScopes(Freshness freshness) {
        clock = new SpanCpu.Clock(freshness);
        spans = new Map[STRIPES];
        Arrays.setAll(spans, i -> new WeakHashMap<>());
    }

    /** A storage that meters what the given one stores. */
    ContextStorage over(ContextStorage storage) {
        return new ContextStorage() {
            @Override
            public Scope attach(Context context) {
                Scope scope = storage.attach(context);
                return scope == Scope.noop() ? scope : metered(Span.fromContext(context), scope);
            }

            @Override
            public Context current() {
                return storage.current();
            }

            @Override
            public Context root() {
                return storage.root();
            }
        };
    }

    private Scope metered(Span span, Scope scope) {
        if (!span.isRecording()) {
            return scope;
        }
        Map<SpanContext, SpanCpu> stripe = stripe(span);
        SpanCpu cpu;
        synchronized (stripe) {
            cpu = stripe.computeIfAbsent(span.getSpanContext(), key -> new SpanCpu(clock));
        }
        return new Metered(cpu.enter(), scope);
    }

    private static final class Metered implements Scope {
        private final SpanCpu.Interval interval;
        private final Scope scope;
        private boolean closed;

        Metered(SpanCpu.Interval interval, Scope scope) {
            this.interval = interval;
            this.scope = scope;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                interval.leave();
            }
            scope.close();
        }
    }

    /** The span ends: what it has used is put on it, if any scope of it was seen. */
    void end(Span span) {
        Map<SpanContext, SpanCpu> stripe = stripe(span);
        SpanCpu cpu;
        synchronized (stripe) {
            cpu = stripe.remove(span.getSpanContext());
        }
        if (cpu != null) {
            cpu.end(span);
        }
    }

    private Map<SpanContext, SpanCpu> stripe(Span span) {
        return spans[span.getSpanContext().hashCode() & STRIPES - 1];
    }
}
