// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.CpuAttribution;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.CpuWork;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.internal.ExtendedSpanProcessor;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sees every scope that opens and closes on any thread, and meters those of recorded spans, and of contexts
 * that have a key. What a span has used is found by its SpanContext, and is collected with it if the span
 * never ends.
 */
final class SpanScopes implements ExtendedSpanProcessor {
    static final AttributeKey<Long> USER = AttributeKey.longKey("threadclock.cpu.user_ns");
    static final AttributeKey<Long> SYSTEM = AttributeKey.longKey("threadclock.cpu.system_ns");
    static final AttributeKey<Long> TOTAL = AttributeKey.longKey("threadclock.cpu.total_ns");
    static final AttributeKey<Boolean> PARTIAL = AttributeKey.booleanKey("threadclock.cpu.partial");

    /** Whether a tracer provider has asked for spans: until then, no scope is metered for one. */
    volatile boolean isAsked;

    private final Map<Key, CpuWork> spans = new ConcurrentHashMap<>();
    private final ReferenceQueue<SpanContext> collected = new ReferenceQueue<>();
    private AttributeKey<String> attribute;
    private volatile CpuAttribution attribution; // null: no keys are asked for

    void attribute(CpuAttribution to) {
        attribute = AttributeKey.stringKey(to.name());
        attribution = to;
    }

    /** Null: it has none. */
    private String key(CpuAttribution to, Context context, Span span) {
        String key = Baggage.fromContext(context).getEntryValue(to.name());
        return key == null && span instanceof ReadableSpan ? ((ReadableSpan) span).getAttribute(attribute)
                : key;
    }

    /** A storage that meters what the given one stores. */
    ContextStorage over(ContextStorage storage) {
        return new ContextStorage() {
            @Override
            public Scope attach(Context context) {
                Scope scope = storage.attach(context);
                try {
                    return scope == Scope.noop() ? scope : attributed(context, scope);
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

    private Scope attributed(Context context, Scope scope) {
        Span span = Span.fromContext(context);
        CpuAttribution to = attribution;
        String key = to == null ? null : key(to, context, span);
        if (key == null) {
            return metered(span, null, scope);
        }
        CpuAttribution.Scope attributed = to.open(key);
        try {
            return metered(span, attributed, scope);
        } catch (RuntimeException | Error e) {
            attributed.close();
            throw e;
        }
    }

    /** attributed: null without a key. */
    private Scope metered(Span span, CpuAttribution.Scope attributed, Scope scope) {
        if (!isAsked || !span.isRecording()) {
            return attributed == null ? scope : new Metered(null, attributed, scope);
        }
        CpuWork cpu = spans.get(new Key(span.getSpanContext(), null));
        if (cpu == null) {
            removeCollected();
            cpu = spans.computeIfAbsent(new Key(span.getSpanContext(), collected), key -> new CpuWork());
        }
        // First: without memory for it, nobody could close the scope.
        Scope metered = new Metered(cpu, attributed, scope);
        cpu.open();
        return metered;
    }

    private static final class Metered implements Scope {
        private final CpuWork cpu; // or null
        private final CpuAttribution.Scope attributed; // or null
        private final Scope scope;
        private boolean closed;

        Metered(CpuWork cpu, CpuAttribution.Scope attributed, Scope scope) {
            this.cpu = cpu;
            this.attributed = attributed;
            this.scope = scope;
        }

        @Override
        public void close() {
            try {
                if (!closed) {
                    closed = true;
                    if (attributed != null) {
                        attributed.close();
                    }
                    if (cpu != null) {
                        cpu.close();
                    }
                }
            } finally {
                scope.close();
            }
        }
    }

    /** Sets what the span has used as attributes, if any scope of it was seen: in onEnd it is too late. */
    @Override
    public void onEnding(ReadWriteSpan span) {
        CpuWork cpu = spans.remove(new Key(span.getSpanContext(), null));
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

    @Override
    public boolean isOnEndingRequired() {
        return true;
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {}

    @Override
    public boolean isEndRequired() {
        return false;
    }

    private void removeCollected() {
        for (Reference<?> key = collected.poll(); key != null; key = collected.poll()) {
            spans.remove(key);
        }
    }

    /** A span's context, held weakly; equal to itself, and to others with an equal context. */
    private static final class Key extends WeakReference<SpanContext> {
        private final int hash;

        Key(SpanContext context, ReferenceQueue<SpanContext> queue) {
            super(context, queue);
            hash = context.hashCode();
        }

        @Override
        public boolean equals(Object object) {
            SpanContext context = get();
            return this == object || context != null && context.equals(((Key) object).get());
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
