// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.MeteredObservations;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** threadclock-micrometer works on each JDK, on platform threads and on virtual threads. */
class MicrometerTest {
    /** User and system are in steps of 1 us at each end of two scopes. */
    private static final long STEPS_NANOS = 8_000;

    @TempDir
    Path folder;

    private static ChildJvm child(TestJdk jdk) {
        ChildJvm child = ChildJvm.of(jdk).withClassPath(Product.JAR,
                Product.ROOT.resolve("java/metrics/micrometer/target/classes"),
                Product.origin(KeyValue.class),
                Product.origin(MeterRegistry.class), Product.origin(Observation.class),
                Product.origin(Histogram.class));
        return child.withNativeAccess();
    }

    private static Result run(TestJdk jdk, String... args) {
        Result result = child(jdk).run(MeteredObservations.class, args).ok();
        assertThat(result.number("meters")).as("time of groups: " + result).isPositive();
        return result;
    }

    /** The values must lie between what the threads' own clocks report within the scopes and around them. */
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

    @OnEachJdk(from = 21)
    void onVirtualThreadsThatAreAccountedFor(TestJdk jdk) {
        assertMeasured(run(jdk, "virtual", "accounted"));
    }

    /** There is no value, and above all not the carrier's. */
    @OnEachJdk(from = 21)
    void onVirtualThreadsThatAreNot(TestJdk jdk) {
        Result result = run(jdk, "virtual");
        assertThat(result.number("timers")).as(result.toString()).isZero();
        assertThat(result.number("partial")).as(result.toString()).isOne();
        assertThat(result.value("tasks")).isEqualTo("NaN");
    }

    /** The threads cannot be listed, but each thread can read itself. */
    @Test
    void withoutProcOneLineSaysWhyThereAreNoGroups() {
        Host.assumeMounts();
        TestJdk jdk = TestJdk.newest();
        Path libraries = jdk.jdk().home().resolve("lib"); // because the launcher finds them through /proc
        Result result = child(jdk).with("-Djava.util.logging.SimpleFormatter.format=%5$s%n")
                .withEnvironment("LD_LIBRARY_PATH", libraries + ":" + libraries.resolve("server"))
                .under("unshare", "-m", "sh", "-c", "mount --bind " + folder + " /proc && exec \"$@\"", "sh")
                .run(MeteredObservations.class);
        assertThat(result.errLines()).as(result.toString()).singleElement().asString()
                .startsWith("there are no meters of threads: ").contains("/proc");
        assertThat(result.number("meters")).as(result.toString()).isZero();
        assertMeasured(result);
    }
}
