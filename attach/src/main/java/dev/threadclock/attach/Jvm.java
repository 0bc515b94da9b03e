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
 * A running HotSpot JVM, 8 or later, on this machine: what can be seen of it from outside, and threadclock in
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
 * <p>Opening it and looking at it reads {@code /proc} and the JVM's files; the JVM does not notice. Only
 * {@link #attach}, {@link #status} and {@link #detach} reach it, by HotSpot's attach protocol, and only where
 * that does no harm: all else is refused beforehand. They work in a program of the JVM's own user and group.
 * Each waits for the JVM as long as the time limit says, 10 seconds unless given; what it has put into the
 * JVM's folders for a moment is gone when it returns, and also when this program ends meanwhile, in which
 * they begin nothing more: they fail in a shutdown hook.
 *
 * <p>What fails is an {@link AttachException}, and changes nothing. An instance is for one thread at a time;
 * different ones do not affect each other. An interrupt ends the waiting as the time limit does.
 */
public final class Jvm implements Closeable {
    /** Options that go to the agent with each request. */
    private static final Pattern OURS = Pattern.compile("(^|,)(do|report|channel|period)(=|,|$)");

    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(10);

    private final Target target;
    private final Duration timeout;
    private final Consumer<String> warnings;
    private final JvmFacts facts;

    private Jvm(Target target, Duration timeout, Consumer<String> warnings) {
        this.target = target;
        this.timeout = timeout;
        this.warnings = warnings;
        facts = target.facts();
    }

    /**
     * Opens the JVM with this process number, with a time limit of 10 seconds.
     *
     * @param pid its process number, as this process sees it
     * @return to be closed
     * @throws AttachException it is not a HotSpot JVM, is this one, or this user may not look into it
     */
    public static Jvm open(int pid) {
        return open(pid, USUAL_TIMEOUT);
    }

    /**
     * Opens the JVM with this process number.
     *
     * @param pid its process number, as this process sees it
     * @param timeout how long to wait for an answer of the JVM, and, if it was only just started, for it to
     *     be one: from a millisecond on
     * @return to be closed
     * @throws AttachException it is not a HotSpot JVM, is this one, or this user may not look into it
     */
    public static Jvm open(int pid, Duration timeout) {
        return new Jvm(Target.of(pid, new Deadline(timeout), false), timeout, warning -> {
        });
    }

    /**
     * For a program that does nothing else, as the command line: a JVM answers its own user only, and run by
     * root this process <em>becomes that user for good</em>, and ignores SIGQUIT, when it reaches another
     * user's JVM.
     *
     * @param pid its process number, as this process sees it
     * @param timeout as for {@link #open(int, Duration)}
     * @param warnings takes a sentence each time before the JVM is made to print a warning of its own
     * @return to be closed
     * @throws AttachException it is not a HotSpot JVM, is this one, or this user may not look into it
     */
    public static Jvm openToBecomeItsUser(int pid, Duration timeout, Consumer<String> warnings) {
        return new Jvm(Target.of(pid, new Deadline(timeout), true), timeout, warnings);
    }

    /**
     * Makes threadclock answer in it: loads the agent if it is not loaded yet, and sets its options.
     *
     * @param options as with {@code -javaagent}: {@code "freshness=now,total=interpolated"}, or {@code ""};
     *     what is not named has its default
     * @return what there is to say: {@code prometheus}, the address at which it serves metrics, and so on;
     *     mostly nothing
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
     * @throws IllegalArgumentException they have one of those with which the agent is asked for something
     *     else: do, report, channel or period
     */
    public static void checkOptions(String options) {
        if (OURS.matcher(options).find()) {
            throw new IllegalArgumentException(
                    "the options do=, report=, channel= and period= are not for users: "
                            + Printable.line(options, 200));
        }
    }

    /**
     * What the agent in it reports: the keys and values of {@code threadclock status}, among them
     * {@code version}, {@code bound.METHOD}, {@code freshness} and {@code user.source}.
     *
     * @return in the order of the report; empty: threadclock is not loaded in it, and it was not asked
     * @throws AttachException the JVM does not answer in time, or its threadclock is of another version
     */
    public Map<String, String> status() {
        target.lookAgain();
        return hasThreadclock() ? reach(call -> call.make("status", "").values()) : Map.of();
    }

    /**
     * Whether threadclock answers in a JVM.
     *
     * @param report of {@link #status}
     * @return false: it is switched off, or not loaded
     */
    public static boolean isActive(Map<String, String> report) {
        return new AgentReport(Optional.empty(), report).active();
    }

    /**
     * Gives the JVM its own methods back, however threadclock came into it. The library stays loaded, and
     * passes calls on.
     *
     * @return false: threadclock is not loaded in it, and nothing was done
     * @throws AttachException the JVM does not answer in time, or its threadclock is of another version
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
     * The samples that {@code threadclock top} reads: the agent in the JVM sends them until the socket is
     * closed. Their form changes from version to version.
     *
     * @param period from one sample to the next
     * @return to be closed
     * @throws AttachException as {@link #attach}
     */
    public SocketChannel sample(Duration period) {
        return reach(call -> call.sample(period));
    }

    /**
     * A recording of the JVM's own Flight Recorder, not started yet.
     *
     * @return to be closed, before this
     * @throws AttachException the JVM would not answer
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
     * The number by which it was opened.
     *
     * @return the process number, as this process sees it
     */
    public int pid() {
        return target.process().pid();
    }

    /**
     * Its own process number, which is another one if it is in a PID namespace, as in a container.
     *
     * @return the process number, as the JVM sees it
     */
    public int namespacePid() {
        return target.status().namespacePid();
    }

    /**
     * Whom it runs as.
     *
     * @return the number of its effective user, as an unsigned int
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
     * @return by its path in our file system
     * @throws IOException that path is a different file or none: it is in a container, or was replaced
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
     * Whether it was started without {@code -XX:+DisableAttachMechanism}.
     *
     * @return false: it answers no request
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
     * The option with which a JVM refuses agents.
     *
     * @return of the two that do, the one that this JVM has if it does not take agents
     */
    public String refusal() {
        return attachable() ? "-XX:-EnableDynamicAgentLoading" : "-XX:+DisableAttachMechanism";
    }

    /**
     * The value of {@code EnableDynamicAgentLoading}.
     *
     * @return empty: not given at its start
     */
    public Optional<Boolean> dynamicLoading() {
        return facts.options().flag("EnableDynamicAgentLoading");
    }

    /**
     * Whether it prints a warning of its own when an agent is loaded while it runs (JEP 451).
     *
     * @return true: on JDK 21 and later, unless {@code EnableDynamicAgentLoading} is given
     */
    public boolean warns() {
        return facts.warns();
    }

    /**
     * Whether it handles SIGQUIT, by which it is asked to listen for requests.
     *
     * @return false: the signal would end it ({@code -Xrs}, or it is still starting), and is not sent
     */
    public boolean handlesQuit() {
        return target.status().handlesQuit();
    }

    /**
     * Whether threadclock is loaded in it, active or not: when it was opened, or reached for the last time.
     *
     * @return {@link #isActive} of {@link #status} tells whether it answers
     */
    public boolean hasThreadclock() {
        return target.hasThreadclock();
    }

    @Override
    public void close() {
        target.close();
    }

    /**
     * For lists and messages.
     *
     * @return {@code "4711 (java -jar app.jar)"}
     */
    @Override
    public String toString() {
        return target.label();
    }
}
