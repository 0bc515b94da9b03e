// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Accounted;
import dev.threadclock.tests.child.Forked;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.child.Proc;
import dev.threadclock.tests.child.ReadById;
import dev.threadclock.tests.child.Steady;
import dev.threadclock.tests.child.StormState;
import dev.threadclock.tests.child.VirtualLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/**
 * A JVM that lacks something while the agent is set up (heap, address space, file descriptors), is stopped
 * meanwhile, or forks, keeps running, or fails as it would without the agent.
 */
class StarvedTest {
    private static final int STARTED = 3; // the exit status of Hello
    private static final long KILOBYTE = 1024;
    /** In steps of 256 KB: more than what the agent and its library map. */
    private static final int AGENTS_NEED = 20;
    /** How HotSpot and the C library say that there is no memory. */
    private static final String LACK = "(?i)OutOfMemoryError|insufficient memory|pthread_create failed"
            + "|cannot allocate memory|out of memory|failed to map";

    @TempDir
    Path folder;

    /** A JVM that runs the program Steady, and a channel to it. */
    private final class SteadyJvm implements AutoCloseable {
        final StormState state;
        final Running running;
        final AttachChannel channel;

        SteadyJvm(TestJdk jdk, Object... more) throws IOException, InterruptedException {
            Path page = Files.createTempFile(folder, "state", "");
            state = new StormState(page.toString());
            ChildJvm child = ChildJvm.of(jdk).with("-Xmx16m", "-Xint").withCrashes(folder)
                    .withDynamicAgents();
            running = child.start(Steady.class, page, more);
            awaitReads(1);
            channel = new AttachChannel(running.process(), folder);
        }

        void awaitReads(long more) {
            long until = state.reads() + more;
            running.await("reads", () -> state.reads() >= until);
        }

        /** Returns the report or, if the JVM keeps running, the refusal, which is as good as an answer. */
        String ask(String options) throws IOException {
            String answer;
            if (state.attached() % 2 == 1) {
                state.nextAttached();
            }
            try {
                answer = channel.agent(Product.LIBRARY, options);
            } catch (IOException e) {
                answer = e.getMessage();
            }
            if (answer.startsWith("ok\n") && options.startsWith("do=attach")) {
                state.nextAttached();
            }
            awaitReads(10);
            return answer;
        }

        /** At the end, it must accept the agent, and no answer may have been wrong. */
        void assertFine() throws IOException {
            assertThat(ask("do=attach,total=tick")).startsWith("ok\n");
            state.end();
            Result result = running.end();
            assertThat(ChildJvm.crash(folder)).as(result.toString()).isEmpty();
            result.exits(0);
            assertThat(result.errLines().stream().filter(line -> line.startsWith("threadclock")))
                    .as(result.toString()).isEmpty();
            result.has("violations", 0);
        }

        @Override
        public void close() {
            running.process().destroyForcibly();
        }
    }

    @OnEachJdk
    void aFullHeap(TestJdk jdk) throws Exception {
        Path full = folder.resolve("full");
        try (SteadyJvm jvm = new SteadyJvm(jdk, full)) {
            Files.createFile(full); // not before, because with a full heap the JVM cannot start its listener
            jvm.awaitReads(200);
            for (int i = 0; i < 3; i++) {
                assertThat(jvm.ask("do=attach,freshness=now,total=interpolated"))
                        .doesNotContain("another agent");
                assertThat(jvm.ask("do=status")).doesNotContain("another agent");
                jvm.ask("do=detach");
            }
            jvm.state.total.mayDecrease(true);
            jvm.awaitReads(10);
            jvm.assertFine();
        }
    }

    /** If the agent cannot read the fields of Thread, it tries again later and never guesses a thread. */
    @OnEachJdk
    void noMemoryForTheFieldsOfThread(TestJdk jdk) throws Exception {
        String file = CLibrary.assume("company");
        ChildJvm child = starvedOf(jdk, "java.lang.Thread:6").withAgentPath("total=tick").withNativeAccess();
        Result result = child.run(ReadById.class, file).ok();
        result.has("starved", 6).assertNumber("busy").isGreaterThan(90_000_000L);
        result.assertNumber("own").isPositive();
        result.assertNumber("user").isBetween(result.number("own"), result.number("busy") + 20_000_000L);
        result.assertNumber("idle").isBetween(0L, 50_000_000L);
        result.assertNumber("main").isBetween(result.number("before"), result.number("after"));
    }

    /** Without memory for the fields of a group, all threads stay native, and are known a little later. */
    @OnEachJdk
    void noMemoryForTheGroupsOfThreads(TestJdk jdk) throws Exception {
        Path log = folder.resolve("log");
        ChildJvm child = starvedOf(jdk, "java.lang.ThreadGroup:3").withAgentPath("prometheus=0,log=" + log);
        try (AttachJvm jvm = child.startTarget()) {
            String address = PrometheusTest.address(log);
            assertThat(pools(address)).doesNotContain("main");
            jvm.await("the groups of threads", () -> pools(address).contains("main"));
            assertThat(pools(address)).doesNotContain("Signal Dispatcher");
            assertThat(ChildJvm.crash(folder)).isEmpty();
        }
    }

    /** In the account that Java keeps as well. */
    @OnEachJdk
    void noMemoryForTheGroupsOfThreadsOfTheLibrary(TestJdk jdk) {
        ChildJvm child = starvedOf(jdk, "java.lang.ThreadGroup:3").withClassPath(Product.JAR)
                .withNativeAccess();
        Result result = child.run(Accounted.class, "6").ok();
        assertThat(result.out().split("kind=JAVA")).hasSizeLessThan(7);
        assertThat(result.out()).endsWith("kind=JAVA\ndone\n");
    }

