// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.ProcMaps.Mapped;
import dev.threadclock.attach.internal.Printable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * A running HotSpot JVM, 8 or later, on this machine: inspects it from outside, and attaches threadclock to
 * it.
 *
 * <pre>{@code
 * try (Jvm jvm = Jvm.open(4711)) {
 *     jvm.attach("freshness=now");
 *     jvm.status().forEach((key, value) -> System.out.println(key + "=" + value));
 *     jvm.detach();
 * }
 * }</pre>
 *
 * <p>Opening and inspecting a JVM only reads {@code /proc} and its files; the JVM does not notice.
 * {@link #attach}, {@link #status}, {@link #detach}, {@link #sample} and {@link #recording} send it requests
 * by HotSpot's attach protocol, and refuse beforehand where a request would do harm. This program must run as
 * the JVM's user and group.
 *
 * <p>A request waits for the JVM until the time limit passes (10 seconds unless given) or the thread is
 * interrupted. It creates files in the JVM's folders, and removes them before it returns, or when this
 * program exits. While this program shuts down, for example in a shutdown hook, requests fail.
 *
 * <p>A failure is an {@link AttachException}. A request that is refused beforehand changes nothing; one that
 * timed out may still be carried out.
 *
 * <p>An instance is not thread-safe; several instances can be used concurrently, for the same JVM too.
 */
public final class Jvm implements Closeable {
    /** Options of the requests themselves. */
    private static final Pattern INTERNAL = Pattern.compile("(^|,)(do|report|channel|period)(=|,|$)");

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

    private final Target target;
    private final Duration timeout;
    private final Consumer<String> warnings;
    private final JvmFacts facts;

    private Jvm(int pid, Duration timeout, boolean mayBecomeItsUser, Consumer<String> warnings) {
        if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw new IllegalArgumentException("a time limit is a millisecond to a day, not " + timeout);
        }
        target = Target.of(pid, new Deadline(timeout), mayBecomeItsUser);
        this.timeout = timeout;
        this.warnings = warnings;
        facts = target.facts();
    }

    /**
     * Opens the JVM with this process number, with a time limit of 10 seconds.
     *
     * @param pid its process number, as this process sees it
     * @return the JVM, which the caller must close
     * @throws AttachException it is not a HotSpot JVM, is this one, or this user may not inspect it
     */
    public static Jvm open(int pid) {
        return open(pid, DEFAULT_TIMEOUT);
    }

    /**
     * Opens the JVM with this process number.
     *
     * @param pid its process number, as this process sees it
     * @param timeout how long each request waits for the JVM, and how long this call waits for a java process
     *     that was only just started to become one; a millisecond to a day
     * @return the JVM, which the caller must close
     * @throws IllegalArgumentException the timeout is shorter or longer
     * @throws AttachException it is not a HotSpot JVM, is this one, or this user may not inspect it
     */
    public static Jvm open(int pid, Duration timeout) {
        return new Jvm(pid, timeout, false, warning -> {
        });
    }

    /**
     * Opens the JVM with this process number, and lets root reach another user's JVM. A JVM answers only its
     * own user, so at the first request this process <em>becomes that user for good</em>. From then on it
     * ignores SIGQUIT. For programs that do nothing else, such as the command line.
     *
     * @param pid its process number, as this process sees it
     * @param timeout as for {@link #open(int, Duration)}
     * @param warnings receives a sentence before each request that will or may make the JVM print a warning
     * @return the JVM, which the caller must close
     * @throws IllegalArgumentException as {@link #open(int, Duration)}
     * @throws AttachException it is not a HotSpot JVM, is this one, or this user may not inspect it
     */
    public static Jvm openToBecomeItsUser(int pid, Duration timeout, Consumer<String> warnings) {
        return new Jvm(pid, timeout, true, warnings);
    }

    /**
     * Makes threadclock answer the JVM's reads of CPU time: loads the agent if it is not loaded yet, and sets
     * all its options.
     *
     * @param options as with {@code -javaagent}: {@code "freshness=now,total=interpolated"}, or {@code ""};
     *     an option that is omitted gets its default
     * @return the agent's answer, for example {@code prometheus}: the address at which it serves metrics;
     *     often empty
     * @throws IllegalArgumentException as {@link #checkOptions}
     * @throws AttachException the JVM refuses or does not answer in time, or the agent refuses the options
     */
    public Map<String, String> attach(String options) {
        checkOptions(options);
        return reach(call -> call.make("attach", options).values());
    }

    /**
     * Checks what {@link #attach} checks before it reaches the JVM; the agent checks the rest.
     *
     * @param options for {@link #attach}
     * @throws IllegalArgumentException they contain one that is reserved for requests: do, report, channel or
     *     period
     */
    public static void checkOptions(String options) {
        if (INTERNAL.matcher(options).find()) {
            throw new IllegalArgumentException(
                    "the options do=, report=, channel= and period= are not for users: "
                            + Printable.line(options, 200));
        }
    }

    /**
     * What the agent in the JVM reports: the keys and values of {@code threadclock status}, for example
     * {@code version}, {@code bound.METHOD}, {@code freshness} and {@code user.source}.
     *
     * @return in the order of the report; empty: threadclock is not loaded there, and no request was sent
     * @throws AttachException the JVM has ended, refuses or does not answer in time, or its threadclock is of
     *     another version
     */
    public Map<String, String> status() {
        target.lookAgain();
        return hasThreadclock() ? reach(call -> call.make("status", "").values()) : Map.of();
    }

    /**
     * Whether threadclock answers a JVM's reads.
     *
     * @param report the JVM's {@link #status}
     * @return false: it is detached, or not loaded
     */
    public static boolean isActive(Map<String, String> report) {
        return new AgentReport(Optional.empty(), report).active();
    }

    /**
     * Makes the JVM answer its reads itself again, however threadclock was loaded. The library stays loaded,
     * and passes calls on to the JVM.
     *
     * @return false: threadclock is not loaded there, and no request was sent
     * @throws AttachException the JVM has ended, refuses or does not answer in time, or its threadclock is of
     *     another version
     */
    public boolean detach() {
        target.lookAgain();
        boolean loaded = hasThreadclock();
        if (loaded) {
            reach(call -> {
                call.detach();
                return null;
            });
        }
        return loaded;
    }

    /**
     * Makes the agent in the JVM send the samples that {@code threadclock top} reads, until the socket is
     * closed. Their format is not an API: it changes from version to version.
     *
     * @param period the time from one sample to the next, in whole milliseconds
     * @return the socket, which the caller must close
     * @throws AttachException as {@link #attach}
     */
    public SocketChannel sample(Duration period) {
        return reach(call -> call.sample(period));
    }

    /**
     * A recording of the JVM's own Flight Recorder, not started yet.
     *
     * @return the recording, which the caller must close before this JVM
     * @throws AttachException the JVM has ended, refuses requests, or is not ready for them in time
     */
    public JvmRecording recording() {
        return new JvmRecording(target, timeout);
    }

    private interface Request<T> {
        T of(AgentCall call) throws IOException;
    }

    private <T> T reach(Request<T> request) {
        target.lookAgain();
        try (AgentCall call = new AgentCall(target, new Deadline(timeout))) {
            call.warning().ifPresent(warnings);
            return request.of(call);
        } catch (IOException e) {
            throw target.process().failure("cannot use the folders of the JVM " + target.label(), e);
        }
    }

    /**
     * Its process number, by which it was opened.
     *
     * @return the number as this process sees it
     */
    public int pid() {
        return target.process().pid();
    }

    /**
     * Its process number in its own PID namespace: a different one if it is in a container.
     *
     * @return the number as the JVM sees it
     */
    public int namespacePid() {
        return target.status().namespacePid();
    }

    /**
     * The user that it runs as.
     *
     * @return the number of the effective user, an unsigned int
     */
    public int uid() {
        return target.status().uid();
    }

    /**
     * What it runs, without options and arguments.
     *
     * @return {@code "java -jar app.jar"}: one line of at most 100 characters, safe to print
     */
    public String command() {
        return target.command().toString();
    }

    /**
     * How it was started, without the program's own arguments. Values that may be secret are masked: those of
     * the program's system properties and of agents.
     *
     * @return one line of at most 4000 characters, safe to print
     */
    public String commandLine() {
        return target.command().masked();
    }

    /**
     * Which Java it is.
     *
     * @return {@code "17.0.15, OpenJDK 64-Bit Server VM, Debian"}: as much of it as is known
     */
    public String jdk() {
        return facts.jdk();
    }

    /**
     * Which release of Java it is.
     *
     * @return 8, 11, 17, ...; 0: unknown
     */
    public int feature() {
        return facts.feature();
    }

    /**
     * The file of its {@code libjvm.so}.
     *
     * @return its path in this process's file system
     * @throws IOException the path leads to a different file or none: the JVM is in a container, or its JDK
     *     was replaced or removed
     */
    public Path jvmFile() throws IOException {
        Mapped jvm = target.maps().jvm()
                .orElseThrow(() -> new IOException("it has no libjvm.so mapped any more"));
        Path here = Path.of(jvm.path());
        if (jvm.deleted()) {
            throw new IOException("its JDK was removed or replaced since it started: " + here);
        }
        // The kernel shows us the path from our root; in a chroot, that of the process lies further down.
        Path there = Path.of("/proc/" + pid() + "/root" + target.root().inside(jvm.path()));
        if (!Files.exists(here) || !Files.isSameFile(here, there)) {
            throw new IOException("its JDK is in a file system of its own (a container)");
        }
        return here;
    }

    /**
     * Whether it answers requests.
     *
     * @return false: it was started with {@code -XX:+DisableAttachMechanism}
     */
    public boolean attachable() {
        return facts.attachable();
    }

    /**
     * Whether it takes agents while it runs.
     *
     * @return false: {@link #refusal()} names the option that forbids it
     */
    public boolean takesAgents() {
        return attachable() && dynamicLoading().orElse(true);
    }

    /**
     * The option that makes this JVM refuse agents. Meaningless if it {@linkplain #takesAgents takes them}.
     *
     * @return {@code -XX:+DisableAttachMechanism} or {@code -XX:-EnableDynamicAgentLoading}
     */
    public String refusal() {
        return attachable() ? "-XX:-EnableDynamicAgentLoading" : "-XX:+DisableAttachMechanism";
    }

    /**
     * The value of {@code EnableDynamicAgentLoading}.
     *
     * @return empty: the option was not given
     */
    public Optional<Boolean> dynamicLoading() {
        return facts.options().flag("EnableDynamicAgentLoading");
    }

    /**
     * Whether it prints a warning of its own when an agent is loaded while it runs (JEP 451).
     *
     * @return true on JDK 21 and later, unless {@code EnableDynamicAgentLoading} was given
     */
    public boolean warns() {
        return facts.warns();
    }

    /**
     * Whether it handled SIGQUIT when it was opened. That signal makes it listen for requests.
     *
     * @return false: the signal would end it ({@code -Xrs}, or it is still starting), and is not sent
     */
    public boolean handlesQuit() {
        return target.status().handlesQuit();
    }

    /**
     * Whether threadclock was loaded in it when it was opened, or when {@link #attach}, {@link #status}
     * or {@link #detach} was last called: false after the first attach, until the next call.
     *
     * @return true even if threadclock is detached: see {@link #isActive}
     */
    public boolean hasThreadclock() {
        return target.hasThreadclock();
    }

    @Override
    public void close() {
        target.close();
    }

    /**
     * The process number and what it runs, for lists and messages.
     *
     * @return {@code "4711 (java -jar app.jar)"}
     */
    @Override
    public String toString() {
        return target.label();
    }
}
