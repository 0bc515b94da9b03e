// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.internal.ExtendedSpanProcessor;

/** Writes what a span has used just before it ends, because a span cannot be changed in onEnd. */
final class SpanCpuProcessor implements ExtendedSpanProcessor {
    private final SpanScopes scopes;

    SpanCpuProcessor(SpanScopes scopes) {
        this.scopes = scopes;
    }

    @Override
    public void onEnding(ReadWriteSpan span) {
        scopes.end(span);
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
}