    @OnEachJdk(from = 21)
    void noMemoryForWhatStartsVirtualThreads(TestJdk jdk) throws Exception {
        Path log = folder.resolve("log");
        ChildJvm child = starvedOf(jdk, "java.util.concurrent.ThreadPerTaskExecutor:1")
                .withClassPath(Product.JAR).withNativeAccess()
                .withAgentPath("virtual=on,prometheus=0,log=" + log);
        try (AttachJvm jvm = child.startTarget(VirtualLoad.class, "executors")) {
            String address = PrometheusTest.address(log);
            jvm.await("groups", () -> Scrape.of(address).text().contains("of executors"));
        }
    }

    private static String pools(String address) {
        return Scrape.of(address).text().lines()
                .filter(line -> line.startsWith("threadclock_threads{kind=\"java\""))
                .collect(Collectors.joining("\n"));
    }

    private ChildJvm starvedOf(TestJdk jdk, String classAndTimes) {
        String agent = "-agentpath:" + CLibrary.assume("company") + "=starved=" + classAndTimes;
        return ChildJvm.of(jdk).with(agent).withCrashes(folder);
    }

    @OnEachJdk
    void noAddressSpace(TestJdk jdk) throws Exception {
        for (long more : new long[]{0, 64, 256, 1024, 4096}) {
            try (SteadyJvm jvm = new SteadyJvm(jdk)) {
                jvm.running.limit("as",
                        (Proc.status(jvm.running.process().pid(), "VmSize") + more) * KILOBYTE);
                jvm.ask("do=attach");
                jvm.ask("do=detach");
                jvm.running.limit("as", "unlimited");
                jvm.assertFine();
            }
        }
    }

    @OnEachJdk
    void noFileDescriptors(TestJdk jdk) throws Exception {
        try (SteadyJvm jvm = new SteadyJvm(jdk)) {
            assertThat(jvm.ask("do=status")).startsWith("ok\n");
            // Leaves at least one for the connection: with none, the JVM's own listener fails to accept, and
            // on some JDKs never works again. So the program, too, may open nothing meanwhile.
            jvm.state.user.mayDecrease(true);
            jvm.awaitReads(10);
            for (int free = 1; free < 6; free++) {
                jvm.running.limit("nofile", firstFree(jvm) + free);
                jvm.ask("do=attach");
                jvm.ask("do=detach");
            }
            jvm.running.limit("nofile", "1024");
            jvm.state.user.mayDecrease(false);
            jvm.assertFine();
        }
    }

    /** The number that the next descriptor would get. */
    private static int firstFree(SteadyJvm jvm) {
        List<String> open = List.of(Path.of("/proc/" + jvm.running.process().pid() + "/fd").toFile().list());
        return Stream.iterate(0, number -> number + 1).filter(number -> !open.contains("" + number))
                .findFirst().orElseThrow();
    }

    @OnEachJdk
    void stoppedWhileTheAgentIsAttached(TestJdk jdk) throws Exception {
        StormRun storm = new StormRun(jdk, folder);
        storm.run(run -> {
            run.channel();
            for (int i = 0; i < 5; i++) {
                Running stopper = ChildJvm.exec("sh", "-c", "for i in 1 2 3 4 5; do sleep 0.00" + (1 + 2 * i)
                        + "; kill -STOP $0; sleep 0.02; kill -CONT $0; done", run.process().pid());
                StormRun.cycles(4L * (i + 1), 0).run(run);
                stopper.end();
            }
        }).assertFine().assertSilent();
    }

    @OnEachJdk
    void forkedByNativeCode(TestJdk jdk) throws Exception {
        Result result = ChildJvm.of(jdk).withAgentPath("total=tick").withCrashes(folder)
                .withNativeAccess().run(Forked.class, CLibrary.assume("company"), "50").ok();
        result.has("wrong", 0);
        result.assertNumber("hung").as("waiting for a safepoint of the parent: %s", result).isLessThan(5);
    }

    /** Uses sizes around the smallest address space in which a JVM starts without the agent. */
    @OnEachJdk(thorough = true)
    void startedWithLittleAddressSpace(TestJdk jdk) throws Exception {
        long least = 0;
        for (long step = 1 << 21; step >= 256; step /= 2) {
            least += started(jdk, least + step, false).exitCode() == STARTED ? 0 : step;
        }
        for (int i = -8; i <= AGENTS_NEED + 4; i++) {
            Result result = started(jdk, least + 256L * i, true);
            String crash = ChildJvm.crash(folder);
            assertThat(crash).as(result.toString()).doesNotContain("SIGSEGV", "SIGBUS", "Internal Error");
            if (i >= AGENTS_NEED) {
                result.exits(STARTED);
            } else if (result.exitCode() != STARTED) {
                assertThat(result.out() + result.err()).as("%s", result).containsPattern(LACK);
            }
            for (Path file : ChildJvm.crashes(folder)) {
                Files.delete(file);
            }
        }
    }

    private Result started(TestJdk jdk, long kilobytes, boolean withAgent) {
        ChildJvm child = ChildJvm.of(jdk).under("prlimit", "--as=" + kilobytes * KILOBYTE)
                .with("-Xmx16m", "-Xint", "-XX:+UseSerialGC").withCrashes(folder);
        return (withAgent ? child.withAgentPath("") : child).run(Hello.class);
    }
}
