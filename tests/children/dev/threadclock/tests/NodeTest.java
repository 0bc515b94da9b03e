// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static dev.threadclock.tests.AttachJvm.contained;
import static dev.threadclock.tests.AttachJvm.tmpfs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.FakeListener;
import dev.threadclock.tests.child.KernelNames;
import dev.threadclock.tests.child.Load;
import dev.threadclock.tests.child.Proc;
import dev.threadclock.tests.child.VirtualLoad;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** node shows the JVMs of a machine, whoever runs them and wherever, without touching them. */
class NodeTest {
    private static final String CPU = "threadclock_cpu_time_seconds_total";
    /** Longer than a reading serves. */
    private static final long REUSED_MILLIS = 1100;
    private static final Pattern SAMPLE = Pattern
            .compile("[a-z_]+(\\{([a-z_]+=\"([^\"\\\\]|\\\\[\\\\\"n])*\"[,}])+)? [0-9.]+|# (HELP|TYPE) .*");

    static Running start(List<String> who, Object... more) {
        Running node = AttachJvm.startCommand(who, "node", "127.0.0.1:0", more);
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

    /** For some scrapes, each JVM's groups add up to its clock, and no value decreases. */
    private static Map<String, BigDecimal> assertRight(Running node, List<AttachJvm> jvms) {
        Map<String, BigDecimal> before = new HashMap<>();
        assertRight(node, jvms, before);
        assertRight(node, jvms, before);
        return before;
    }

    /** For one scrape after these samples, to which it adds its own. */
    static void assertRight(Running node, List<AttachJvm> jvms, Map<String, BigDecimal> before) {
        List<Double> least;
        Scrape scrape;
        do {
            AttachJvm.sleep(REUSED_MILLIS);
            least = jvms.stream().map(AttachJvm::cpuSeconds).toList();
            scrape = scrape(node);
        } while (hasLateAgent(scrape.samples()));
        for (int i = 0; i < jvms.size(); i++) {
            AttachJvm jvm = jvms.get(i);
            double most = jvm.cpuSeconds();
            assertThat(scrape.sum(CPU, ",pid=\"" + jvm.pid() + "\",")).as("of %s", jvm.label())
                    .isBetween(least.get(i) * 0.98 - 0.02, most * 1.02 + 0.02);
        }
        Map<String, BigDecimal> samples = scrape.samples();
        samples.forEach((name, value) -> {
            if (name.contains("_total")) {
                assertThat(value).as(name).isGreaterThanOrEqualTo(before.getOrDefault(name, value));
            }
        });
        before.putAll(samples);
    }

    /** On a busy machine an agent may answer too late: its last answer is shown. */
    private static boolean hasLateAgent(Map<String, BigDecimal> samples) {
        return samples.entrySet().stream()
                .filter(sample -> sample.getKey().startsWith("threadclock_attached{")
                        && sample.getValue().signum() == 0)
                .map(sample -> sample.getKey().replaceFirst(".*(pid=\"\\d+\",).*", "$1"))
                .anyMatch(pid -> samples.keySet().stream()
                        .anyMatch(name -> name.contains(pid) && name.contains("source=\"agent\"")));
    }

    /** Why this JVM is not attached to, for good: on a busy machine it may be tried again. */
    private static List<String> reasons(Running node, AttachJvm jvm) {
        return AttachJvm.read(node.err()).lines().filter(line -> line.contains(" " + jvm.pid() + " "))
                .filter(line -> !line.contains("(node tries again in ")).toList();
    }

    private static Set<String> namesOf(AttachJvm jvm, Set<String> names) {
        return names.stream().filter(name -> name.contains("pid=\"" + jvm.pid() + "\","))
                .collect(Collectors.toSet());
    }

    /**
     * What shows this JVM: 1 its agent, 2 its agent's last answer, 0 /proc, -1 /proc because it was not
     * chosen, -2 nothing yet.
     */
    private static int attached(Running node, AttachJvm jvm) {
        Map<String, BigDecimal> samples = scrape(node).samples();
        Set<String> names = namesOf(jvm, samples.keySet());
        int attached = samples.entrySet().stream()
                .filter(sample -> sample.getKey().startsWith("threadclock_attached{")
                        && names.contains(sample.getKey()))
                .mapToInt(sample -> sample.getValue().intValue()).findFirst().orElse(-1);
        boolean byAgent = names.stream().anyMatch(name -> name.contains("source=\"agent\""));
        assertThat(names).filteredOn(name -> name.startsWith(CPU))
                .allMatch(name -> name.contains("source=\"agent\"") == byAgent);
        assertThat(attached).isBetween(byAgent ? 0 : -1, byAgent ? 1 : 0);
        return names.isEmpty() ? -2 : byAgent && attached == 0 ? 2 : attached;
    }

    private static void awaitAttached(Running node, AttachJvm jvm, int attached) {
        jvm.await("attached " + attached, () -> attached(node, jvm) == attached);
    }

    private static AttachJvm startJar(TestJdk jdk, Path jar) {
        List<String> quiet = jdk.feature() >= 21 ? List.of("-XX:+EnableDynamicAgentLoading") : List.of();
        return new AttachJvm(ChildJvm.exec(jdk.java(), quiet, "-jar", jar, "burners"));
    }

    /** Another one, beside it, is not touched. One that comes back is attached to again. */
    @OnEachJdk
    void aChosenJvmIsShownByItsAgentUntilADetach(TestJdk jdk, @TempDir Path folder) throws IOException {
        Path jar = folder.resolve("chosen-" + System.nanoTime() + ".jar"); // no other test's
        JarCopy.made(jar, Map.of("Main-Class", Load.class.getName(), "Class-Path",
                AttachJvm.CLASSES.toUri().toString()));
        String main = "main=c*" + jar.getFileName().toString().substring(6);
        try (Running node = start(List.of(), "--attach", main);
                AttachJvm jvm = startJar(jdk, jar);
                AttachJvm other = ChildJvm.of(jdk).startTarget()) {
            awaitAttached(node, jvm, 1);
            assertThat(assertRight(node, List.of(jvm, other)).keySet()).anyMatch(name -> name
                    .startsWith(CPU + "{cpu_mode=\"user\",kind=\"java\",group=\"a user burner whose name"
                            + " is long\",pid=\"" + jvm.pid() + "\",started=\"")
                    && name.endsWith(",main=\"" + jar.getFileName() + "\",source=\"agent\"}"));
            assertThat(attached(node, other)).isEqualTo(-1);
            assertThat(other.copies()).isZero();
            jvm.run("detach").exits(0);
            awaitAttached(node, jvm, 0);
            assertRight(node, List.of(jvm, other));
            assertThat(jvm.said() + other.said()).isEmpty();
            assertThat(reasons(node, jvm)).isEmpty();
            try (AttachJvm next = startJar(jdk, jar)) {
                awaitAttached(node, next, 1);
                assertThat(next.hasAgentsThread()).isTrue();
                node.process().destroyForcibly();
                next.await("the end of the agent's thread", () -> !next.hasAgentsThread());
            }
        }
    }

    @OnEachJdk(from = 21)
    void withTheOptionVirtualThreadsHaveGroups(TestJdk jdk) {
        ChildJvm child = ChildJvm.of(jdk).withClassPath(Product.JAR).withNativeAccess().withDynamicAgents();
        try (AttachJvm jvm = child.startTarget(VirtualLoad.class);
                Running node = start(List.of(), "--attach", "pid=" + jvm.pid(), "--attach-options",
                        "virtual=on")) {
            awaitAttached(node, jvm, 1);
            Map<String, BigDecimal> samples = assertRight(node, List.of(jvm));
            assertThat(namesOf(jvm, samples.keySet())).anyMatch(name -> name
                    .startsWith(CPU + "{cpu_mode=\"user\",kind=\"virtual\",group=\"G1 request *\""));
        }
    }

    /** In namespaces of its own, of networks too. */
    @Test
    void aJvmInAContainerIsAttachedTo() {
        Host.assumeMounts();
        ChildJvm child = ChildJvm.of(TestJdk.newest()).withDynamicAgents().under("unshare", "-n");
        try (AttachJvm jvm = contained(child, tmpfs("size=16m", "/tmp")).startTarget();
                Running node = start(List.of(), "--attach", "pid=" + jvm.pid())) {
            awaitAttached(node, jvm, 1);
            assertRight(node, List.of(jvm));
            assertThat(jvm.left("/tmp")).isEmpty();
        }
    }

    /** It is shown by the agent's last answer until it goes on. */
    @Test
    void aStoppedJvmDoesNotHoldUpTheOthers() {
        ChildJvm child = ChildJvm.of(TestJdk.newest()).withDynamicAgents();
        try (AttachJvm jvm = child.startTarget();
                AttachJvm other = child.startTarget();
                Running node = start(List.of(), "--attach", "pid=" + jvm.pid(), "--attach",
                        "pid=" + other.pid())) {
            awaitAttached(node, jvm, 1);
            awaitAttached(node, other, 1);
            ChildJvm.exec("kill", "-STOP", jvm.pid()).end().exits(0);
            AttachJvm.sleep(REUSED_MILLIS);
            long beganNanos = System.nanoTime();
            assertThat(attached(node, jvm)).isEqualTo(2);
            assertThat(System.nanoTime() - beganNanos).as("Prometheus waits for 10 s")
                    .isLessThan(9_000_000_000L);
            awaitAttached(node, other, 1);
            assertThat(attached(node, jvm)).isEqualTo(2);
            ChildJvm.exec("kill", "-CONT", jvm.pid()).end().exits(0);
            awaitAttached(node, jvm, 1);
            assertRight(node, List.of(jvm, other));
        }
    }

    /** One takes no agent, one sends metrics of others without end, and one has another version's agent. */
    @Test
    void jvmsThatCannotBeAttachedToAreShownByProcAndTheReasonIsLoggedOnce() {
        TestJdk jdk = TestJdk.newest();
        try (AttachJvm refusing = ChildJvm.of(jdk).with("-XX:+DisableAttachMechanism").startTarget();
                AttachJvm hostile = ChildJvm.of(jdk).startTarget(FakeListener.class, "account");
                AttachJvm old = ChildJvm.of(jdk).startTarget(FakeListener.class, "old");
                Running node = start(List.of(), "--attach", "pid=" + refusing.pid(), "--attach",
                        "pid=" + hostile.pid(), "--attach", "pid=" + old.pid())) {
            List<AttachJvm> all = List.of(refusing, hostile, old);
            refusing.await("a reason", () -> !reasons(node, refusing).isEmpty());
            hostile.await("the end of the connection",
                    () -> attached(node, hostile) == 0 && hostile.said().contains("closed"));
            old.await("a reason", () -> AttachJvm.read(node.err()).contains("of another version"));
            assertRight(node, all);
            assertThat(reasons(node, refusing)).singleElement().asString()
                    .startsWith(
                            "threadclock node: process " + refusing.pid() + " is not attached to: the JVM ")
                    .contains("-XX:+DisableAttachMechanism");
            assertThat(reasons(node, old)).anyMatch(line -> line.contains("the agent stays attached"));
            assertThat(all).allMatch(jvm -> attached(node, jvm) == 0);
            assertThat(scrape(node).text().lines()).allMatch(line -> SAMPLE.matcher(line).matches())
                    .noneMatch(line -> line.contains("pid=\"1\""));
        }
    }

    /** Its threads cannot be listed meanwhile. They come and go: where all stay, no list may be needed. */
    @Test
    void aJvmThatRunsOutOfDescriptorsIsShownByItsAgentLater() {
        ChildJvm child = ChildJvm.of(TestJdk.newest()).withDynamicAgents();
        try (AttachJvm jvm = child.startTarget(Load.class, "pools");
                Running node = start(List.of(), "--attach", "pid=" + jvm.pid())) {
            awaitAttached(node, jvm, 1);
            ChildJvm.exec("prlimit", "--pid", jvm.pid(), "--nofile=3:").end().exits(0);
            awaitAttached(node, jvm, 2);
            ChildJvm.exec("prlimit", "--pid", jvm.pid(), "--nofile=1000:").end().exits(0);
            awaitAttached(node, jvm, 1);
            assertRight(node, List.of(jvm));
        }
    }

    /** The ends of threads between two scrapes are still seen. */
    @OnEachJdk
    void whenNodeEndsAServerInTheJvmIsNotAffected(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).withDynamicAgents().startTarget(Load.class, "pools")) {
            String address;
            Scrape before;
            try (Running node = start(List.of(), "--attach", "pid=" + jvm.pid(), "--attach-options",
                    "prometheus=127.0.0.1:0")) {
                awaitAttached(node, jvm, 1);
                address = PrometheusTest.served(jvm);
                before = Scrape.of(address);
            }
            jvm.await("the end of the connection", () -> Proc.threads(jvm.pid()).stream()
                    .noneMatch(name -> name.startsWith("threadclock s") || name.endsWith("..ampler")));
            AttachJvm.sleep(REUSED_MILLIS);
            Scrape after = Scrape.of(address);
            assertThat(used(before, after, "kind=\"java\",group=\"short-*\""))
                    .isGreaterThan(used(before, after, "kind=\"unseen\",group=\"(unseen)\""));
        }
    }

    /** Since the earlier scrape, which may be from before a thread of the group was seen. */
    private static BigDecimal used(Scrape before, Scrape after, String group) {
        String name = CPU + "{cpu_mode=\"user\"," + group + "}";
        return after.samples().get(name).subtract(
                before.samples().getOrDefault(name, BigDecimal.ZERO));
    }

    /** With one that ends and comes back, which has other series each time. */
    @Test
    void theGroupsOfEachJvmAddUpToItsClock() {
        List<AttachJvm> jvms = new ArrayList<>();
        try (Running node = start(List.of());
                Running again = ChildJvm.exec("sh", "-c", "while :; do timeout 2 \"$@\"; done", "sh",
                        TestJdk.newest().java(), "-Xmx32m", "-cp", ChildJvm.CLASSES,
                        "dev.threadclock.tests.child.AttachTarget")) {
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
            assertThat(again.process().isAlive()).as("it still comes and goes").isTrue();
        } finally {
            jvms.forEach(AttachJvm::close);
        }
    }

    @Test
    void statusIsReadOnlyToAttach(@TempDir Path folder) {
        Host.assumeStrace();
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            Map<String, Boolean> opened = new HashMap<>();
            for (List<String> options : List.of(List.<String>of(), List.of("--attach", "pid=" + jvm.pid()))) {
                Path calls = folder.resolve("calls" + options.size());
                start(List.of("strace", "-f", "-qq", "-e", "trace=openat", "-e", "signal=none", "-o",
                        calls.toString()), options).close();
                assertThat(calls).content().containsPattern("\\(\\d+, \"cmdline\"");
                opened.put(options.isEmpty() ? "" : "--attach",
                        Pattern.compile("\\(\\d+, \"status\"").matcher(AttachJvm.read(calls)).find());
            }
            assertThat(opened).isEqualTo(Map.of("", false, "--attach", true));
        }
    }

    /** Otherwise counters would decrease: a new node counts the time of ended threads as unseen. */
    @Test
    void afterARestartItsSeriesAreOthers() {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            Set<String> before = seriesOfANewNode(jvm);
            assertThat(before).isNotEmpty();
            assertThat(seriesOfANewNode(jvm)).isNotEmpty().doesNotContainAnyElementsOf(before);
        }
    }

    private static Set<String> seriesOfANewNode(AttachJvm jvm) {
        try (Running node = start(List.of())) {
            return namesOf(jvm, scrape(node).samples().keySet());
        }
    }

    @Test
    void anyUserSeesThoseOfOthersAndInContainers() {
        TestJdk jdk = TestJdk.newestForAll();
        AttachJvm.assumeUsers(jdk);
        Host.assumeMounts();
        try (AttachJvm contained = contained(ChildJvm.of(jdk), tmpfs("size=16m", "/tmp")).startTarget();
                AttachJvm users = ChildJvm.of(jdk).withDynamicAgents().under(AttachJvm.asUser(12345, 12346))
                        .startTarget();
                AttachJvm roots = ChildJvm.of(jdk).startTarget()) {
            try (Running node = start(AttachJvm.asUser(12347, 12347))) {
                assertRight(node, List.of(contained, users, roots), new HashMap<>());
            }
            assertThat(contained.said() + users.said() + roots.said()).isEmpty();
            assertThat(List.of(contained, users, roots)).allMatch(jvm -> jvm.copies() == 0);
            try (Running node = start(List.of(), "--attach", "user=12345")) {
                awaitAttached(node, users, 1);
                assertThat(attached(node, roots)).isEqualTo(-1);
            }
        }
    }

    /** Whose own command line is empty then. */
    @Test
    void aJvmWhoseFirstThreadHasEndedHasAllItsLabels() {
        try (Running node = start(List.of());
                AttachJvm jvm = ObstaclesTest.withoutFirstThread(TestJdk.newest()).startTarget()) {
            assertThat(AttachJvm.read(jvm.proc().resolve("cmdline"))).isEmpty();
            Map<String, BigDecimal> samples = new HashMap<>();
            assertRight(node, List.of(jvm), samples);
            assertThat(namesOf(jvm, samples.keySet()))
                    .anyMatch(name -> name.contains(",main=\"dev.threadclock.tests.child.AttachTarget\""));
            jvm.kill();
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
        try (Running node = start(List.of()); AttachJvm jvm = new AttachJvm(running)) {
            assertRight(node, List.of(jvm), new HashMap<>());
            String text = scrape(node).text();
            assertThat(text).contains("group=\"a\\\"} *\\n#\",pid=\"" + jvm.pid() + "\"")
                    .contains(",main=\"hostile\\\"} 1; # ?[31m")
                    .doesNotContainPattern("[\\p{Cc}\\p{Cs}&&[^\n]]");
            assertThat(text.lines()).allMatch(line -> SAMPLE.matcher(line).matches());
            RealPrometheusTest.checkIfInstalled(text, folder);
        }
    }

    private static String hex(String name) {
        return HexFormat.of().formatHex(name.getBytes(StandardCharsets.ISO_8859_1));
    }
}
