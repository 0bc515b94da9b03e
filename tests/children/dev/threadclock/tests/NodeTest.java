// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static dev.threadclock.tests.AttachJvm.contained;
import static dev.threadclock.tests.AttachJvm.tmpfs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.KernelNames;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** node shows the JVMs of a machine, whoever runs them and wherever, without touching them. */
class NodeTest {
    private static final String CPU = "threadclock_cpu_time_seconds_total";
    /** Longer than a reading serves. */
    private static final long REUSED_MILLIS = 1100;
    private static final Pattern SAMPLE = Pattern
            .compile("[a-z_]+(\\{([a-z_]+=\"([^\"\\\\]|\\\\[\\\\\"n])*\"[,}])+)? [0-9.]+|# (HELP|TYPE) .*");

    static Running start(List<String> who) {
        Running node = AttachJvm.startCommand(who, "node", "127.0.0.1:0");
        node.awaitOutput("/metrics");
        return node;
    }

    private static Scrape scrape(Running node) {
        return Scrape.of(address(node));
    }

    /** As it has printed it. */
    static String address(Running node) {
        return AttachJvm.read(node.out()).replaceFirst("(?s).*http://(\\S+)/metrics.*", "$1");
    }

    /** By the kernel's clock, in steps of 10 ms. */
    private static double cpuSeconds(AttachJvm jvm) {
        return ProcessHandle.of(Long.parseLong(jvm.pid())).orElseThrow().info().totalCpuDuration()
                .orElse(Duration.ZERO).toNanos() / 1e9;
    }

    private static double sum(Map<String, BigDecimal> samples, AttachJvm jvm) {
        return samples.entrySet().stream().filter(sample -> sample.getKey().startsWith(CPU + "{"))
                .filter(sample -> sample.getKey().contains(",pid=\"" + jvm.pid() + "\","))
                .mapToDouble(sample -> sample.getValue().doubleValue()).sum();
    }

    /** For some scrapes, each JVM's groups add up to its clock, and no value decreases. */
    private static Map<String, BigDecimal> assertRight(Running node, List<AttachJvm> jvms) {
        Map<String, BigDecimal> before = new HashMap<>();
        for (int i = 0; i < 3; i++) {
            AttachJvm.sleep(REUSED_MILLIS);
            List<Double> least = jvms.stream().map(NodeTest::cpuSeconds).toList();
            Map<String, BigDecimal> samples = scrape(node).samples();
            for (int j = 0; j < jvms.size(); j++) {
                double most = cpuSeconds(jvms.get(j));
                assertThat(sum(samples, jvms.get(j))).as("of %s", jvms.get(j).label())
                        .isBetween(least.get(j) * 0.98 - 0.02, most * 1.02 + 0.02);
            }
            samples.forEach((name, value) -> {
                if (name.contains("_total")) {
                    assertThat(value).as(name).isGreaterThanOrEqualTo(before.getOrDefault(name, value));
                }
            });
            before.putAll(samples);
        }
        return before;
    }

    /** With one that ends and comes back, which has other series each time. */
    @Test
    void theGroupsOfEachJvmAddUpToItsClock() {
        List<AttachJvm> jvms = new ArrayList<>();
        Running node = start(List.of());
        Running again = ChildJvm.exec("sh", "-c", "while :; do timeout 2 \"$@\"; done", "sh",
                TestJdk.newest().java(), "-Xmx32m", "-cp", ChildJvm.CLASSES,
                "dev.threadclock.tests.child.AttachTarget");
        try {
            for (TestJdk jdk : TestJdk.all()) {
                jvms.add(ChildJvm.of(jdk).with("-Xmx32m").startTarget());
            }
            Map<String, BigDecimal> samples = assertRight(node, jvms);
            assertThat(jvms).allSatisfy(jvm -> assertThat(samples.keySet())
                    .anyMatch(name -> name.startsWith("threadclock_threads{kind=\"jvm\",group=\"JVM\",pid=\""
                            + jvm.pid() + "\",started=\"") && name.contains(
                                    "\",main=\"dev.threadclock.tests"
                                            + ".child.AttachTarget\"")));
            assertThat(samples.keySet()).as("itself")
                    .anyMatch(name -> name.contains(",main=\"threadclock.jar\""));
        } finally {
            List<ProcessHandle> last = again.process().descendants().toList();
            again.kill();
            last.forEach(ProcessHandle::destroyForcibly);
            jvms.forEach(AttachJvm::close);
            node.kill();
        }
    }

