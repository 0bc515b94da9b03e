// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.internal.Target;
import java.time.Duration;
import java.util.List;

/**
 * A running HotSpot JVM, 8 or later, on this machine: inspects it from outside, and attaches threadclock to
 * it.
 *
 * <pre>{@code
 * Jvm jvm = Jvm.open(4711);
 * jvm.attach("freshness=now");
 * jvm.status().values().forEach((key, value) -> System.out.println(key + "=" + value));
 * jvm.detach();
 * }</pre>
 *
 * <p>This program keeps its user, its terminal and its files to itself: what touches the JVM is a process
 * that is forked for each request, that has the JVM's user and group and nothing else, and that ends with the
 * request. Programs of root reach every user's JVMs, also in containers; others reach those of their own user
 * and group.
 *
 * <p>Opening a JVM reads {@code /proc} and files that its command line names; the JVM does not notice.
 * {@link #attach}, {@link #status} and {@link #detach} send it requests by HotSpot's attach protocol, and
 * refuse beforehand where a request would do harm. A request waits for the JVM until the time limit passes
 * (10 seconds unless given) or the thread is interrupted. The files that it creates in the JVM's folders are
 * removed before it returns, or when this program ends.
 *
 * <p>A failure is an {@link AttachException}. A request that is refused beforehand changes nothing; one that
 * timed out may still be carried out.
 *
 * <p>Opening forks this program once or twice, a request two or three times; each once more if the JVM was
 * started with other native agents. A fork takes as long as the kernel needs to copy its page tables: a
 * millisecond for 50 MB, half a second for 6 GB in use.
 *
 * <p>An instance is not thread-safe; several instances can be used concurrently, for the same JVM too.
 */
public interface Jvm {
    /**
     * The JVMs that this user may inspect, for root those of all users and in containers too. A JVM is a
     * process that has loaded a {@code libjvm.so}; OpenJ9 is included, though {@link #open} refuses it.
     *
     * @return by ascending process number, without this JVM; empty if there is no {@code /proc}
     */
    static List<RunningJvm> list() {
        return RunningJvm.all();
    }

    /**
     * The JVMs whose main class or jar has this name; if there is none, those in whose main class or jar it
     * occurs.
     *
     * @param name {@code com.example.Main}, {@code Main}, {@code app.jar} or {@code app}
     * @return as {@link #list()}
     */
    static List<RunningJvm> list(String name) {
        return RunningJvm.named(name);
    }

    /**
     * Opens the JVM with this process number, with a time limit of 10 seconds.
     *
     * @param pid its process number, as this process sees it
     * @return the JVM
     * @throws AttachException it is not a HotSpot JVM, is this one, or this user may not inspect it
     */
    static Jvm open(long pid) {
        return open(pid, Duration.ofSeconds(10));
    }

    /**
     * Opens the JVM with this process number.
     *
     * @param pid its process number, as this process sees it
     * @param timeout how long each request waits for the JVM, and how long this call waits for a java process
     *     that was only just started to become one; a millisecond to a day
     * @return the JVM
     * @throws IllegalArgumentException the timeout is shorter or longer
     * @throws AttachException it is not a HotSpot JVM, is this one, or this user may not inspect it
     */
    static Jvm open(long pid, Duration timeout) {
        return new Target((int) Math.max(0, Math.min(pid, Integer.MAX_VALUE)), timeout, warning -> {
        });
    }

    /**
     * Makes threadclock answer the JVM's reads of CPU time: loads the agent if it is not loaded yet, and sets
     * options.
     *
     * @param options as with {@code -agentpath}: {@code "freshness=now,total=interpolated"}, or {@code ""};
     *     one that is omitted stays as it is, or is at its default if the agent is loaded now
     * @return as {@link #status}, afterwards
     * @throws IllegalArgumentException the agent refuses the options, or one is reserved for requests: do,
     *     report, channel or period
     * @throws AttachException the JVM refuses or does not answer in time
     */
    JvmStatus attach(String options);

    /**
     * What threadclock does in the JVM.
     *
     * @return as its agent reports it; without values: threadclock is not loaded there, and no request was
     *     sent
     * @throws AttachException the JVM has ended, refuses or does not answer in time, or its threadclock is of
     *     another version
     */
    JvmStatus status();

    /**
     * Makes the JVM answer its reads itself again, however threadclock was loaded. The library stays loaded,
     * and passes calls on to the JVM.
     *
     * @return false: threadclock is not loaded there, and no request was sent
     * @throws AttachException the JVM has ended, refuses or does not answer in time, or its threadclock is of
     *     another version
     */
    boolean detach();

    /**
     * Its process number, by which it was opened.
     *
     * @return the number as this process sees it
     */
    int pid();

    /**
     * The user that it runs as.
     *
     * @return the number of the effective user
     */
    long uid();

    /**
     * What it runs, without options and arguments.
     *
     * @return {@code "java -jar app.jar"}: one line of at most 100 characters, safe to print
     */
    String command();

    /**
     * How it was started, without the program's own arguments. Values that may be secret are masked: those of
     * the program's system properties and of agents.
     *
     * @return one line of at most 4000 characters, safe to print
     */
    String commandLine();

    /**
     * Which Java it is.
     *
     * @return {@code "17.0.15, OpenJDK 64-Bit Server VM, Debian"}: as much of it as is known
     */
    String jdk();

    /**
     * Which release of Java it is.
     *
     * @return 8, 11, 17, ...; 0: unknown
     */
    int feature();

    /**
     * Whether it takes agents while it runs.
     *
     * @return false: it was started with {@code -XX:+DisableAttachMechanism} or
     *     {@code -XX:-EnableDynamicAgentLoading}
     */
    boolean takesAgents();

    /**
     * The process number and what it runs, for lists and messages.
     *
     * @return {@code "4711 (java -jar app.jar)"}
     */
    @Override
    String toString();
}
