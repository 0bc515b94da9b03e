// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Storm;
import dev.threadclock.tests.child.StormState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One JVM that runs the program {@link Storm}, and what is done to it: cycles of attach, change of options
 * and detach, or an action of the test.
 */
final class StormRun {
    /**
     * With -Xcheck:jni a JVM reports signals that were ignored when it was started, for example by nohup or
     * in a shell's background.
     */
    private static final Pattern OF_SIGNALS = Pattern
            .compile("Warning: SIG.*|Signal Handlers:|SIG[A-Z0-9]+: .*|Running in non-interactive shell.*");

    /**
     * JDK 11 may crash by itself, without any agent, if a thread is looked up by an id and ends during
     * garbage collection: ThreadsList::find_JavaThread_from_java_tid waits for a lock after finding it, and
     * then continues through a list of threads whose objects the collector has moved meanwhile
     * (docs/reliability.md). If the heap does not shrink, it only reads stale memory there, whose content it
     * does not use.
     */
    private static final String HEAP_THAT_STAYS = "-Xms256m";

    private static final long LONGEST_START_NANOS = 300_000_000_000L;
    private static final long LONGEST_ANSWER_NANOS = 60_000_000_000L;
    /** Printed with -Xcheck:jni even without an agent. */
    private static final String OF_JDK_8_ITSELF = "WARNING in native method: JNI call made without checking"
            + " exceptions when required to from CallStaticObjectMethod";
    private static final String[] REACH = {"bean", "jvm"};
    private static final String[] FRESHNESS = {"tick", "now"};
    private static final String[] TOTAL = {"jvm", "tick", "now", "interpolated"};

    private final TestJdk jdk;
    private final Path folder;
    private final ChildJvm child;
    private final StormState state;
    private final Random random = new Random(1);
    private long restMillis;
    /** What is read: ThreadMXBean, or the Java library as well. */
    private String reads = "bean";
    private Running running;
    private AttachChannel channel;
    private long began;
    private long ended;
    private long cycles;
    /** The implementation that answers total time. */
    private String total = "jvm";

    /** What happens while the program runs. Throws an IOException if the JVM did not carry out a request. */
    interface Action {
        void run(StormRun storm) throws IOException, InterruptedException;
    }

    StormRun(TestJdk jdk, Path folder) throws IOException {
        this.jdk = jdk;
        this.folder = Files.createTempDirectory(folder, "storm-");
        state = new StormState(page());
        // Without the agent, user times may be wrong; on JDK 21 they are (JDK-8372704).
        state.user.mayDecrease(true);
        child = ChildJvm.of(jdk).withCrashes(this.folder).withNativeAccess().withClassPath(Product.JAR)
                .withinAtLeast(Duration.ofHours(3)).withDynamicAgents();
        if (jdk.feature() == 11) {
            child.with(HEAP_THAT_STAYS);
        }
    }

    private String page() {
        return folder.resolve("state").toString();
    }

    StormRun with(Object... flags) {
        child.with(flags);
        return this;
    }

    /** The JVM has the agent from the start, and the Java library is read as well. */
    StormRun withAgentPath(String options) {
        reads = "library";
        child.withAgentPath(options);
        state.user.mayDecrease(false);
        state.nextAttached();
        return this;
    }

    /** Makes it milder than a storm: threads rest between two rounds. */
    StormRun withRest(long millis) {
        restMillis = millis;
        return this;
    }

    Outcome run(Action action) throws InterruptedException, IOException {
        running = child.start(Storm.class, page(), restMillis, reads);
        String problem = "none";
        try {
            try {
                awaitWork();
                began = System.nanoTime();
                action.run(this);
            } catch (IOException e) {
                problem = e.toString();
                // Gives a crashing JVM the time to write its report.
                running.process().waitFor(10, java.util.concurrent.TimeUnit.SECONDS);
                running.process().destroyForcibly();
            }
            state.end();
            ended = System.nanoTime();
            return new Outcome(running.end(), problem, ChildJvm.crash(folder));
        } finally {
            running.process().destroyForcibly(); // if the action has failed or was interrupted
        }
    }

