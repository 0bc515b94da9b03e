// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Keyed;
import dev.threadclock.tests.child.Load;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Debian's Prometheus and promtool accept what the agent serves, the rules and the dashboard in
 * examples/prometheus, and the lines to paste in docs/metrics.md and docs/node.md.
 */
class RealPrometheusTest {
    private static final Path RULES = Product.ROOT.resolve("examples/prometheus/rules.yml");
    private static final String PASTED_LIBRARY = "dist/linux-x86_64/libthreadclock.so";
    private static final String PASTED_PORT = "9464";
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    @TempDir
    Path folder;

    private static Path tool(String name) {
        Stream<Path> places = Stream.concat(Arrays.stream(System.getenv("PATH").split(":")).map(Path::of),
                Stream.of(Product.ROOT.resolve("build/prometheus/usr/bin")));
        return places.map(place -> place.resolve(name)).filter(Files::isExecutable).findFirst()
                .orElse(Path.of(""));
    }

    @BeforeAll
    static void isInstalled() {
        assumeTrue(!tool("promtool").toString().isEmpty() && !tool("prometheus").toString().isEmpty(),
                "no prometheus and promtool on the PATH (Debian's package prometheus has both; with CI=true"
                        + " ci/setup gets it)");
    }

    private static void promtool(String what, Path file) {
        ChildJvm.exec(tool("promtool"), what.split(" "), file).end().exits(0);
    }

    /** The tests have the queries of docs/node.md, too. */
    @Test
    void promtoolTakesTheRulesAndTheirTests() throws IOException {
        Path tests = RULES.resolveSibling("rules_test.yml");
        promtool("check rules", RULES);
        promtool("test rules", tests);
        for (String query : pasted("sum by ", "docs/node.md").split("\n\n")) {
            assertThat(Files.readString(tests).replaceAll("\\s+", " "))
                    .contains(query.strip().replaceAll("\\s+", " "));
        }
    }

    private static String pasted(String beginning) throws IOException {
        return pasted(beginning, "docs/metrics.md");
    }

    /** The code block of a page whose first line begins with this. */
    private static String pasted(String beginning, String file) throws IOException {
        String page = Files.readString(Product.ROOT.resolve(file));
        String[] parts = page.split("\n```[a-z]*\n" + beginning, 2);
        assertThat(parts).as("a block that begins with " + beginning).hasSize(2);
        return beginning + parts[1].split("\n```", 2)[0] + "\n";
    }

    /** The lines to paste in docs/node.md are accepted, and each query of node's dashboard answers. */
    @Test
    void prometheusScrapesNode() throws IOException {
        // Debian's Prometheus has no discovery in Kubernetes.
        promtool("check config", Files.writeString(folder.resolve("kubernetes.yml"),
                pasted("scrape_configs:", "docs/node.md").replace("kubernetes_sd_configs:\n      - role: pod",
                        "static_configs:\n      - targets: ['127.0.0.1:1']")));
        try (Running node = NodeTest.start(List.of())) {
            Path config = Files.writeString(folder.resolve("prometheus.yml"), pasted("scrape_configs:")
                    .replace("127.0.0.1:" + PASTED_PORT, NodeTest.address(node)).replaceAll("15s", "1s"));
            try (Prometheus prometheus = new Prometheus(config, Host.namedPort(), folder.resolve("data"))) {
                for (String query : dashboardQueries("node-dashboard.json", 6)) {
                    prometheus.await(query);
                }
            }
        }
    }

    @Test
    void prometheusScrapesAndEachQueryAnswers() throws IOException {
        int port = Host.namedPort();
        String flag = pasted("java -agentpath").split(" ")[1]
                .replace(PASTED_LIBRARY, Product.LIBRARY.toString())
                .replace(PASTED_PORT, Integer.toString(port));
        boolean virtual = TestJdk.newest().feature() >= 21;
        ChildJvm child = ChildJvm.of(TestJdk.newest()).with(flag + (virtual ? ",virtual=on" : ""));
        try (AttachJvm jvm = child.startTarget(Load.class, "pools")) {
            Path config = Files.writeString(folder.resolve("prometheus.yml"), pasted("scrape_configs:")
                    .replace(PASTED_PORT, Integer.toString(port)).replaceAll("15s", "1s")
                    + "rule_files: ['" + RULES + "']\nglobal: {evaluation_interval: 1s}\n");
            promtool("check config", config);
            try (Prometheus prometheus = new Prometheus(config, Host.namedPort(), folder.resolve("data"))) {
                prometheus.await("count_over_time(threadclock_info[1m]) >= 3");
                // Served by now: the server starts beside the program.
                checkIfInstalled(Scrape.of("127.0.0.1:" + port).text(), folder);
                for (String query : dashboardQueries("dashboard.json", 6)) {
                    prometheus.await(query);
                }
                rules(prometheus);
                if (virtual) {
                    prometheus.await("group:threadclock_cpu_time_seconds:rate5m{kind=\"virtual\"} > 0");
                    prometheus.await("group:threadclock_cpu_wait:share5m{kind=\"carrier\"}");
                }
                prometheus.await("sum by (job) (up) == 1");
                openMetricsIsTaken(prometheus);
            }
            assertThat(jvm.said().lines().filter(line -> !line.isEmpty() && !line.startsWith("WARNING: ")))
                    .isEmpty();
        }
    }

