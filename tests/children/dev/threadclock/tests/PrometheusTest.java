// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.child.Load;
import dev.threadclock.tests.child.Steady;
import dev.threadclock.tests.child.StormState;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent's option prometheus= in JVMs that work. */
class PrometheusTest {
    static final String CPU = "threadclock_cpu_time_seconds_total";
    /** A scrape within this time after another one may return the same reading. */
    private static final long REUSED_MILLIS = 110;

    @TempDir
    Path folder;

    static String served(AttachJvm jvm) {
        return jvm.run("status").out().lines().filter(line -> line.strip().startsWith("prometheus "))
                .findFirst().orElseThrow().replaceFirst("^ *prometheus +", "");
    }

    @OnEachJdk
    void aScrapeAddsUpToTheProcessAndNothingDecreases(TestJdk jdk) throws IOException {
        Path log = folder.resolve("log");
        ChildJvm child = ChildJvm.of(jdk).withJavaAgent("prometheus=0,log=" + log);
        try (AttachJvm jvm = child.startTarget(Load.class, "pools")) {
            String address = address(log);
            assertThat(address).matches("127\\.0\\.0\\.1:\\d+").doesNotEndWith(":0");
            Map<String, BigDecimal> before = new HashMap<>();
            for (int i = 0; i < 10; i++) {
                AttachJvm.sleep(REUSED_MILLIS);
                double least = jvm.cpuSeconds();
                Scrape scrape = Scrape.of(address);
                double most = jvm.cpuSeconds();
                assertThat(scrape.sum(CPU, "")).isBetween(least * 0.99 - 0.02, most * 1.01 + 0.02);
                scrape.assertNotBelow(before);
            }
            assertThat(before).containsKeys(
                    CPU + "{cpu_mode=\"user\",kind=\"java\",group=\"short-*\"}",
                    CPU + "{cpu_mode=\"system\",kind=\"gc\",group=\"garbage collector\"}",
                    CPU + "{cpu_mode=\"user\",kind=\"unseen\",group=\"(unseen)\"}",
                    "threadclock_threads{kind=\"java\",group=\"strange \\\"\\\\\\n\u00e4\\\\ud800 name\"}")
                    .containsEntry("threadclock_threads{kind=\"java\",group=\"idle-*\"}", new BigDecimal(5))
                    .containsEntry("threadclock_threads{kind=\"java\",group=\"threadclock\"}",
                            BigDecimal.ONE);
            assertThat(jvm.said()).isEmpty();
        }
    }

