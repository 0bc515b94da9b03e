// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Ending;
import dev.threadclock.tests.child.Proc;
import dev.threadclock.tests.child.Threads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;

/**
 * A JVM may end at any moment while the agent is set up: it ends at once, as it would without the agent, and
 * leaves no hs_err file. {@code -Dthreadclock.endings=N}: the number of moments.
 */
class EndingTest {
    private static final int MOMENTS = Integer.getInteger("threadclock.endings", 6);
    private static final String[] HOW = {"return", "exit", "halt", "TERM"};
    private static final int[] STATUS = {0, 5, 6, 128 + 15};
    private static final int SET_UP_MICROS = 20_000;

    private final Random random = new Random(2);

    @TempDir
    Path folder;

    private ChildJvm child(TestJdk jdk) {
        return ChildJvm.of(jdk).with("-XX:TieredStopAtLevel=1").withCrashes(folder).withDynamicAgents();
    }

    private void assertEnded(Running running, int how) throws IOException {
        Result result = running.end();
        assertThat(ChildJvm.crash(folder)).as(result.toString()).isEmpty();
        // A JVM that is terminated during its start may report that. Then its main thread, which exits with
        // 1, and the signal's thread end it in either order: without an agent too.
        boolean terminated = HOW[how].equals("TERM");
        boolean notStarted = terminated
                && (result.out().contains("Error occurred during initialization of ")
                        || result.out().contains("java.lang.InternalError: Bad level")
                        || result.out().contains("IllegalStateException: Module system already initialized"));
        assertThat(result.exitCode()).as(result.toString()).isIn(STATUS[how], notStarted ? 1 : STATUS[how]);
        assertThat(result.errLines()).as(result.toString())
                .allMatch(line -> line.startsWith("Runtime.exit(143) logging failed")
                        // The JDK's, with any Java agent: JVMTI had ended before the main thread was stopped.
                        || terminated && line.startsWith("*** java.lang.instrument ASSERTION FAILED"));
    }

    /**
     * Repeats the signal if necessary, because the JDK loses a SIGTERM that arrives between Signal.handle's
     * call of the JVM and its registration of the handler.
     */
    private static void terminateAfter(Running running, int micros) throws InterruptedException {
        Thread.sleep(micros / 1000, micros % 1000 * 1000);
        for (int tries = 0; tries < 24 && running.process().isAlive(); tries++) {
            running.process().destroy();
            running.process().waitFor(1, TimeUnit.SECONDS);
        }
    }

    /** SIGTERM at moments that are spread over the start, whose length a first run measures. */
    @OnEachJdk
    void whileItStartsWithTheAgent(TestJdk jdk) throws Exception {
        for (ChildJvm child : List.of(child(jdk).withAgentPath("total=interpolated"),
                child(jdk).withJavaAgent(""))) {
            long began = System.nanoTime();
            assertEnded(child.start(Ending.class, "return", "0"), 0);
            int startMicros = (int) ((System.nanoTime() - began) / 1_000);
            for (int i = 0; i < MOMENTS; i++) {
                int exits = 1 + i % 2;
                assertEnded(child.start(Ending.class, HOW[exits], i * SET_UP_MICROS / MOMENTS), exits);
                Running running = child.start(Ending.class, "TERM", "0");
                terminateAfter(running, startMicros / MOMENTS * i);
                assertEnded(running, 3);
            }
        }
    }

    /**
     * As after SIGTERM during premain: JVMTI is dead, but the JVM has not ended yet. A detached agent already
     * has its environment then.
     */
    @OnEachJdk
    void anAgentLoadedAfterTheJvmsWorkIsSilent(TestJdk jdk) throws Exception {
        ChildJvm child = child(jdk)
                .with("-agentpath:" + CLibrary.assume("company") + "=late=" + Product.LIBRARY);
        Running detached = child.start(Ending.class, "TERM", "0");
        detached.awaitOutput("up");
        AttachChannel channel = new AttachChannel(detached.process(), folder);
        channel.agent(Product.LIBRARY, "do=attach");
        channel.agent(Product.LIBRARY, "do=detach");
        detached.process().destroy();
        for (Result result : List.of(child.run(Ending.class, "return", "0").exits(0),
                detached.end().exits(128 + 15))) {
            assertThat(result.err()).as(result.toString()).isEmpty();
            assertThat(result.out()).as(result.toString()).contains("late: 0");
        }
    }

