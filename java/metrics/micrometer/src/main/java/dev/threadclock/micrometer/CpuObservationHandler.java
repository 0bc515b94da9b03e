// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuWork;
import dev.threadclock.CpuSnapshot;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
 * <p><b>Never a wrong value.</b> If part of an observation's time is unknown ({@link CpuWork#whyPartial()}
 * says why), it is recorded in no timer, but in the counter {@code threadclock.observations.partial},
 * tagged with its {@code name}. An observation that has opened no scope is in neither. Without the library's
 * native code there are no such meters, and the log gives the reason. If a registry refuses a meter, for
 * example because the application has another one of that name, the log reports it once and the observation
 * continues.
 *
 * <p><b>Cost.</b> A scope costs as much as one of {@link CpuWork}, usually without a system call. Timers are
 * looked up once for each combination of name and tags.
 */
public final class CpuObservationHandler implements ObservationHandler<Observation.Context> {
    private static final Logger LOGGER = Logger.getLogger("dev.threadclock");

    private final MeterRegistry registry;
    private final boolean works = NativeCode.WORKS;
    private final AtomicBoolean hasWarned = new AtomicBoolean();
    private final Map<List<Object>, Timers> timers = new ConcurrentHashMap<>(); // by what they depend on

    /**
     * Creates a handler.
     *
     * @param registry the registry of the timers
     */
    public CpuObservationHandler(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
        registry.config().onMeterRemoved(meter -> timers.clear());
    }

    /**
     * The CPU time of an observation's closed scopes; after the observation has stopped, all of it.
     *
     * @param context the observation's context
     * @return its scopes; null if it has opened none, or nothing can be measured
     */
    public static CpuWork cpuOf(Observation.ContextView context) {
        return context == null ? null : context.get(CpuWork.class);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return works;
    }

    // Micrometer's compatibility kit demands that a handler accepts no context (null).

    /** Removes what an earlier observation with the same context has left. */
    @Override
    public void onStart(Observation.Context context) {
        if (context != null) {
            context.remove(CpuWork.class);
        }
    }

    @Override
    public void onScopeOpened(Observation.Context context) {
        if (context != null) {
            context.computeIfAbsent(CpuWork.class, key -> new CpuWork()).open();
        }
    }

    @Override
    public void onScopeClosed(Observation.Context context) {
        CpuWork cpu = cpuOf(context);
        if (cpu != null) {
            cpu.close();
        }
    }

    @Override
    public void onScopeReset(Observation.Context context) {
        CpuWork cpu = cpuOf(context);
        if (cpu != null) {
            cpu.closeAll();
        }
    }

    @Override
    public void onStop(Observation.Context context) {
        CpuWork cpu = cpuOf(context);
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

    private void record(Observation.Context context, CpuWork cpu) {
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
        String errorName = error == null ? KeyValue.NONE_VALUE : error.getClass().getSimpleName();
        KeyValues values = context.getLowCardinalityKeyValues();
        List<Object> key = Arrays.asList(context.getName(), errorName, values);
        Timers to = timers.get(key);
        if (to == null) { // not computeIfAbsent: a registry may call back while it registers a meter
            to = new Timers(context.getName(), errorName, values, registry);
            timers.put(key, to);
        }
        to.user.record(used.userNanos(), TimeUnit.NANOSECONDS);
        to.system.record(used.systemNanos(), TimeUnit.NANOSECONDS);
    }

    private static final class Timers {
        private final Timer user;
        private final Timer system;

        Timers(String name, String error, KeyValues values, MeterRegistry registry) {
            Tags tags = Tags.of("error", error);
            for (KeyValue each : values) {
                tags = tags.and(each.getKey(), each.getValue());
            }
            user = timer(name, tags.and("cpu.mode", "user"), registry);
            system = timer(name, tags.and("cpu.mode", "system"), registry);
        }

        private static Timer timer(String name, Tags tags, MeterRegistry registry) {
            return Timer.builder(name + ".cpu").tags(tags).description("CPU time within the scopes")
                    .register(registry);
        }
    }
}
