// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.node;

import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.internal.Printable;
import dev.threadclock.attach.internal.Target;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Attaches to the JVMs that the user has chosen, in a thread of its own, one after the other: a JVM that does
 * not answer delays only other attaches.
 */
class Attacher {
    private static final Pattern CHOICE = Pattern.compile("(pid|user|main|container_id|pod_uid)=.+");
    private static final Pattern EFFECTIVE_USER = Pattern.compile("(?m)^Uid:\\s+\\d+\\s+(\\d+)");
    private static final Pattern MAY_PASS = Pattern.compile("try again|is stopped|is frozen");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_WAITING = 250; // NODE_JVMS_MAX
    private static final int LONGEST_REASON = 1000;

    /** A JVM, as node knows it; how often attaching has failed; and when it is due, by System.nanoTime. */
    record Chosen(int pid, long start, int failures, long dueNanos) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.signum(dueNanos - ((Chosen) other).dueNanos);
        }
    }

    /** Hands over a connection: 0, or a negative error number. */
    interface Receiver {
        int attached(int pid, long start, int connection);
    }

    /** After failures that may pass. */
    List<Duration> pauses = List.of(Duration.ofSeconds(10), Duration.ofMinutes(1));
    private final List<Pattern> choices;
    private final String options;
    private final Receiver receiver;
    private final Consumer<String> log;
    private final DelayQueue<Chosen> waiting = new DelayQueue<>();
    private final Set<String> missing; // choices of a PID that no JVM has had yet
    private boolean isStarted; // of the thread that looks for JVMs

    /**
     * @param choices LABEL=PATTERN
     * @param options of the agent
     * @throws IllegalArgumentException one of them is wrong
     */
    Attacher(List<String> choices, String options, Receiver receiver, Consumer<String> log) {
        Target.checkOptions(options);
        this.choices = choices.stream().map(Attacher::pattern).toList();
        this.missing = choices.stream().filter(choice -> choice.matches("pid=\\d+"))
                .collect(Collectors.toCollection(LinkedHashSet::new));
        this.options = options;
        this.receiver = receiver;
        this.log = log;
    }

    /** Call it once the JVMs that run now have been found: later ones may have the same PIDs. */
    void start() {
        isStarted = true;
        missing.forEach(choice -> log.accept("--attach " + choice
                + ": node has found no JVM with this PID; give the PID that it has in node's PID namespace,"
                + " and restart node"));
        Thread thread = new Thread(this::attachAll, "attacher");
        thread.setDaemon(true);
        thread.start();
    }

    /** Of the label with its value. Matches in linear time: a JVM can have any name. */
    private static Pattern pattern(String choice) {
        if (!CHOICE.matcher(choice).matches()) {
            throw new IllegalArgumentException("--attach takes pid=, user=, main=, container_id= or pod_uid="
                    + " with a value, in which * stands for any characters; not '" + choice + "'");
        }
        String[] parts = withUserNumber(choice).split("\\*", -1);
        int last = parts.length - 1;
        return Pattern.compile("(?s)" + Pattern.quote(parts[0]) + IntStream.range(1, last)
                .mapToObj(i -> "(?>.*?" + Pattern.quote(parts[i]) + ")").collect(Collectors.joining())
                + (last > 0 ? ".*" + Pattern.quote(parts[last]) : ""));
    }

    private static String withUserNumber(String choice) {
        if (!choice.startsWith("user=") || choice.matches("user=\\d+")) {
            return choice;
        }
        try (Stream<String> users = Files.lines(Path.of("/etc/passwd"), StandardCharsets.ISO_8859_1)) {
            return "user="
                    + users.map(line -> line.split(":")).filter(user -> choice.equals("user=" + user[0]))
                            .map(user -> user[2]).findFirst().orElseThrow();
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("--attach " + choice + ": /etc/passwd has no such user; give"
                    + " the number", e);
        }
    }

    /**
     * Attaches soon if the user has chosen this new JVM.
     *
     * @param labels as NodeLabels.of
     * @param status as /proc/PID/status
     */
    boolean attachIfChosen(int pid, long start, String[] labels, byte[] status) {
        missing.remove("pid=" + pid);
        Matcher user = EFFECTIVE_USER.matcher(new String(status, StandardCharsets.ISO_8859_1));
        Stream<String> values = Stream.of("pid=" + (isStarted ? "" : pid),
                "user=" + (user.find() ? user.group(1) : ""),
                "main=" + labels[0], "container_id=" + labels[1], "pod_uid=" + labels[2]);
        boolean isChosen = pid != ProcessHandle.current().pid()
                && values.filter(value -> !value.matches("[a-z_]+=")).anyMatch(
                        value -> choices.stream().anyMatch(choice -> choice.matcher(value).matches()));
        if (isChosen) {
            enqueue(new Chosen(pid, start, 0, System.nanoTime()));
        }
        return isChosen;
    }

    private void enqueue(Chosen jvm) {
        if (waiting.size() < MOST_WAITING) {
            waiting.add(jvm);
        } else {
            failed(jvm,
                    new AttachException(MOST_WAITING + " others are to be attached to first; restart node"));
        }
    }

    private void attachAll() {
        while (true) {
            Chosen jvm;
            try {
                jvm = waiting.take();
            } catch (InterruptedException e) {
                return;
            }
            try {
                attach(jvm);
            } catch (Throwable e) {
                failed(jvm, e);
            }
        }
    }

    /** Does not fail itself. */
    private void failed(Chosen jvm, Throwable failure) {
        try {
            String reason = Objects.requireNonNullElse(failure.getMessage(), failure.toString());
            boolean again = MAY_PASS.matcher(reason).find() && jvm.failures < pauses.size();
            Duration pause = again ? pauses.get(jvm.failures) : Duration.ZERO;
            if (again) {
                waiting.add(new Chosen(jvm.pid, jvm.start, jvm.failures + 1,
                        System.nanoTime() + pause.toNanos()));
            }
            log.accept("process " + jvm.pid + " is not attached to: " + Printable.line(reason, LONGEST_REASON)
                    + (again ? " (node tries again in " + pause.toSeconds() + " s)" : ""));
        } catch (Throwable e) {
            // The others are attached to all the same.
        }
    }

    /** Tests replace it. */
    void attach(Chosen jvm) {
        Target target = new Target(jvm.pid, TIMEOUT, warning -> {
        });
        if (target.startTime() != jvm.start) {
            throw new AttachException("it has ended, and another process has its number");
        }
        target.attach(options);
        int error = receiver.attached(jvm.pid, jvm.start, account(target));
        if (error != 0) {
            throw new AttachException("it has ended, or node has no memory for it");
        }
    }

    private static int account(Target target) {
        try {
            return target.account();
        } catch (AttachException | IllegalArgumentException e) { // the latter: it does not know this request
            throw new AttachException((e instanceof AttachException ? e.getMessage()
                    : "its threadclock is of another version; restart that JVM")
                    + "; the agent stays attached");
        }
    }
}
