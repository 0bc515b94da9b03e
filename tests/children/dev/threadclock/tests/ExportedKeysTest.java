// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Keyed;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CPU time by key at the agent's endpoint, which CpuAttribution.exportToAgent() puts there. */
class ExportedKeysTest {
    private static final String KEYS = "threadclock_key_cpu_time_seconds_total";
    private static final String LABELS = "{cpu_mode=\"user\",by=\"tenant\",key=\"";

    @TempDir
    Path folder;

    private static ChildJvm child(TestJdk jdk) {
        return ChildJvm.of(jdk).withClassPath(Product.JAR).withNativeAccess().withDynamicAgents();
    }

    private static void awaitKeys(AttachJvm jvm, String address) {
        jvm.await("keys", () -> Scrape.of(address).text().contains(LABELS + "tenant7"));
    }

    /** Of a new reading. On a busy machine, one may take longer than a scrape waits. */
    private static Scrape withKeys(String address) {
        AttachJvm.sleep(Keyed.SHARED_MILLIS);
        Scrape scrape = Scrape.of(address);
        for (int i = 0; i < 30 && !scrape.text().contains(KEYS); i++) {
            scrape = Scrape.of(address);
        }
        return scrape;
    }

    @OnEachJdk
    void theyAddUpToTheProcessAndDoNotDecrease(TestJdk jdk) throws IOException {
        Path log = folder.resolve("log");
        try (AttachJvm jvm = child(jdk).withAgentPath("prometheus=0,log=" + log).startTarget(Keyed.class,
                folder)) {
            String address = PrometheusTest.address(log);
            awaitKeys(jvm, address);
            Map<String, BigDecimal> before = new HashMap<>();
            for (int i = 0; i < 10; i++) {
                AttachJvm.sleep(Keyed.SHARED_MILLIS);
                double least = jvm.cpuSeconds();
                Scrape scrape = withKeys(address);
                double most = jvm.cpuSeconds();
                assertThat(scrape.sum(KEYS, "by=\"tenant\"")).isBetween(least * 0.99 - 0.02,
                        most * 1.01 + 0.02);
                scrape.assertNotBelow(before);
            }
            for (String key : List.of("tenant1", "a\\nb\\\"c\\\\d\\\\u0000\u20ac\ud83d\ude00\\\\ud800",
                    "(past keys)", "(other)", "(unattributed)")) {
                String name = KEYS + LABELS + key + "\"}";
                jvm.await(name, () -> Scrape.of(address).samples().containsKey(name));
            }
            RealPrometheusTest.checkIfInstalled(Scrape.of(address).text(), folder);
            assertThat(jvm.said()).isEmpty();
        }
    }

    /** Two readings never have the same times: to serve the first one costs some. */
    @Test
    void scrapesWithin100MillisecondsShareAReading() throws IOException {
        Path log = folder.resolve("log");
        try (AttachJvm jvm = child(TestJdk.newest()).withAgentPath("prometheus=0,log=" + log)
                .startTarget(Keyed.class, folder)) {
            String address = PrometheusTest.address(log);
            awaitKeys(jvm, address);
            Set<String> readings = new HashSet<>();
            long began = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                readings.add(Scrape.of(address).text().lines().filter(line -> line.startsWith(KEYS))
                        .collect(Collectors.joining("\n")));
            }
            long millis = (System.nanoTime() - began) / 1_000_000;
            assertThat(readings).hasSizeLessThanOrEqualTo((int) (millis / 100) + 2);
        }
    }

    @OnEachJdk
    void anAgentThatIsAttachedServesThemAndADetachEndsIt(TestJdk jdk) {
        try (AttachJvm jvm = child(jdk).startTarget(Keyed.class, folder)) {
            for (int i = 0; i < 2; i++) {
                jvm.run("attach", "prometheus=0").ok();
                awaitKeys(jvm, PrometheusTest.served(jvm));
                jvm.run("attach", "prometheus=127.0.0.1:" + Host.namedPort()).ok();
                awaitKeys(jvm, PrometheusTest.served(jvm));
                jvm.run("detach").ok();
                jvm.await("the end of the agent's threads", () -> !jvm.hasAgentsThread());
            }
            assertThat(jvm.said()).isEmpty();
        }
    }

    @OnEachJdk
    void aRedeployedApplicationReplacesItsKeysAndIsFreed(TestJdk jdk) {
        Path log = folder.resolve("log");
        child(jdk).withAgentPath("prometheus=0,log=" + log)
                .run(Keyed.Redeployed.class, Product.JAR, log, 10).ok().has("left", 0);
    }

    @OnEachJdk
    void sourcesThatFailAreLeftOutAndOfManyTheLastAreServed(TestJdk jdk) throws IOException {
        Path log = folder.resolve("log");
        Path more = folder.resolve("more");
        List<String> checked = jdk.feature() > 8 ? List.of("-Xcheck:jni") : List.of(); // 8 finds its own
        try (Running running = child(jdk).withAgentPath("prometheus=0,log=" + log).with(checked)
                .start(Keyed.Failing.class, more)) {
            running.awaitOutput("running");
            String address = PrometheusTest.address(log);
            for (int i = 0; i < 3; i++) {
                assertThat(names(address)).containsExactly("right");
            }
            Files.createFile(more);
            running.awaitOutput("exported");
            assertThat(names(address)).hasSize(16).contains("one of many 4", "one of many 19")
                    .doesNotContain("one of many 3");
            assertThat(running.state()).doesNotContain("WARNING in native method", "Exception");
        }
    }

    /** What the keys are that a scrape has. */
    private static Set<String> names(String address) {
        return withKeys(address).samples().keySet().stream().filter(name -> name.startsWith(KEYS))
                .map(name -> name.replaceFirst(".*by=\"(.*)\",key=.*", "$1")).collect(Collectors.toSet());
    }

    @Test
    void aLockThatIsHeldAndAFullHeapStopNothing() throws IOException {
        Path log = folder.resolve("log");
        try (AttachJvm jvm = child(TestJdk.newest()).withAgentPath("prometheus=0,log=" + log)
                .with("-Xmx32m").startTarget(Keyed.class, folder)) {
            String address = PrometheusTest.address(log);
            awaitKeys(jvm, address);
            Path lock = Files.createFile(folder.resolve("lock"));
            jvm.await("a held lock", () -> jvm.said().contains("locked"));
            AttachJvm.sleep(Keyed.SHARED_MILLIS);
            for (int i = 0; i < 3; i++) {
                assertThat(Scrape.of(address).text()).doesNotContain(KEYS).contains("threadclock_info");
            }
            Files.delete(lock);
            awaitKeys(jvm, address);
            Files.createFile(folder.resolve("fill"));
            jvm.await("a full heap", () -> {
                assertThat(Scrape.of(address).text()).contains("threadclock_info");
                return jvm.said().contains("freed");
            });
            awaitKeys(jvm, address);
        }
    }
}