    private void awaitWork() throws IOException {
        for (long waiting = System.nanoTime(); state.reads() == 0; AttachJvm.sleep(5)) {
            if (!running.process().isAlive() || System.nanoTime() - waiting > LONGEST_START_NANOS) {
                throw new IOException("the JVM has not come to work: " + running.state());
            }
        }
    }

    Process process() {
        return running.process();
    }

    /** Connects to the JVM's attach socket; starts its listener. */
    AttachChannel channel() throws IOException, InterruptedException {
        if (channel == null) {
            channel = new AttachChannel(running.process(), folder);
        }
        return channel;
    }

    long reads() {
        return state.reads();
    }

    /** The number of cycles and seconds as text. */
    String cycles() {
        return cycles + " cycles in " + (ended - began) / 1_000_000_000 + " s";
    }

    /** Runs this many cycles, or, if count is 0, runs for this many seconds. */
    static Action cycles(long count, long seconds) {
        return storm -> {
            while (count > 0 ? storm.cycles < count
                    : System.nanoTime() - storm.began < seconds * 1_000_000_000) {
                storm.attach(true);
                storm.pause();
                storm.attach(false);
                storm.pause();
                storm.detach();
                storm.pause();
                storm.cycles++;
            }
        };
    }

    /** Changes nothing, so that there are only reads. */
    static Action rest(long millis) {
        return storm -> AttachJvm.sleep(millis);
    }

    /** Sometimes does not pause, and sometimes pauses long enough for reads over a tick or two. */
    private void pause() {
        int kind = random.nextInt(4);
        if (kind < 2) {
            AttachJvm.sleep(kind == 0 ? 1 : random.nextInt(12));
        }
    }

    void attach(boolean first) throws IOException, InterruptedException {
        String next = TOTAL[random.nextInt(TOTAL.length)];
        // Only the JVM's own answers may exceed the next: they differ in resolution or age, or are wrong.
        boolean totalMayDecrease = total.equals("jvm") && !next.equals("jvm");
        state.user.mayDecrease(first || state.user.mayDecrease());
        state.total.mayDecrease(totalMayDecrease);
        ask("do=attach,freshness=" + FRESHNESS[random.nextInt(FRESHNESS.length)] + ",total=" + next
                + ",reach=" + REACH[random.nextInt(REACH.length)]);
        state.user.mayDecrease(false);
        state.total.mayDecrease(false);
        total = next;
        if (first) {
            state.nextAttached();
        }
    }

    void detach() throws IOException, InterruptedException {
        state.nextAttached();
        ask("do=detach");
        total = "jvm";
    }

    private void ask(String options) throws IOException, InterruptedException {
        long before = System.nanoTime();
        String report = channel().agent(Product.LIBRARY, options);
        if (!report.startsWith("ok\n")) {
            throw new IOException("\"" + report.strip() + "\" to " + options + " in cycle " + cycles);
        }
        if (System.nanoTime() - before > LONGEST_ANSWER_NANOS) {
            throw new IOException("no answer to " + options + " within a minute in cycle " + cycles);
        }
    }

    record Outcome(Result result, String problem, String crash) {
        boolean crashed() {
            return !crash.isEmpty() || !problem.equals("none");
        }

        /** For a line of results. */
        String line() {
            String said = result.out().lines()
                    .filter(line -> line.startsWith("reads=") || line.startsWith("violation="))
                    .collect(Collectors.joining("; "));
            return crashed() ? "crashed or refused: " + problem : said;
        }

        /** There was no crash and no wrong answer. The test judges the JVM's other output. */
        Outcome assertFine() {
            String all = line() + "\n" + result;
            assertThat(crash).as(all).isEmpty();
            assertThat(problem).as(all).isEqualTo("none");
            assertThat(result.exitCode()).as(all).isZero();
            result.assertNumber("violations").as(all).isZero();
            result.assertNumber("reads").as(all).isPositive();
            return this;
        }

        /** There was nothing on stderr, and only the program's line on stdout. */
        Outcome assertSilent() {
            result.ok();
            assertThat(result.out().lines()
                    .filter(line -> !line.equals(OF_JDK_8_ITSELF) && !OF_SIGNALS.matcher(line).matches()))
                    .as(result.toString()).hasSize(1);
            return this;
        }
    }
}
