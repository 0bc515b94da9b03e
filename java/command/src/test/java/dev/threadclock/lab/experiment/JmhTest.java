// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.threadclock.lab.model.Latencies;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** JMH's JSON, as written by JMH 1.37, is parsed. */
class JmhTest {
    private static List<Jmh.Result> results(String file) throws IOException {
        try (InputStream in = JmhTest.class.getResourceAsStream(file)) {
            return Jmh.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void samplesHaveAMeanPercentilesAndACurve() throws IOException {
        Jmh.Result user = results("jmh-sample.json").get(0);
        assertThat(user.benchmark()).isEqualTo("user");
        assertThat(user.mean()).isCloseTo(2240.65, within(0.01));
        assertThat(user.error()).isCloseTo(3325.12, within(0.01));
        assertThat(user.p50()).isEqualTo(331);
        assertThat(user.percentile(100)).isCloseTo(13_320_192, withinPercentage(0.1));
        double[][] curve = Latencies.curve(user.samples());
        assertThat(curve.length).isBetween(5, 200);
        assertThat(curve[curve.length - 1][0]).isEqualTo(100);
        for (int i = 1; i < curve.length; i++) {
            assertThat(curve[i]).as("point %d", i).satisfies(point -> assertThat(point[0]).isPositive());
            assertThat(curve[i][0]).isGreaterThan(curve[i - 1][0]);
            assertThat(curve[i][1]).isGreaterThanOrEqualTo(curve[i - 1][1]);
        }
    }

    @Test
    void meansOverManyCallsHaveNoPercentilesAndNoCurve() throws IOException {
        List<Jmh.Result> results = results("jmh-avgt.json");
        assertThat(results).extracting(Jmh.Result::benchmark).containsExactlyInAnyOrder("nanoTime", "user");
        Jmh.Result user = results.stream().filter(result -> result.benchmark().equals("user")).findFirst()
                .orElseThrow();
        assertThat(user.peer()).isEqualTo("threadclock");
        assertThat(user.error()).as("of one iteration: JMH says NaN").isZero();
        assertThat(user.best()).isEqualTo(user.mean());
        assertThat(user.samples().getTotalCount()).isZero();
        assertThat(Latencies.curve(user.samples())).isEmpty();
        assertThat(user.p50()).as("the best there is").isEqualTo(user.mean());
    }

    @Test
    void anEmptyFileIsAnError() {
        assertThatThrownBy(() -> Jmh.parse("")).isInstanceOf(IOException.class);
    }
}