    @OnEachJdk
    void attachChangesItAndDetachEndsIt(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).withJavaAgent("").startTarget()) {
            int busy = Host.IN_USE.getLocalPort();
            assertThat(served(jvm)).isEqualTo("off");
            Result attached = jvm.run("attach", "prometheus=" + Host.namedPort());
            String first = served(jvm);
            assertThat(attached.out()).endsWith("\nPrometheus metrics at http://" + first + "/metrics\n");
            assertThat(Scrape.answers(first)).isTrue();
            jvm.run("attach", "freshness=now,prometheus=" + first);
            assertThat(served(jvm)).as("the same").isEqualTo(first);

            AttachJvm.assertRefused(jvm.run("attach", "prometheus=" + busy), "prometheus=127.0.0.1:" + busy
                    + ": cannot listen there: Address ", " in use; ", "name another address or port");
            assertThat(served(jvm)).as("after a refusal").isEqualTo(first);
            assertThat(Scrape.answers(first)).isTrue();

            AttachJvm.assertRefused(jvm.run("attach", "prometheus=0.0.0.0:" + first.split(":")[1]),
                    "this JVM serves that port at " + first, "detach first");
            assertThat(Scrape.answers(first)).isTrue();
            jvm.run("attach", "prometheus=0.0.0.0:0");
            String second = served(jvm);
            assertThat(second).startsWith("0.0.0.0:");
            assertThat(Scrape.answers(second.replace("0.0.0.0", "127.0.0.1"))).isTrue();
            assertThat(Scrape.answers(first)).isFalse();

            jvm.run("attach", "total=tick").exits(0);
            assertThat(served(jvm)).as("what is not named stays").isEqualTo(second);
            assertThat(jvm.run("attach", "prometheus=off").out()).doesNotContain("Prometheus")
                    .contains("prometheus=off");
            assertThat(Scrape.answers(second.replace("0.0.0.0", "127.0.0.1"))).isFalse();
            jvm.run("attach", "prometheus=" + first);
            assertThat(Scrape.answers(first)).isTrue();
            assertThat(jvm.hasAgentsThread()).isTrue();
            jvm.run("detach");
            assertThat(Scrape.answers(first)).isFalse();
            // The JVM's thread has ended before; the kernel's ends a little later.
            jvm.await("the end of the server's thread", () -> !jvm.hasAgentsThread());
        }
    }

    @Test
    void aPortInUseIsNamedWithTheRemedy() {
        Result with = ChildJvm.of(TestJdk.newest()).withJavaAgent("prometheus=" + Host.IN_USE.getLocalPort())
                .run(Hello.class);
        assertThat(with.errLines()).first().asString().startsWith("threadclock: prometheus=127.0.0.1:")
                .contains(" in use; ", "port 0", "threadclock runs without that option");
    }

    static String address(Path log) throws IOException {
        return Files.readString(log).replaceFirst("(?s).*metrics at http://(.*?)/metrics.*", "$1");
    }

    /** No scrape loads a class, of ours or of the JVM's. */
    @OnEachJdk
    void theLibraryAloneServesThemAndLoadsNoClass(TestJdk jdk) throws IOException {
        Path library = Files.copy(Product.LIBRARY, folder.resolve("libthreadclock.so"));
        ChildJvm child = ChildJvm.of(jdk).with("-agentpath:" + library + "=prometheus=0", "-verbose:class");
        try (AttachJvm jvm = child.startTarget()) {
            String address = served(jvm);
            jvm.await("no more classes", () -> {
                String said = jvm.said();
                AttachJvm.sleep(500);
                return said.equals(jvm.said());
            });
            String loaded = jvm.said();
            for (int i = 0; i < 2; i++) {
                assertThat(Scrape.of(address).samples())
                        .containsKey(CPU + "{cpu_mode=\"user\",kind=\"java\",group=\"main\"}");
                AttachJvm.sleep(REUSED_MILLIS);
            }
            assertThat(jvm.said()).isEqualTo(loaded).contains("java.lang.Thread")
                    .doesNotContain("dev.threadclock.agent", "dev.threadclock.internal");
            assertThat(jvm.run("attach", "prometheus=0.0.0.0:0").exits(0).out())
                    .contains("Prometheus metrics at http://0.0.0.0:");
            jvm.run("detach").ok();
            jvm.await("the end of the server's thread", () -> !jvm.hasAgentsThread());
        }
    }

    /** Nothing of the agent was there at the JVM's start, and nothing serves after a detach. */
    @OnEachJdk
    void attachServesThemInAnyJvm(TestJdk jdk) throws IOException {
        try (AttachJvm jvm = ChildJvm.of(jdk).startTarget(Load.class, "pools")) {
            assertThat(jvm.run("attach", "prometheus=0").exits(0).out())
                    .contains("Prometheus metrics at http");
            String address = served(jvm);
            AttachJvm.sleep(REUSED_MILLIS); // the server has read the account as it started
            double least = jvm.cpuSeconds();
            Scrape scrape = Scrape.of(address);
            assertThat(scrape.sum(CPU, "")).isBetween(least * 0.99 - 0.02,
                    jvm.cpuSeconds() * 1.01 + 0.02);
            assertThat(scrape.samples())
                    .containsKey(CPU + "{cpu_mode=\"user\",kind=\"java\",group=\"main\"}")
                    .containsEntry("threadclock_threads{kind=\"java\",group=\"idle-*\"}", new BigDecimal(5));
            jvm.run("detach").ok();
            assertThat(Scrape.answers(address)).isFalse();
            jvm.await("the end of the server's thread", () -> !jvm.hasAgentsThread());
        }
    }

    /** Four JVMs, because the server's first reading is at the same time as the rest of the attach. */
    @OnEachJdk
    void whatThreadsUsedBeforeTheAttachIsTheirs(TestJdk jdk) throws IOException {
        for (int i = 0; i < 4; i++) {
            try (AttachJvm jvm = ChildJvm.of(jdk).startTarget(Load.class, "burners")) {
                jvm.await("work", () -> jvm.cpuSeconds() > 0.8);
                jvm.run("attach", "prometheus=0").exits(0);
                Scrape scrape = Scrape.of(served(jvm));
                assertThat(scrape.sum(CPU, "kind=\"native\"")).isLessThan(scrape.sum(CPU, "") / 4);
            }
        }
    }

    @Test
    void theSecondAgentsOptionIsNotIgnoredSilently() {
        Result result = ChildJvm.of(TestJdk.newest()).withAgentPath("").withJavaAgent("prometheus=0")
                .run(Hello.class);
        assertThat(result.errLines()).first().asString().startsWith("threadclock: prometheus=127.0.0.1:0 is"
                + " ignored, because the agent has been loaded before");
    }

    /** The options come both from JAVA_TOOL_OPTIONS and from the command line. */
    @Test
    void soItIsIfBothAreOfTheJar() {
        TestJdk jdk = TestJdk.newest();
        Result result = ChildJvm.of(jdk).withJavaAgent("freshness=now").withJavaAgent("prometheus=0")
                .run(Hello.class);
        assertThat(result.errLines()).satisfiesExactly(
                line -> assertThat(line).startsWith("threadclock: prometheus=127.0.0.1:0 is ignored,"
                        + " because the agent has been loaded before"),
                line -> assertThat(line).isEqualTo("this is stderr"));
        for (String second : List.of("", "prometheus=0")) {
            assertThat(ChildJvm.of(jdk).withJavaAgent("prometheus=0").withJavaAgent(second).run(Hello.class)
                    .errLines()).as(second).containsExactly("this is stderr");
        }
    }

    @Test
    void itListensOnIpv6() throws IOException {
        try (ServerSocket six = new ServerSocket()) {
            six.bind(new InetSocketAddress(InetAddress.getByName("::1"), 0));
        } catch (IOException e) {
            assumeTrue(false, "no IPv6 here: " + e);
        }
        ChildJvm child = ChildJvm.of(TestJdk.newest()).withJavaAgent("prometheus=[::1]:0");
        try (AttachJvm jvm = child.startTarget()) {
            String address = served(jvm);
            assertThat(address).startsWith("[::1]:");
            assertThat(Scrape.answers(address)).isTrue();
        }
    }

    @OnEachJdk(thorough = true)
    void aFullHeapStopsNothing(TestJdk jdk) throws Exception {
        Path log = folder.resolve("log");
        Path full = folder.resolve("full");
        Path page = Files.createFile(folder.resolve("state"));
        StormState state = new StormState(page.toString());
        try (Running running = ChildJvm.of(jdk).withJavaAgent("prometheus=0,log=" + log)
                .with("-Xmx32m", "-Xint", "-verbose:gc").start(Steady.class, page, full)) {
            running.await("metrics", () -> isServed(log));
            Files.createFile(full);
            for (int i = 0; i < 10; i++) {
                long reads = state.reads();
                running.await("metrics", () -> isServed(log));
                running.await("reads", () -> state.reads() > reads + 300);
            }
            state.total.mayDecrease(true);
            state.end();
            Result result = running.end();
            result.exits(0);
            assertThat(result.err()).as("an uncaught exception").doesNotContain("threadclock");
        }
    }

    private static boolean isServed(Path log) {
        try {
            URLConnection connection = URI.create("http://" + address(log) + "/metrics").toURL()
                    .openConnection();
            connection.setConnectTimeout(3_000);
            connection.setReadTimeout(3_000);
            return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .contains(CPU);
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    @OnEachJdk(before = 24)
    void underASecurityManagerTheJarsOwnPermissionsSuffice(TestJdk jdk) throws IOException {
        Path policy = Files.writeString(folder.resolve("policy"), "grant codeBase \"file:" + Product.AGENT_JAR
                + "\" { permission java.security.AllPermission; };");
        Path log = folder.resolve("log");
        ChildJvm child = ChildJvm.of(jdk).withJavaAgent("prometheus=0,log=" + log)
                .with("-Djava.security.manager", "-Djava.security.policy==" + policy);
        try (AttachJvm jvm = child.startTarget()) {
            assertThat(Scrape.answers(served(jvm))).isTrue();
        }
    }
}
