// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuScopes;
import dev.threadclock.CpuSnapshot;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The CPU time of observations: what all threads together use within an observation's scopes. Time outside of
 * scopes does not count, because an observation may start and stop on different threads.
 *
 * <pre>{@code
 * observations.observationConfig().observationHandler(new CpuObservationHandler(registry));
 * }</pre>
 *
 * <p>When an observation stops, its user and system time are recorded in two timers: its name with
 * {@code .cpu}, tagged with {@code cpu.mode}, its low-cardinality key values and {@code error}, like the
 * timer of its elapsed time. {@link #cpuOf} also returns them, even before the stop.
 *
 * <p>The time of an observation within another one's scope counts in both, as elapsed time does.
 *
 * <p><b>Never a wrong value.</b> If part of an observation's time is unknown ({@link CpuScopes#isPartial()}
 * lists the cases), it is recorded in no timer, but in the counter {@code threadclock.observations.partial},
 * tagged with its {@code name}. An observation that has opened no scope is in neither. Without the library's
 * native code there are no such meters, and the log gives the reason. If a registry refuses a meter, for
 * example because the application has another one of that name, the log reports it once and the observation
 * continues.
 *
 * <p><b>Cost.</b> Four system calls per scope, two when it opens and two when it closes. A scope within
 * another one of the same observation on the same thread makes none.
 */
public final class CpuObservationHandler implements ObservationHandler<Observation.Context> {
    private static final Logger LOGGER = Logger.getLogger("dev.threadclock");

    private final MeterRegistry registry;
    private final boolean works = NativeCode.works();
    private final AtomicBoolean hasWarned = new AtomicBoolean();

    /**
     * Creates a handler.
     *
     * @param registry the registry of the timers
     */
    public CpuObservationHandler(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
    }

    /**
     * The CPU time of an observation's closed scopes; after the observation has stopped, all of it.
     *
     * @param context the observation's context
     * @return its scopes; null if it has opened none, or nothing can be measured
     */
    public static CpuScopes cpuOf(Observation.ContextView context) {
        return context.get(CpuScopes.class);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return works;
    }

    /** Removes what an earlier observation with the same context has left. */
    @Override
    public void onStart(Observation.Context context) {
        context.remove(CpuScopes.class);
    }

    @Override
    public void onScopeOpened(Observation.Context context) {
        context.computeIfAbsent(CpuScopes.class, key -> new CpuScopes()).open();
    }

    @Override
    public void onScopeClosed(Observation.Context context) {
        CpuScopes cpu = cpuOf(context);
        if (cpu != null) {
            cpu.close();
        }
    }

    @Override
    public void onScopeReset(Observation.Context context) {
        CpuScopes cpu = cpuOf(context);
        if (cpu != null) {
            cpu.closeAll();
        }
    }

    @Override
    public void onStop(Observation.Context context) {
        CpuScopes cpu = cpuOf(context);
        if (cpu == null || !cpu.end()) { // a second handler of the same observation would record it again
            return;
        }
        try {
            record(context, cpu);
        } catch (RuntimeException e) { // otherwise the observed code would fail
            if (hasWarned.compareAndSet(false, true)) {
                LOGGER.log(Level.WARNING, "no CPU time of the observation {0}: {1}",
                        new Object[]{context.getName(), e.getMessage()});
            }
        }
    }

    private void record(Observation.Context context, CpuScopes cpu) {
        if (cpu.isPartial()) {
            Counter.builder("threadclock.observations.partial").tag("name", context.getName())
                    .description("Observations whose CPU time is not known in full").register(registry)
                    .increment();
        } else {
            record(context, cpu.snapshot());
        }
    }

    private void record(Observation.Context context, CpuSnapshot used) {
        Throwable error = context.getError();
        List<Tag> tags = new ArrayList<>();
        tags.add(Tag.of("error",
                error == null ? KeyValue.NONE_VALUE : error.getClass().getSimpleName()));
        for (KeyValue each : context.getLowCardinalityKeyValues()) {
            tags.add(Tag.of(each.getKey(), each.getValue()));
        }
        Tags all = Tags.of(tags); // added in one step, because each and() copies and sorts them
        record(context, all.and("cpu.mode", "user"), used.userNanos());
        record(context, all.and("cpu.mode", "system"), used.systemNanos());
    }

    private void record(Observation.Context context, Tags tags, long nanos) {
        Timer.builder(context.getName() + ".cpu").tags(tags).description("CPU time within the scopes")
                .register(registry).record(nanos, TimeUnit.NANOSECONDS);
    }
}
