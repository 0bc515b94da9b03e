// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Timeline;
import dev.threadclock.command.interval.Use;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** A recording's page knows the right threads, intervals and JVM. PagesTest covers how it looks. */
class RecordingPageTest {
    private static final Subject SUBJECT = new Subject("1 (java Shop)", "21", "java <Shop>", "1.2.3");

    private static Use use(String name, int id, long userMillis) {
        return Use.recorded(id, name, id, id,
                new CpuSnapshot(userMillis * 1_000_000, 0, userMillis * 1_000_000));
    }

    private static Interval interval(int i, List<Use> uses) {
        CpuSnapshot process = uses.stream().map(Use::interval).reduce(CpuSnapshot.ZERO, CpuSnapshot::plus);
        return new Interval(1_700_000_000_000L + 1000L * i, 1_000_000_000, process, process, uses, List.of());
    }

    private static Interval interval(int i, List<Use> uses, String group, long userMillis) {
        Interval plain = interval(i, uses);
        CpuSnapshot used = new CpuSnapshot(userMillis * 1_000_000, 0, userMillis * 1_000_000);
        Interval.Virtual virtual = new Interval.Virtual(plain.nanos(),
                List.of(Use.group(group, 3, 1, used, used)), CpuSnapshot.ZERO);
        return new Interval(plain.endMillis(), plain.nanos(), plain.process(), plain.life(), uses, List.of(),
                Optional.of(virtual));
    }

    private static String page(Subject subject, List<Interval> intervals) {
        Timeline timeline = new Timeline();
        intervals.forEach(timeline::add);
        return new RecordingPage(subject, timeline).toHtml();
    }

    private static JsonObject data(String page) {
        String json = page.replaceAll("(?s).*const recording = (.*?);\n.*", "$1");
        return JsonParser.parseString(json).getAsJsonObject();
    }

    private static List<Long> numbers(JsonElement array) {
        return StreamSupport.stream(array.getAsJsonArray().spliterator(), false)
                .map(JsonElement::getAsLong).toList();
    }

    @Test
    void aThreadHasOnlyTheIntervalsInWhichItRan() {
        String page = page(SUBJECT, IntStream.range(0, 10).mapToObj(i -> interval(i,
                List.of(use("busy", 1, 9), use("seldom", 2, i == 3 || i == 7 ? i : 0)))).toList());
        List<JsonElement> threads = data(page).getAsJsonArray("threads").asList();
        JsonObject busy = threads.get(0).getAsJsonObject();
        assertThat(busy.has("at")).isFalse();
        assertThat(numbers(busy.get("user"))).hasSize(10).containsOnly(9000L);
        JsonObject seldom = threads.get(1).getAsJsonObject();
        assertThat(numbers(seldom.get("at"))).containsExactly(3L, 7L);
        assertThat(numbers(seldom.get("user"))).containsExactly(3000L, 7000L);
    }

    @Test
    void ofTooManyThreadsTheBusiestAreListedAndThePageSaysSo() {
        List<Use> threads = IntStream.rangeClosed(1, 300).mapToObj(k -> use("t" + k, k, k)).toList();
        String page = page(SUBJECT, IntStream.range(0, Timeline.MOST_COLUMNS)
                .mapToObj(i -> interval(i, threads)).toList());
        assertThat(data(page).getAsJsonArray("threads")).hasSize(200);
        assertThat(page)
                .contains("Of 300 threads the 200 busiest are listed", "<td>t300</td>", "<td>t101</td>")
                .doesNotContain("<td>t100</td>");
    }

    @Test
    void theBusiestPoolsHaveColoursAndTheOthersComeLastTogether() {
        JsonObject data = data(page(SUBJECT, List.of(interval(0, IntStream.rangeClosed('a', 'z')
                .mapToObj(k -> use(Character.toString(k), k, k)).toList()))));
        List<String> names = data.getAsJsonArray("pools").asList().stream()
                .map(pool -> pool.getAsJsonObject().get("name").getAsString()).toList();
        assertThat(names).hasSize(21).startsWith("z", "y").endsWith("g", "(other pools)");
        assertThat(numbers(data.get("colours"))).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void groupsOfVirtualThreadsHaveATableOfTheirOwn() {
        String page = page(SUBJECT, List.of(
                interval(1, List.of(use("ForkJoinPool-1-worker-1", 1, 9))),
                interval(2, List.of(use("ForkJoinPool-1-worker-1", 1, 9)), "request *", 7),
                interval(3, List.of(use("ForkJoinPool-1-worker-1", 1, 2)), "<idle>", 0)));
        JsonElement group = data(page).getAsJsonArray("virtual").asList().get(0);
        assertThat(data(page).getAsJsonArray("virtual")).hasSize(1);
        assertThat(numbers(group.getAsJsonObject().get("at"))).containsExactly(1L);
        assertThat(numbers(group.getAsJsonObject().get("user"))).containsExactly(7000L);
        assertThat(numbers(data(page).getAsJsonObject("process").get("user"))).containsExactly(9000L, 9000L,
                2000L);
        assertThat(page).contains("<h2>Virtual threads</h2>", "<td>request *</td><td>0.2</td>")
                .doesNotContain("&lt;idle");
    }

    @Test
    void withoutWaitsThereIsNoColumnOfThem() {
        String page = page(SUBJECT, List.of(interval(1, List.of(use("a", 1, 1)))));
        assertThat(page).doesNotContain("wait %");
        assertThat(data(page).getAsJsonObject("process").has("waited")).isFalse();
    }

    @Test
    void withoutVirtualThreadsThereIsNoTableOfThem() {
        List<Interval> intervals = List.of(interval(1, List.of(use("a", 1, 1))));
        assertThat(page(SUBJECT, intervals)).doesNotContain("<h2>Virtual threads");
    }

    @Test
    void theHeadNamesTheJdkAndTheCommandLineIfTheyAreKnown() {
        List<Interval> intervals = List.of(interval(1, List.of(use("a", 1, 1))));
        assertThat(page(SUBJECT, intervals))
                .contains("<dt>JDK</dt><dd tabindex=\"0\">21</dd>", "java &lt;Shop&gt;");
        Subject unknown = new Subject("a JVM", "", "", "");
        assertThat(page(unknown, intervals)).doesNotContain("<dt>");
    }
}
