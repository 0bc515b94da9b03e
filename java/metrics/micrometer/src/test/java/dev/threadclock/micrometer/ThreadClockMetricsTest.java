// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuAttribution;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.tests.shared.Work;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The account of this process as meters: complete, adding up, and one account per scrape. */
class ThreadClockMetricsTest {
    private static final long WORK_NANOS = 100_000_000;

    private final MeterRegistry registry = bound(new SimpleMeterRegistry());

    private static <T extends MeterRegistry> T bound(T registry) {
        new ThreadClockMetrics().bindTo(registry);
        return registry;
    }

    private static double processSeconds() {
        CpuTimes process = new CpuTimes();
        assertThat(ThreadClock.readProcess(process)).isTrue();
        return process.totalNanos() / 1e9;
    }

    private static double cpuSeconds(List<Meter> meters) {
        return meters.stream().mapToDouble(meter -> ((FunctionCounter) meter).count()).sum();
    }

    private List<Meter> meters(String name) {
        return new ArrayList<>(registry.find(name).meters());
    }

    private static void scrape(MeterRegistry registry) {
        registry.getMeters().forEach(meter -> meter.measure().forEach(Measurement::getValue));
    }

    private double groupSeconds(String group) {
        return registry.find("threadclock.cpu.time").tag("group", group).functionCounters().stream()
                .mapToDouble(FunctionCounter::count).sum();
    }