    @Test
    void eachQueryOfKeysAnswers() throws IOException {
        int port = Host.namedPort();
        ChildJvm child = ChildJvm.of(TestJdk.newest()).withAgentPath("prometheus=" + port)
                .withClassPath(Product.JAR).withNativeAccess();
        try (AttachJvm jvm = child.startTarget(Keyed.class, folder)) {
            Path config = Files.writeString(folder.resolve("prometheus.yml"), pasted("scrape_configs:")
                    .replace(PASTED_PORT, Integer.toString(port)).replaceAll("15s", "1s"));
            try (Prometheus prometheus = new Prometheus(config, Host.namedPort(), folder.resolve("data"))) {
                for (String query : dashboardQueries("keys.json", 2)) {
                    prometheus.await(query);
                }
            }
        }
    }

    /** promtool takes this text, if there is one. */
    static void checkIfInstalled(String metrics, Path folder) throws IOException {
        if (!tool("promtool").toString().isEmpty()) {
            Path text = Files.writeString(folder.resolve("metrics"), metrics);
            ChildJvm.exec("sh", "-c", "exec \"$0\" check metrics <\"$1\"", tool("promtool"), text).end()
                    .exits(0);
        }
    }

    /** The dashboard's queries, with the values that Grafana inserts for its variables. */
    private static List<String> dashboardQueries(String file, int least) throws IOException {
        List<String> queries = Json.of(RULES.resolveSibling(file)).all("panels").stream()
                .flatMap(panel -> panel.all("targets").stream())
                .map(target -> target.text("expr").replaceAll("\\$__(rate_interval|range)", "10s")
                        .replace("[5m]", "[10s]").replace("$by", "tenant")
                        .replaceAll("\\$(job|instance|pod)", ".*"))
                .toList();
        assertThat(queries).hasSizeGreaterThanOrEqualTo(least).noneMatch(query -> query.contains("$"));
        return queries;
    }

    /** Alerts have no data as long as all is well, but the values that they compare have. */
    private static void rules(Prometheus prometheus) {
        int rules = 0;
        for (Json group : prometheus.get("rules").all("data.groups")) {
            for (Json rule : group.all("rules")) {
                assertThat(rule.text("health")).as(rule.toString()).isIn("ok", "unknown");
                String query = rule.text("query");
                prometheus.await(
                        rule.text("type").equals("alerting") ? query.replaceAll(" > [0-9.]+", "") : query);
                rules++;
            }
        }
        assertThat(rules).isEqualTo(11);
    }

    /** Only OpenMetrics has the type info and the unit. */
    private static void openMetricsIsTaken(Prometheus prometheus) {
        assertThat(prometheus.get("targets/metadata").all("data"))
                .map(each -> each.text("metric") + " " + each.text("type") + " " + each.text("unit"))
                .contains("threadclock_cpu_time_seconds counter seconds",
                        "threadclock_cpu_wait_seconds counter seconds", "threadclock_threads gauge ",
                        "threadclock info ");
    }

    /** A server whose data is in a folder of the test. */
    private static final class Prometheus implements AutoCloseable {
        private final Running running;
        private final String api;

        Prometheus(Path config, int port, Path data) {
            api = "http://127.0.0.1:" + port + "/api/v1/";
            running = ChildJvm.exec(tool("prometheus"), "--config.file=" + config,
                    "--storage.tsdb.path=" + data, "--web.listen-address=127.0.0.1:" + port);
        }

        Json get(String what) {
            var answer = Scrape.get(api + what, "Accept", "application/json");
            if (answer.statusCode() == 503) {
                throw new IllegalStateException(what + ": " + answer.body());
            }
            assertThat(answer.statusCode()).as(what + ": " + answer.body()).isEqualTo(200);
            return Json.of(answer.body());
        }

        List<Json> query(String query) {
            return get("query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8)).all("data.result");
        }

        /** Waits until the query has a result other than NaN. */
        void await(String query) {
            Optional<Object> last = Optional.empty();
            for (long began = System.nanoTime(); System.nanoTime() - began < PATIENCE_NANOS;) {
                assertThat(running.process().isAlive()).as(running.toString()).isTrue();
                try {
                    List<Json> result = query(query);
                    last = Optional.of(result);
                    if (result.stream().anyMatch(sample -> !sample.toString().contains("NaN"))) {
                        return;
                    }
                } catch (IllegalStateException e) {
                    last = Optional.of(e); // it is not listening yet, or is still opening its data
                }
                AttachJvm.sleep(200);
            }
            throw new AssertionError("no data: " + query + ": " + last);
        }

        @Override
        public void close() {
            running.process().destroy();
            running.end();
        }
    }
}
