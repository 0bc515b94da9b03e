// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.MeteredObservations;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/** threadclock-micrometer on each JDK, on platform threads and on virtual ones. */
class MicrometerTest {
    /** User and system are in steps of 1 us, at each end of two scopes. */
    private static final long STEPS_NANOS = 8_000;

    private static Result run(TestJdk jdk, String... args) {
        ChildJvm child = ChildJvm.of(jdk).withClassPath(Product.JAR,
                Product.ROOT.resolve("metrics/micrometer/target/classes"), Product.origin(KeyValue.class),
                Product.origin(MeterRegistry.class), Product.origin(Observation.class),
                Product.origin(Histogram.class));
        if (jdk.warnsOfNativeAccess()) {
            child.with("--enable-native-access=ALL-UNNAMED");
        }
        Result result = child.run(MeteredObservations.class, args).ok();
        assertThat(result.number("meters")).as("time of groups: " + result).isPositive();
        return result;
    }

    /** Between what the threads' own clocks say within the scopes and around them. */
    private static void assertMeasured(Result result) {
        assertThat(result.number("timers")).as(result.toString()).isEqualTo(2);
        assertThat(result.number("partial")).as(result.toString()).isZero();
        double tasks = Double.parseDouble(result.value("tasks")) * 1e9;
        assertThat(result.number("taskWithin")).as(result.toString()).isPositive();
        assertThat(tasks).as(result.toString()).isBetween(result.number("taskWithin") - STEPS_NANOS / 2.0,
                result.number("taskAround") + STEPS_NANOS / 2.0);
        assertThat(result.number("within")).as(result.toString()).isPositive();
        assertThat(result.number("observed")).as(result.toString()).isBetween(
                result.number("within") - STEPS_NANOS, result.number("around") + STEPS_NANOS);
    }

    @OnEachJdk
    void onPlatformThreads(TestJdk jdk) {
        assertMeasured(run(jdk));
    }

    @OnEachJdk
    void onVirtualThreadsThatAreAccountedFor(TestJdk jdk) {
        assumeTrue(jdk.feature() >= 21, "virtual threads are final from JDK 21 on");
        assertMeasured(run(jdk, "virtual", "accounted"));
    }

    /** No value, and above all not the carrier's. */
    @OnEachJdk
    void onVirtualThreadsThatAreNot(TestJdk jdk) {
        assumeTrue(jdk.feature() >= 21, "virtual threads are final from JDK 21 on");
        Result result = run(jdk, "virtual");
        assertThat(result.number("timers")).as(result.toString()).isZero();
        assertThat(result.number("partial")).as(result.toString()).isOne();
        assertThat(result.value("tasks")).isEqualTo("NaN");
    }
}
