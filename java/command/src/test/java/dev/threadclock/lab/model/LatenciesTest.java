// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.google.gson.JsonParser;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Latencies are read from the formats of programs in three languages. */
class LatenciesTest {
    private static Histogram of(String pairs) {
        return Latencies.of(JsonParser.parseString(pairs).getAsJsonArray());
    }

    @Test
    void ofASourceInCpp() {
        Histogram proc = of("[[6527,1],[7039,2],[92246,1]]");
        assertThat(proc.getTotalCount()).isEqualTo(4);
        assertThat(proc.getValueAtPercentile(25)).isCloseTo(6527, withinPercentage(0.1));
        assertThat(proc.getValueAtPercentile(50)).isCloseTo(7039, withinPercentage(0.1));
        assertThat(proc.getValueAtPercentile(99.99)).isCloseTo(92_246, withinPercentage(0.1));
        assertThat(proc.getMean()).isCloseTo((6527 + 2 * 7039 + 92_246) / 4.0, withinPercentage(0.1));
        assertThat(of("[]").getTotalCount()).isZero();
    }

    @Test
    void pairsMayLieInArraysOfForksAndIterations() {
        assertThat(of("[[[[10,3],[20,1]],[[10,1]]],[[[20,5]]]]")).isEqualTo(of("[[10,4],[20,6]]"));
    }

    @Test
    void theBulkMeanOmitsTheSlowestTenth() {
        assertThat(Latencies.bulkMean(of("[[100,9],[5000,1]]"))).isEqualTo(100);
        assertThat(Latencies.bulkMean(of("[[100,8],[1000,2]]"))).isEqualTo(200);
        assertThat(Latencies.bulkMean(of("[]"))).isZero();
    }

    @Test
    void whatTheProbeEncodesIsDecoded() {
        Histogram histogram = of("[[10,4],[20,6],[123456,1]]");
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        String word = Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
        assertThat(Latencies.decode(word)).isEqualTo(histogram);
        for (String broken : new String[]{"", "?", "AAAA", word.substring(0, 20)}) {
            assertThatThrownBy(() -> Latencies.decode(broken)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
