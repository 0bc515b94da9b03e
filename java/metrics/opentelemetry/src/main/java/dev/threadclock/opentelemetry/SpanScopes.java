// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.CpuScopes;
import dev.threadclock.CpuSnapshot;
import io.opentelemetry.api.common.AttributeKey;
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
 * used is found by its SpanContext, and is collected with it if the span never ends.
 */
final class SpanScopes {
    static final AttributeKey<Long> USER = AttributeKey.longKey("threadclock.cpu.user_ns");
    static final AttributeKey<Long> SYSTEM = AttributeKey.longKey("threadclock.cpu.system_ns");
    static final AttributeKey<Long> TOTAL = AttributeKey.longKey("threadclock.cpu.total_ns");
    static final AttributeKey<Boolean> PARTIAL = AttributeKey.booleanKey("threadclock.cpu.partial");

    private static final int STRIPES = 64; // so that threads with different spans rarely contend for a lock

    private final Map<SpanContext, CpuScopes>[] spans;

    @SuppressWarnings({"unchecked", "rawtypes"})
    SpanScopes() {
        spans = new Map[STRIPES];
        Arrays.setAll(spans, i -> new WeakHashMap<>());
    }

    /** A storage that meters what the given one stores. */
    ContextStorage over(ContextStorage storage) {
        return new ContextStorage() {
            @Override
            public Scope attach(Context context) {
                Scope scope = storage.attach(context);
                try {
                    return scope == Scope.noop() ? scope : metered(Span.fromContext(context), scope);
                } catch (RuntimeException | Error e) {
                    // Memory or stack has run out, or an application's own span or context throws. Without
                    // the scope the context would stay current.
                    return scope;
                }
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
        Map<SpanContext, CpuScopes> stripe = stripe(span);
        CpuScopes cpu;
        synchronized (stripe) {
            cpu = stripe.computeIfAbsent(span.getSpanContext(), key -> new CpuScopes());
        }
        cpu.open();
        return new Metered(cpu, scope);
    }

    private static final class Metered implements Scope {
        private final CpuScopes cpu;
        private final Scope scope;
        private boolean closed;

        Metered(CpuScopes cpu, Scope scope) {
            this.cpu = cpu;
            this.scope = scope;
        }

        @Override
        public void close() {
            try {
                if (!closed) {
                    closed = true;
                    cpu.close();
                }
            } finally {
                scope.close();
            }
        }
    }

    /** Called when the span ends: sets what it has used as attributes, if any scope of it was seen. */
    void end(Span span) {
        Map<SpanContext, CpuScopes> stripe = stripe(span);
        CpuScopes cpu;
        synchronized (stripe) {
            cpu = stripe.remove(span.getSpanContext());
        }
        if (cpu == null) {
            return;
        }
        cpu.end();
        if (cpu.intervals() > 0) {
            CpuSnapshot used = cpu.snapshot();
            span.setAttribute(USER, used.userNanos());
            span.setAttribute(SYSTEM, used.systemNanos());
            span.setAttribute(TOTAL, used.totalNanos());
        }
        span.setAttribute(PARTIAL, cpu.isPartial());
    }

    private Map<SpanContext, CpuScopes> stripe(Span span) {
        return spans[span.getSpanContext().hashCode() & STRIPES - 1];
    }
}
