// SPDX-License-Identifier: Apache-2.0
// Intervals as programs read them.
package dev.threadclock.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.threadclock.cli.doctor.Hindrance;
import dev.threadclock.cli.sample.Sample;
import dev.threadclock.cli.sample.ThreadSample;
import dev.threadclock.cli.sample.Times;
import dev.threadclock.cli.top.Interval.Moment;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordsTest {
    private static ThreadSample thread(String name, long serial, long user, long system) {
        return new ThreadSample((int) serial + 100, serial, serial, name, "k", 'R', user, system, user + system);
    }

    private static Interval interval() {
        Sample before = new Sample(0, 1_000, new Times(10, 10, 20), List.of(thread("a \"b\", c", 1, 4, 6), thread("gone-1", 2, 1, 1)), List.of());
        Sample after = new Sample(5, 3_000, new Times(20, 30, 50), List.of(thread("a \"b\", c", 1, 10, 20)),
                List.of(thread("gone-1", 2, 3, 2), thread("gone-2", -9, 7, 0)));
        return Interval.between(new Moment(before, new Hindrance(0, 2, 10)), new Moment(after, new Hindrance(4, 2, 30)));
    }

    @Test
    void anIntervalIsWhatHasComeBetweenTwoSamples() {
        Interval interval = interval();
        assertThat(interval.nanos()).isEqualTo(2_000);
        assertThat(interval.process()).isEqualTo(new Times(10, 20, 30));
        assertThat(interval.threads().get(0).interval()).isEqualTo(new Times(6, 14, 20));
        assertThat(interval.ended()).extracting(Use::interval).containsExactly(new Times(2, 1, 3), new Times(7, 0, 7));
        assertThat(interval.throttledNanos()).isEqualTo(20);
        assertThat(interval.byThread()).extracting(Use::name).containsExactly("a \"b\", c", "gone-* (2 ended)");
    }

    @Test
    void csvHasARowPerThreadWithQuotedNames() {
        Interval interval = interval();
        assertThat(Records.CSV_HEAD.split(",")).hasSize(13);
        assertThat(Records.csv(interval, interval.all()))
                .containsExactly("5,2000,101,1,\"a \"\"b\"\", c\",\"a \"\"b\"\", c\",R,6,14,20,10,20,30",
                        "5,2000,102,2,gone-1,gone-*,R,2,1,3,3,2,5", "5,2000,91,-9,gone-2,gone-*,R,7,0,7,7,0,7");
    }

    @Test
    void jsonIsOneLine() {
        Interval interval = interval();
        String line = Records.json(7, interval, interval.all(), false);
        assertThat(line).doesNotContain("\n");
        JsonObject object = JsonParser.parseString(line).getAsJsonObject();
        assertThat(object.get("limit_cpus").getAsDouble()).isEqualTo(2);
        assertThat(object.getAsJsonArray("threads")).hasSize(3);
        assertThat(JsonParser.parseString(Records.json(7, interval, interval.byPool(), true)).getAsJsonObject().getAsJsonArray("pools"))
                .hasSize(2);
    }

    @Test
    void timesAreShortAsInTop() {
        assertThat(Table.time(62_030_000_000L)).isEqualTo("1:02.03");
        assertThat(Table.time(3_723_000_000_000L)).isEqualTo("1:02:03");
    }
}