    /** Waits until the next read begins a new account. */
    private static void untilTheAccountIsOld() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(150);
    }

    private static Thread burner(String name, AtomicBoolean ends) {
        Thread thread = new Thread(() -> {
            while (!ends.get()) {
                Work.burn(1_000_000);
            }
        }, name);
        thread.start();
        return thread;
    }

    private static void pools(String prefix, int count) throws InterruptedException {
        pools(prefix, count, 0);
    }

    /** Runs this number of threads, each in a pool of its own, until an account has seen them. */
    private static void pools(String prefix, int count, long workNanos) throws InterruptedException {
        CompletableFuture<Void> end = new CompletableFuture<>();
        CountDownLatch worked = new CountDownLatch(count);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = prefix + "-" + (char) ('a' + i / 26) + (char) ('a' + i % 26);
            Thread thread = new Thread(() -> {
                Work.burn(workNanos);
                worked.countDown();
                end.join();
            }, name);
            thread.start();
            threads.add(thread);
        }
        worked.await();
        CpuAccount.read(Duration.ZERO);
        end.complete(null);
        for (Thread thread : threads) {
            thread.join();
        }
        CpuAccount.read(Duration.ZERO);
        CpuAccount.read(Duration.ZERO);
    }

    private static Set<String> pools(MeterRegistry registry) {
        return registry.find("threadclock.threads").tag("kind", "java").gauges().stream()
                .map(gauge -> gauge.getId().getTag("group")).collect(Collectors.toSet());
    }

    @Test
    void aPoolThatHasGivenUpItsPlaceHasNoMeters() throws InterruptedException {
        pools("early", CpuAccount.MAX_POOLS / 2);
        MeterRegistry own = bound(new SimpleMeterRegistry());
        Set<String> early = pools(own);
        pools("late", CpuAccount.MAX_POOLS);
        List<Meter> before = own.getMeters();
        for (int scrape = 0; scrape < 2; scrape++) {
            before.forEach(meter -> meter.measure().forEach(
                    measured -> assertThat(measured.getValue()).as(meter.getId().toString())
                            .isNotNegative()));
        }
        Set<String> late = pools(own);
        assertThat(early).anyMatch(name -> name.startsWith("early") && !late.contains(name));
        assertThat(late).hasSizeLessThanOrEqualTo(CpuAccount.MAX_POOLS + 2)
                .isEqualTo(CpuAccount.read().groups().stream()
                        .filter(group -> group.kind() == CpuGroup.Kind.JAVA).map(CpuGroup::name)
                        .collect(Collectors.toSet()));
        assertThat(own.getMeters()).extracting(meter -> meter.getId().getTag("group"))
                .filteredOn(name -> name != null && name.startsWith("early")).isSubsetOf(late);
    }

    /** The sum of one scrape: as a registry that pushes reads its meters, or as Prometheus walks them. */
    private static double sumOfAScrape(MeterRegistry registry) {
        return registry instanceof PrometheusMeterRegistry prometheus ? prometheus.scrape()
                .lines().filter(line -> line.startsWith("threadclock_cpu_time_seconds_total{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).sum()
                : registry.getMeters().stream().flatMap(meter -> {
                    List<Double> values = new ArrayList<>();
                    meter.measure().forEach(measured -> values.add(measured.getValue()));
                    return meter.getId().getName().equals("threadclock.cpu.time") ? values.stream() : null;
                }).mapToDouble(Double::doubleValue).sum();
    }

    private static double accountSeconds() {
        return CpuAccount.read(Duration.ZERO).process().totalNanos() / 1e9;
    }

    /** Also in a scrape in which pools lose their places, even to pools that have used less. */
    @Test
    void thePoolsOfEachScrapeAddUpToTheProcess() throws InterruptedException {
        List<MeterRegistry> both = List.of(bound(new SimpleMeterRegistry()),
                bound(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)));
        double[] last = new double[both.size()];
        long[] ended = {System.nanoTime(), System.nanoTime()};
        for (char round = 'a'; round < 'e'; round++) {
            pools("sum" + round, CpuAccount.MAX_POOLS / 2, round < 'c' ? 5_000_000 : 50_000);
            for (int scrape = 0; scrape < 2; scrape++) {
                for (int i = 0; i < last.length; i++) {
                    long began;
                    double before;
                    double sum;
                    do { // one that takes longer may be two
                         // Until the registry's next read begins a scrape.
                        TimeUnit.NANOSECONDS.sleep(ended[i] + 1_100_000_000 - System.nanoTime());
                        began = System.nanoTime();
                        before = accountSeconds();
                        sum = sumOfAScrape(both.get(i));
                        ended[i] = System.nanoTime();
                    } while (ended[i] - began > 900_000_000);
                    assertThat(sum).as("scrape %d of %s", scrape, both.get(i) + " " + round)
                            .isBetween(scrape == 0 ? last[i] : before - 0.02, accountSeconds() + 1e-6);
                    last[i] = sum;
                }
            }
        }
    }

    @Test
    void eachGroupOfTheAccountHasItsMeters() throws Exception {
        Work.burn(WORK_NANOS);
        untilTheAccountIsOld();
        CpuAccount account = CpuAccount.read(Duration.ZERO);
        scrape(registry); // a new group has meters from the next scrape on
        double seconds = 0;
        for (CpuGroup group : account.groups()) {
            Tags tags = Tags.of("kind", group.kind().label(), "group", group.name());
            for (String mode : List.of("user", "system")) {
                FunctionCounter time = registry.get("threadclock.cpu.time").tags(tags).tag("cpu.mode", mode)
                        .functionCounter();
                assertThat(time.getId().getBaseUnit()).isEqualTo("seconds");
                assertThat(time.count()).isGreaterThanOrEqualTo((mode.equals("user")
                        ? group.times().userNanos() : group.times().systemNanos()) / 1e9);
                seconds += time.count();
            }
            assertThat(registry.get("threadclock.threads").tags(tags).gauge().value()).isNotNegative();
            assertThat(registry.find("threadclock.cpu.wait").tags(tags).meters())
                    .hasSize(group.waitedNanos() < 0 ? 0 : 1);
        }
        assertThat(seconds).isLessThanOrEqualTo(CpuAccount.read(Duration.ZERO).process().totalNanos() / 1e9);
        boolean isLimitKnown = account.throttledNanos() >= 0;
        assertThat(meters("threadclock.throttled.time")).hasSize(isLimitKnown ? 1 : 0);
        assertThat(meters("threadclock.throttled.periods")).hasSize(isLimitKnown ? 1 : 0);
    }

    /** The adapters without Micrometer use the same names. */
    @Test
    void metersHaveTheseNamesInPrometheus() {
        String scrape = bound(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)).scrape();
        assertThat(scrape)
                .containsPattern(
                        "threadclock_cpu_time_seconds_total\\{cpu_mode=\"user\",group=\"garbage collector\","
                                + "kind=\"gc\"} [0-9]")
                .containsPattern("threadclock_cpu_time_seconds_total\\{cpu_mode=\"system\",group=\"main\","
                        + "kind=\"java\"} [0-9]")
                .containsPattern("threadclock_threads\\{group=\"compilers\",kind=\"jit\"} [1-9]");
        CpuAccount account = CpuAccount.read();
        assertThat(scrape.contains("threadclock_cpu_wait_seconds_total{group=\"JVM\",kind=\"jvm\"} "))
                .isEqualTo(account.groups().get(0).waitedNanos() >= 0);
        assertThat(scrape.contains("\nthreadclock_throttled_time_seconds_total "))
                .isEqualTo(account.throttledNanos() >= 0);
        assertThat(scrape.contains("\nthreadclock_throttled_periods_total "))
                .isEqualTo(account.throttledNanos() >= 0);
    }

    @Test
    void aNewPoolHasUserAndSystemInTheSameScrape() throws InterruptedException {
        PrometheusMeterRegistry own = bound(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
        for (int round = 0; round < 5; round++) {
            pools("fresh" + (char) ('a' + round), CpuAccount.MAX_POOLS / 2);
            List<String> lines = own.scrape().lines()
                    .filter(line -> line.startsWith("threadclock_cpu_time_seconds_total{"))
                    .map(line -> line.replaceAll(" .*", "")).collect(Collectors.toList());
            assertThat(lines).filteredOn(line -> line.contains("\"user\""))
                    .allSatisfy(line -> assertThat(lines).contains(line.replace("\"user\"", "\"system\"")));
            assertThat(lines.size() % 2).isZero();
        }
    }

    /** Meters have the application's tags and ours, and no others. */
    @Test
    void metersHaveTheBindersTags() {
        SimpleMeterRegistry tagged = new SimpleMeterRegistry();
        new ThreadClockMetrics(Tags.of("service", "orders")).bindTo(tagged);
        assertThat(tagged.getMeters()).isNotEmpty()
                .allSatisfy(meter -> assertThat(meter.getId().getTag("service")).isEqualTo("orders"));
    }

    @Test
    void aNewPoolHasMetersFromTheNextScrapeOn() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        Thread thread = burner("late-7-worker-3", ends);
        try {
            untilTheAccountIsOld();
            scrape(registry);
            assertThat(registry.get("threadclock.threads").tag("group", "late-*-worker-*").gauge().value())
                    .isEqualTo(1);
        } finally {
            ends.set(true);
            thread.join();
        }
        double used = groupSeconds("late-*-worker-*");
        assertThat(used).isPositive();
        untilTheAccountIsOld();
        groupSeconds("late-*-worker-*");
        assertThat(groupSeconds("late-*-worker-*")).as("of an ended thread").isGreaterThanOrEqualTo(used);
    }

    /** Pools come, work and go, and the parts of a composite registry are scraped in turn. */
    @Test
    void noCounterEverDecreases() throws Exception {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        CompositeMeterRegistry both = new CompositeMeterRegistry();
        both.add(prometheus);
        both.add(simple);
        bound(both);
        Map<String, Double> last = new HashMap<>();
        Map<Meter.Id, Double> lastSimple = new HashMap<>();
        for (int round = 0; round < 10; round++) {
            AtomicBoolean ends = new AtomicBoolean();
            List<Thread> pool = List.of(burner("round-" + (char) ('a' + round) + "-1", ends),
                    burner("steady-" + round, ends));
            untilTheAccountIsOld();
            prometheus.scrape().lines()
                    .filter(line -> line.startsWith("threadclock_") && line.contains("_total"))
                    .forEach(line -> {
                        int blank = line.lastIndexOf(' ');
                        double now = Double.parseDouble(line.substring(blank + 1));
                        assertThat(last.merge(line.substring(0, blank), now, Math::max)).as(line)
                                .isEqualTo(now);
                    });
            for (Meter meter : simple.getMeters()) {
                if (meter instanceof FunctionCounter) {
                    double now = ((FunctionCounter) meter).count();
                    assertThat(lastSimple.merge(meter.getId(), now, Math::max)).isEqualTo(now);
                }
            }
            ends.set(true);
            for (Thread thread : pool) {
                thread.join();
            }
        }
        assertThat(last.keySet()).anyMatch(line -> line.contains("group=\"steady-*\""));
    }

    /** A key that has given up its place has no meters any more. One that is new has them a scrape later. */
    @Test
    void keysComeAndGo() throws Exception {
        CpuAttribution jobs = new CpuAttribution("job", 1);
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ThreadClockMetrics.of(jobs, Tag.of("own", "yes")).bindTo(prometheus);
        Map<String, Double> last = new HashMap<>();
        for (int i = 0; i < 3; i++) { // each uses more than twice as much as the others before
            String job = "job" + i % 2;
            if (i == 1) {
                prometheus.scrape(); // whether the last one was an even or an odd one
            }
            long nanos = WORK_NANOS / 20 << 3 * i;
            jobs.of(job).measure(() -> Work.burn(nanos));
            prometheus.scrape();
            assertThat(keys(prometheus, job, last)).isBetween(nanos / 1e9 * 0.99, nanos / 1e9 * 1.5);
            assertThat(prometheus.find("threadclock.key.cpu.time").meters()).hasSize(8);
        }
    }

    /** Scrapes, checks that nothing decreases and nothing is missing, and returns what a key has. */
    private static double keys(PrometheusMeterRegistry prometheus, String key, Map<String, Double> last) {
        double before = processSeconds();
        Map<String, Double> scrape = new HashMap<>();
        prometheus.scrape().lines().filter(line -> line.startsWith("threadclock_key_"))
                .forEach(line -> scrape.put(line.substring(0, line.lastIndexOf(' ')),
                        Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))));
        scrape.forEach((name, seconds) -> assertThat(seconds).as(name)
                .isGreaterThanOrEqualTo(last.getOrDefault(name, 0.0)));
        last.clear();
        last.putAll(scrape);
        assertThat(scrape.keySet())
                .allMatch(name -> name.contains("by=\"job\"") && name.contains("own=\"yes\""));
        assertThat(scrape.values().stream().mapToDouble(each -> each).sum())
                .isBetween(before - 1e-6, processSeconds() + 1e-6);
        return scrape.entrySet().stream().filter(each -> each.getKey().contains("key=\"" + key + "\""))
                .mapToDouble(Map.Entry::getValue).sum();
    }

    @Test
    void ofAttributionsOfOneNameTheFirstHasMeters() {
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        CpuAttribution first = new CpuAttribution("job");
        ThreadClockMetrics.of(first).bindTo(simple);
        ThreadClockMetrics.of(new CpuAttribution("job")).bindTo(simple);
        scrape(simple);
        first.of("acme").measure(() -> Work.burn(WORK_NANOS / 10));
        scrape(simple);
        scrape(simple);
        assertThat(simple.find("threadclock.key.cpu.time").tag("key", "acme").meters()).hasSize(2);
    }

    /**
     * A reading is reused for 100 ms; a scrape may take longer, or begin at the end of them. Everything that
     * it reports is as of its beginning.
     */
    @Test
    void oneScrapeIsOneAccount() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        Thread thread = burner("during-scrape", ends);
        try {
            untilTheAccountIsOld();
            double sum;
            double begun;
            long nanos;
            do { // again if the machine was so busy that this took too long for a scrape
                List<Meter> meters;
                do { // a new group has not reported in this scrape
                    meters = meters("threadclock.cpu.time");
                    cpuSeconds(meters);
                } while (meters("threadclock.cpu.time").size() != meters.size());
                Collections.shuffle(meters);
                untilTheAccountIsOld();
                long at = System.nanoTime();
                sum = cpuSeconds(meters.subList(0, 1));
                begun = processSeconds();
                untilTheAccountIsOld();
                sum += cpuSeconds(meters.subList(1, meters.size()));
                nanos = System.nanoTime() - at;
            } while (nanos > 900_000_000);
            assertThat(sum).as("the process had %s s when the scrape began", begun)
                    .isLessThanOrEqualTo(begun + 0.01);
        } finally {
            ends.set(true);
            thread.join();
        }
    }

    /**
     * A meter that is read later and by itself reports a value of that time; and a registry keeps only weak
     * references to the objects that its functions read.
     */
    @Test
    void aMeterReadByItselfIsUpToDateThoughNothingElseIsKept() throws Exception {
        FunctionCounter user = registry.get("threadclock.cpu.time")
                .tags("group", "main", "cpu.mode", "user").functionCounter();
        FunctionCounter system = registry.get("threadclock.cpu.time")
                .tags("group", "main", "cpu.mode", "system").functionCounter();
        System.gc();
        double before = user.count() + system.count();
        double used = Work.burn(WORK_NANOS) / 1e9;
        TimeUnit.NANOSECONDS.sleep(Duration.ofMillis(1100).toNanos());
        assertThat(system.count() + user.count() - before).isCloseTo(used, within(used))
                .isGreaterThanOrEqualTo(used * 0.9);
    }
}
