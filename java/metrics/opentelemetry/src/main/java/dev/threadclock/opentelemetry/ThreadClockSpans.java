// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.CpuAttribution;
import dev.threadclock.ThreadClock;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.Objects;

/**
 * CPU time on recorded spans, as the attributes {@code threadclock.cpu.user_ns}, {@code system_ns},
 * {@code total_ns} (nanoseconds) and {@code threadclock.cpu.partial}.
 *
 * <pre>{@code
 * ThreadClockSpans.addTo(tracerProviderBuilder);
 * }</pre>
 *
 * <p>A span has used what each thread used while the span was current on it: from {@code makeCurrent()} to
 * the closing of that scope, summed over threads. The time of a nested scope also counts in the outer one,
 * whatever its span: CPU time is inclusive, as durations are. Virtual threads have their own time, never
 * their carrier's, while {@link dev.threadclock.VirtualThreads} accounts for them.
 *
 * <p><b>Partial</b> is true if some of the span's time is missing from the sum;
 * {@link dev.threadclock.CpuWork#whyPartial()} lists the cases. If nothing is known, the times are absent. A
 * span that was never current has none of the attributes. A thread on which the span never becomes current,
 * such as one that the application starts with {@code new Thread()}, is not part of it.
 *
 * <p><b>Cost.</b> A scope costs as much as one of {@link dev.threadclock.CpuWork}, usually without a system
 * call.
 */
public final class ThreadClockSpans {
    private ThreadClockSpans() {}

    /**
     * Shared by all tracer providers of the JVM. OpenTelemetry ignores a wrapper that is added after the
     * first context, and with two wrappers each would meter every scope.
     */
    private static final class OfAll {
        static final SpanScopes SCOPES = new SpanScopes();

        static {
            ContextStorage.addWrapper(SCOPES::over);
        }
    }

    /**
     * Meters the spans of a tracer provider. The first call must come before the first {@code Context} is
     * made current: when the application starts. Further providers may be built at any time. Needs an SDK
     * with {@code ExtendedSpanProcessor} (1.42 and later).
     *
     * @param builder the tracer provider's builder
     * @throws IllegalStateException with the reason, without the native library
     * @throws LinkageError if the SDK is too old
     */
    public static void addTo(SdkTracerProviderBuilder builder) {
        builder.addSpanProcessor(processor());
    }

    /** For those who are not yet asked for spans, but cannot be sure that it is not too late then. */
    static void prepare() {
        OfAll.SCOPES.getClass();
    }

    static SpanProcessor processor() {
        ThreadClock.requireNative();
        OfAll.SCOPES.isAsked = true;
        return OfAll.SCOPES;
    }

    /**
     * Attributes CPU time by an entry of the baggage, or by an attribute of the recorded span, that is named
     * as the attribution: what a thread uses while a context is current that has it, the innermost alone.
     * The key is read when the context becomes current; a context without one leaves it at the enclosing
     * context's.
     *
     * <p>Baggage is part of a context also if its span is not sampled, so all requests count. Attributes are
     * visible only of recorded spans, and only those that are set before the span becomes current:
     * {@code http.route} often is not. Which keys there are, {@link ThreadClockMetrics#register(Meter,
     * CpuAttribution)} reports. The first call must come as early as that of {@link #addTo}.
     *
     * @param attribution to which the time is added, for example {@code new CpuAttribution("tenant.id")};
     *     replaces that of an earlier call
     * @throws IllegalStateException with the reason, without the native library
     */
    public static void attribute(CpuAttribution attribution) {
        ThreadClock.requireNative();
        OfAll.SCOPES.attribute(Objects.requireNonNull(attribution, "attribution"));
    }
}