    /**
     * HotSpot waits 300 ms for daemon threads in native code: none of the agent's is there, whichever way the
     * JVM ends.
     */
    @OnEachJdk
    void noThreadOfTheAgentHoldsTheEnd(TestJdk jdk) throws Exception {
        String company = "-agentpath:" + CLibrary.assume("company") + "=left";
        for (int how : new int[]{0, 2, 3}) {
            Path log = folder.resolve("log" + how);
            ChildJvm child = how != 2 ? child(jdk).withAgentPath("prometheus=0,virtual=off,log=" + log)
                    : child(jdk).withJavaAgent("prometheus=0,log=" + log);
            Path go = folder.resolve("go" + how);
            Running running = child.with(company).withClassPath(Product.JAR).withNativeAccess()
                    .start(Ending.class, HOW[how], go, "key");
            awaitThread(running, "threadc.*(pro|theus)");
            Thread sampling = Threads.daemon("sampling", () -> AttachJvm.command("record",
                    running.process().pid(), "-d", "5m", "-o", folder.resolve("sampled.html")));
            awaitThread(running, "threadclock sam|threadc.*ampler");
            String address = PrometheusTest.address(log);
            running.await("keys", () -> Scrape.of(address).text().contains("by=\"key\""));
            Thread scraping = Threads.daemon("scraping", () -> {
                while (Scrape.answers(address)) {
                    AttachJvm.sleep(1);
                }
            });
            if (HOW[how].equals("TERM")) {
                running.process().destroy();
            } else {
                Files.createFile(go);
            }
            Result result = running.end();
            assertThat(result.out()).as(result.toString()).contains("left: 0");
            result.exits(STATUS[how]);
            sampling.join();
            scraping.join();
        }
    }

    private static void awaitThread(Running running, String name) {
        running.await(name, () -> Proc.threads(running.process().pid()).stream()
                .anyMatch(each -> each.matches(name)));
    }

    @OnEachJdk
    void whileTheAgentIsAttached(TestJdk jdk) throws Exception {
        for (int i = 0; i < MOMENTS; i++) {
            int how = 1 + i % (HOW.length - 1);
            boolean term = HOW[how].equals("TERM");
            // The listener is started first; then everything happens at about the same time.
            Running running = child(jdk).start(Ending.class, HOW[how], 300_000 + random.nextInt(60_000));
            while (Files.size(running.out()) == 0 && running.process().isAlive()) {
                AttachJvm.sleep(1);
            }
            long began = System.nanoTime();
            final AttachChannel channel;
            try {
                channel = new AttachChannel(running.process(), folder);
            } catch (IOException e) { // On a loaded machine it may have ended before it listens.
                assertThat(running.process().waitFor(60, TimeUnit.SECONDS)).as("%s: %s", e, running.state())
                        .isTrue();
                assertEnded(running, how);
                continue;
            }
            Thread attaching = new Thread(() -> {
                try {
                    while (running.process().isAlive()) {
                        channel.agent(Product.LIBRARY, "do=attach,total=tick");
                        channel.agent(Product.LIBRARY, "do=detach");
                    }
                } catch (IOException e) {
                    // It has ended.
                }
            });
            while (!term && System.nanoTime() - began < 290_000_000) {
                AttachJvm.sleep(1);
            }
            attaching.start();
            if (term) {
                terminateAfter(running, random.nextInt(SET_UP_MICROS));
            }
            assertEnded(running, how);
            attaching.join();
        }
    }
}