    @Test
    void anyUserSeesThoseOfOthersAndInContainers() {
        TestJdk jdk = TestJdk.newestForAll();
        AttachJvm.assumeUsers(jdk);
        Host.assumeMounts();
        Running node = start(AttachJvm.asUser(12347, 12347));
        try (AttachJvm contained = contained(ChildJvm.of(jdk), tmpfs("size=16m", "/tmp")).startTarget();
                AttachJvm users = ChildJvm.of(jdk).under(AttachJvm.asUser(12345, 12346)).startTarget();
                AttachJvm roots = ChildJvm.of(jdk).startTarget()) {
            assertRight(node, List.of(contained, users, roots));
            assertThat(contained.said() + users.said() + roots.said()).isEmpty();
            assertThat(List.of(contained, users, roots)).allMatch(jvm -> jvm.copies() == 0);
        } finally {
            node.kill();
        }
    }

    /** Whose own command line is empty then. */
    @Test
    void aJvmWhoseFirstThreadHasEndedHasAllItsLabels() {
        Running node = start(List.of());
        try (AttachJvm jvm = ObstaclesTest.withoutFirstThread(TestJdk.newest()).startTarget()) {
            assertThat(AttachJvm.read(jvm.proc().resolve("cmdline"))).isEmpty();
            assertThat(assertRight(node, List.of(jvm)).keySet()).anyMatch(name -> name.contains(",pid=\""
                    + jvm.pid() + "\",")
                    && name.contains(",main=\"dev.threadclock.tests.child.AttachTarget\""));
            jvm.kill();
        } finally {
            node.kill();
        }
    }

    /** Whatever bytes the kernel has as names of threads and the program. */
    @Test
    void noNameBreaksTheTextOrReachesATerminal(@TempDir Path folder) throws IOException {
        String names = String.join(" ", hex("a\"} 7\n#"), hex("\033[31m\r\177"), hex(") R 0 0 0 0 0"),
                hex("\\u000a\\n\\"), "fffec328", "c29be28028", "eda080edb080", "e2");
        Path hidden = Files.writeString(folder.resolve("arguments"),
                KernelNames.class.getName() + " " + names);
        Running running = ChildJvm.exec("bash", "-c",
                "exec -a $'hostile\"} 1\\n# \\e[31m\\r\\xff\\xc3\\\\u' \"$@\"", "bash", AttachJvm.QUICKLY,
                "-Xmx32m", "-cp", ChildJvm.CLASSES, "@" + hidden);
        Running node = start(List.of());
        try (AttachJvm jvm = new AttachJvm(running)) {
            assertRight(node, List.of(jvm));
            String text = scrape(node).text();
            assertThat(text).contains("group=\"a\\\"} *\\n#\",pid=\"" + jvm.pid() + "\"")
                    .contains(",main=\"hostile\\\"} 1; # ?[31m")
                    .doesNotContainPattern("[\\p{Cc}\\p{Cs}&&[^\n]]");
            assertThat(text.lines()).allMatch(line -> SAMPLE.matcher(line).matches());
            RealPrometheusTest.checkIfInstalled(text, folder);
        } finally {
            node.kill();
        }
    }

    private static String hex(String name) {
        return HexFormat.of().formatHex(name.getBytes(StandardCharsets.ISO_8859_1));
    }
}
