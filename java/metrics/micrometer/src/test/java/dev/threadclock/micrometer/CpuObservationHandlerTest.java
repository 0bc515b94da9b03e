// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuWork;
import dev.threadclock.ThreadClock;
import dev.threadclock.tests.shared.Work;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.Observation.Scope;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.AnyContextObservationHandlerCompatibilityKit;
import io.micrometer.observation.tck.NullContextObservationHandlerCompatibilityKit;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Observations on one thread and on two, and scopes that are used wrongly. */
class CpuObservationHandlerTest {
    private static final long WORK_NANOS = 50_000_000;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ObservationRegistry observations = ObservationRegistry.create();
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    @BeforeEach
    void addHandlers() {
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters))
                .observationHandler(new CpuObservationHandler(meters));
    }

    @AfterEach
    void shutDown() {
        other.shutdown();
    }

    private Observation started(String name) {
        return Observation.createNotStarted(name, observations).lowCardinalityKeyValue("kind", "test")
                .start();
    }

    private double recordedNanos(String name) {
        double user = timer(name, "user").totalTime(TimeUnit.NANOSECONDS);
        double system = timer(name, "system").totalTime(TimeUnit.NANOSECONDS);
        return user + system;
    }

    private Timer timer(String name, String mode) {
        return meters.get(name + ".cpu").tag("cpu.mode", mode).timer();
    }

    private void assertPartial(String name, int count) {
        assertThat(meters.find(name + ".cpu").meters()).isEmpty();
        assertThat(meters.get("threadclock.observations.partial").tag("name", name).counter().count())
                .isEqualTo(count);
    }

    @Test
    void theTimeOfTwoThreadsIsWhatTheirClocksSay() throws Exception {
        long[] burnt = new long[1];
        long[] around = new long[1];
        Observation observation = started("two.threads");
        long before = ThreadClock.totalNowNanos();
        observation.scoped(() -> burnt[0] += Work.burn(WORK_NANOS));
        around[0] += ThreadClock.totalNowNanos() - before;
        other.submit(() -> {
            long begun = ThreadClock.totalNowNanos();
            observation.scoped(() -> burnt[0] += Work.burn(2 * WORK_NANOS));
            around[0] += ThreadClock.totalNowNanos() - begun;
            Work.burn(WORK_NANOS); // outside of the scopes
        }).get();
        other.submit(observation::stop).get(); // started on another thread
        assertThat(recordedNanos("two.threads")).isBetween(burnt[0] - 4_000.0, around[0] + 4_000.0);
        CpuWork cpu = CpuObservationHandler.cpuOf(observation.getContextView());
        assertThat(cpu.snapshot().totalNanos()).isBetween(burnt[0], around[0] + 4_000);
        assertThat(cpu.intervals()).isEqualTo(2);
    }

    /** As of a task that signals its end within its scope: whoever waits for it stops the observation. */
    @Test
    void aScopeThatIsBeingClosedAtTheStopCountsOnce() throws Exception {
        for (int i = 0; i < 3_000; i++) {
            Observation observation = started("overtaken");
            AtomicBoolean isResult = new AtomicBoolean();
            Future<?> task = other.submit(() -> observation.scoped(() -> {
                Work.burn(10_000);
                isResult.set(true);
            }));
            while (!isResult.get()) {
                Thread.onSpinWait();
            }
            for (int spin = 0; spin < i % 64; spin++) {
                Thread.onSpinWait();
            }
            observation.stop();
            assertThat(CpuObservationHandler.cpuOf(observation.getContextView()).intervals()).isOne();
            task.get();
        }
        assertThat(timer("overtaken", "user").count()).isEqualTo(3_000);
    }

    @Test
    void aSecondHandlerDoesNotRecordItAgain() {
        observations.observationConfig().observationHandler(new CpuObservationHandler(meters));
        Observation observation = started("twice");
        observation.scoped(() -> Work.burn(WORK_NANOS));
        observation.stop();
        assertThat(timer("twice", "user").count()).isEqualTo(1);
        assertThat(CpuObservationHandler.cpuOf(observation.getContextView()).intervals()).isEqualTo(1);
    }

    /** CPU time divided by elapsed time is then the share of its time that an observation computes. */
    @Test
    void theTagsAreThoseOfTheElapsedTime() {
        Observation observation = started("tagged").error(new IllegalStateException("a test's"));
        observation.scoped(() -> {
        });
        observation.stop();
        Timer elapsed = meters.get("tagged").timer();
        for (String mode : new String[]{"user", "system"}) {
            Timer cpu = timer("tagged", mode);
            assertThat(cpu.count()).isOne();
            assertThat(cpu.getId().getTags()).contains(Tag.of("error", "IllegalStateException"))
                    .containsAll(elapsed.getId().getTags()).hasSize(elapsed.getId().getTags().size() + 1);
        }
    }

    @Test
    void aScopeThatIsClosedOnAnotherThreadHasNoValue() throws Exception {
        Observation observation = started("closed.elsewhere");
        Scope scope = observation.openScope();
        other.submit(() -> {
            Work.burn(WORK_NANOS);
            scope.close();
        }).get();
        observations.setCurrentObservationScope(null);
        observation.scoped(() -> Work.burn(WORK_NANOS));
        observation.stop();
        assertPartial("closed.elsewhere", 1);
        assertThat(CpuObservationHandler.cpuOf(observation.getContextView()).isPartial()).isTrue();
    }

    @Test
    void aResetClosesTheThreadsScopes() {
        Observation observation = started("reset");
        Scope scope = observation.openScope();
        Scope within = observation.openScope();
        Work.burn(WORK_NANOS);
        within.reset();
        Work.burn(10 * WORK_NANOS);
        within.close();
        scope.close();
        observation.stop();
        assertThat(recordedNanos("reset")).isBetween(WORK_NANOS - 4_000.0, 5.0 * WORK_NANOS);
        assertThat(meters.find("threadclock.observations.partial").meters()).isEmpty();
    }

    @Test
    void aScopeThatIsMadeCurrentAgainGoesOn() {
        Observation observation = started("made.current");
        try (Scope scope = observation.openScope()) {
            Work.burn(WORK_NANOS);
            scope.makeCurrent();
            Work.burn(WORK_NANOS);
        }
        Work.burn(10 * WORK_NANOS);
        observation.stop();
        assertThat(recordedNanos("made.current")).isBetween(2 * WORK_NANOS - 8_000.0, 7.0 * WORK_NANOS);
    }

    @Test
    void withoutAScopeThereIsNothingToReport() {
        Observation observation = started("no.scope");
        Work.burn(WORK_NANOS);
        observation.stop();
        assertThat(meters.find("no.scope.cpu").meters()).isEmpty();
        assertThat(meters.find("threadclock.observations.partial").meters()).isEmpty();
        assertThat(CpuObservationHandler.cpuOf(observation.getContextView())).isNull();
    }

    /** What an application observes must not fail because of the CPU time's meters. */
    @Test
    void aMeterOfTheSameNameBlocksOnlyTheTimers() {
        Gauge.builder("taken.cpu", () -> 1).tags("cpu.mode", "user", "error", "none", "kind", "test")
                .register(meters);
        started("taken").observe(() -> {
        });
        assertThat(meters.get("taken").timer().count()).isOne();
    }

    /** One context serves one observation after the other. */
    @Test
    void aReusedContextHasTheNextObservationsTime() {
        Observation.Context context = new Observation.Context();
        for (int i = 0; i < 2; i++) {
            Observation.createNotStarted("again", () -> context, observations)
                    .observe(() -> Work.burn(WORK_NANOS));
        }
        assertThat(timer("again", "user").count()).isEqualTo(2);
        assertThat(recordedNanos("again")).isBetween(2 * WORK_NANOS - 4_000.0, 9.0 * WORK_NANOS);
    }

    private static ObservationHandler<Observation.Context> newHandler() {
        return new CpuObservationHandler(new SimpleMeterRegistry());
    }

    @Nested
    class AnyContext extends AnyContextObservationHandlerCompatibilityKit {
        @Override
        public ObservationHandler<Observation.Context> handler() {
            return newHandler();
        }
    }

    @Nested
    class NoContext extends NullContextObservationHandlerCompatibilityKit {
        @Override
        public ObservationHandler<Observation.Context> handler() {
            return newHandler();
        }
    }
}
