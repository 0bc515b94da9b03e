// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.attach.JvmOption;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.terminal.TimeSpan;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Column;
import dev.threadclock.command.interval.IntervalExport;
import dev.threadclock.command.sample.Sampling;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The top command: shows which threads of a JVM currently use the CPU in user mode and in system mode. */
@Command(
        name = "top",
        description = {
            "Shows which threads of a JVM use the CPU: Java's, the collector's, the compilers', all others.",
            ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Percentages are of one core. WAIT is the time in which a thread was runnable",
            "but had no CPU. The key h lists all keys. After 'threadclock attach PID",
            "virtual=on' virtual threads are shown by group (state V; their time is included",
            "in their carriers').",
            "Examples:",
            "  threadclock top 1234                     live, every 2 seconds",
            "  threadclock top Main --once              one interval as text",
            "  threadclock top Main --once --rows 3 --frames",
            "                                           the busiest three threads, and where",
            "                                           they use the CPU",
            "  threadclock top app.jar -d 10s --csv     a row per thread every 10 seconds,",
            "                                           until stopped",
            "  threadclock top 1234 -d 500ms --duration 1m",
            "                                           twice a second, for a minute",
            "  threadclock top 1234 -n 5 --json --group an object per interval, by pool",
            "Exit status: 0 shown, 1 the JVM could not be sampled, 2 usage error."
        })
public final class TopCommand extends Subcommand {
    private static final int MOST_WITH_FRAMES = 10;
    private static final String MISSED_LOOPS = "This JVM's counted loops have no safepoint poll (Serial or"
            + " Parallel collector, or JDK 8):\n"
            + "the time of such a loop is shown in its caller, unless the JVM runs with\n"
            + "-XX:+UseCountedLoopSafepoints.";

    @Mixin
    private JvmOption.Chosen jvm;

    @Option(names = {"-d", "-i", "--delay", "--interval"}, paramLabel = "TIME", defaultValue = "2s",
            converter = TimeSpan.BetweenSamples.class,
            description = "Time between samples, 100ms to 1h (default: ${DEFAULT-VALUE}).")
    private Duration interval;

    @Option(names = "--duration", paramLabel = "TIME", defaultValue = "0", converter = TimeSpan.class,
            description = "Stop after this time: 60s, 5m, 1h. By default, or with 0: run until stopped.")
    private Duration duration;

    @Option(names = {"-n", "--count"}, paramLabel = "COUNT", description = "Stop after COUNT intervals.")
    private Long count;

    @Option(names = "--rows", paramLabel = "COUNT",
            description = "Show the first COUNT threads or pools of each interval.")
    private Integer rows;

    @Option(names = "--sort", paramLabel = "KEY", defaultValue = "total", converter = Column.Sorting.class,
            completionCandidates = Column.Sorting.class,
            description = "Sort by ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Column sort;

    @Option(names = "--group", description = "Show pools: threads whose names differ only in numbers.")
    private boolean grouped;

    @Option(names = "--filter", paramLabel = "TEXT", defaultValue = "",
            description = "Show only names that contain this text.")
    private String filter;

    @Option(names = "--once", description = "Print one interval and exit; as text unless --json or --csv"
            + " is given.")
    private boolean once;

    @Option(names = "--all", description = "As text: show threads that have not run, too.")
    private boolean all;

    @Option(names = "--frames",
            description = "With --once: show the methods in which each Java thread in the list uses the CPU,"
                    + " of 10 threads unless --rows is given. An interval finds the busiest, and in the next"
                    + " one their top frames are taken up to 40 times, which stops each at a safepoint.")
    private boolean frames;

    @ArgGroup
    private Form form = new Form();

    private static final class Form {
        @Option(names = "--json", description = "Print a JSON object per interval.")
        private boolean json;

        @Option(names = "--csv", description = "Print CSV, a row per thread and interval.")
        private boolean csv;
    }

    @Override
    public Integer call() throws IOException {
        check(duration.isZero() || !once,
                "--once shows one interval, of the length -d; --duration says how long to continue: give"
                        + " only one of the two");
        check(duration.isZero() || duration.compareTo(interval) >= 0,
                "--duration is shorter than one interval; give a longer one, or a shorter --delay (-d)");
        check(count == null || count > 0, "-n takes a number of at least 1");
        check(count == null || !once,
                "--once shows one interval, -n is a number of intervals; --rows " + count
                        + " shows the first "
                        + count + " threads");
        check(rows == null || rows > 0, "--rows takes a number of at least 1");
        check(!frames || once && !form.json && !form.csv && !grouped,
                "--frames needs --once, as text and by thread, without --json, --csv and --group; on the"
                        + " screen, enter shows the frames of a thread");
        check(!(form.csv && grouped),
                "--csv has a row per thread, with its pool; --group needs text or JSON");
        Limit limit = new Limit(once ? 1 : count == null ? Long.MAX_VALUE : count, duration);
        boolean forPrograms = form.json || form.csv;
        boolean live = !once && !forPrograms && Terminal.stdout().watched() && Terminal.hasKeyboard();
        int most = rows != null ? rows : frames ? MOST_WITH_FRAMES : Integer.MAX_VALUE;
        View view = new View(sort, grouped, filter, forPrograms, all || forPrograms || live, most);
        jvm.pid();
        if (live) {
            Sampling first = Sampling.open(jvm, interval);
            boolean ended;
            try (LiveScreen screen = new LiveScreen(view)) {
                ended = !screen.show(first, jvm, limit);
            }
            if (ended) {
                Terminal.stderr().println(name() + ": the JVM has ended");
            }
        } else {
            try (Sampling sampling = Sampling.open(jvm, interval)) {
                print(sampling, view, limit);
            }
        }
        return 0;
    }

    private void check(boolean right, String otherwise) {
        if (!right) {
            throw wrong(otherwise);
        }
    }

    private void print(Sampling sampling, View view, Limit limit) throws IOException {
        Terminal out = Terminal.stdout();
        Iteration.Reader iterations = new Iteration.Reader(sampling);
        if (form.csv) {
            out.println(IntervalExport.CSV_HEAD);
        }
        StackSampler sampler = new StackSampler(sampling);
        if (frames) { // with room for threads that become busy, as one of many alike does
            View candidates = new View(sort, false, filter, false, all,
                    (int) Math.min(Integer.MAX_VALUE,
                            2L * Math.max(MOST_WITH_FRAMES, rows == null ? 0 : rows)));
            Optional<Iteration> first = iterations.next();
            if (first.isPresent()) {
                sampler.sample(candidates.update(first.get().interval()), interval);
            }
        }
        boolean shown = false;
        while (!limit.isReached() && !out.stream().checkError()) {
            Optional<Iteration> iteration = iterations.next();
            if (iteration.isEmpty()) {
                if (!shown) {
                    throw new Failure("the JVM has ended before the first interval did");
                }
                Terminal.stderr().println(name() + ": the JVM has ended");
                return;
            }
            shown = true;
            limit.count(iteration.get().interval());
            view.update(iteration.get().interval());
            // In one print, because each println is a write of its own.
            out.print(lines(sampling, iteration.get(), view, sampler).stream().map(line -> line + "\n")
                    .collect(Collectors.joining()));
            if (frames && Stacks.missLoops(sampling.subject().jdk(), iteration.get().interval())) {
                out.println(MISSED_LOOPS);
            }
        }
    }

    private List<String> lines(Sampling sampling, Iteration iteration, View view, StackSampler sampler)
            throws IOException {
        if (form.json) {
            return List.of(Table.json(sampling.pid(), iteration, view.rows(), grouped));
        }
        return form.csv ? IntervalExport.csv(iteration.interval(), view.rows())
                : Table.lines(sampling.label(), iteration, view,
                        frames ? Optional.of(sampler) : Optional.empty(),
                        Terminal.stdout().watched() ? Terminal.stdout().width() : Integer.MAX_VALUE);
    }

    /**
     * When top ends by itself: after a number of intervals, or after a time by the clock. Not thread-safe.
     */
    static final class Limit {
        private final long most;
        private final long mostNanos;
        private long intervals;
        private long firstNanos; // the beginning of the first interval
        private long lengthNanos;
        private long countedNanos; // of all intervals; samples that were late may come at once

        /** duration: zero if there is no limit. */
        Limit(long most, Duration duration) {
            this.most = most;
            mostNanos = duration.isZero() ? Long.MAX_VALUE : duration.toNanos();
        }

        void count(Interval interval) {
            lengthNanos = interval.nanos();
            countedNanos += lengthNanos;
            if (intervals++ == 0) {
                firstNanos = System.nanoTime() - lengthNanos;
            }
        }

        /**
         * An interval may be slightly longer or shorter than requested, so half an interval more must fit in.
         */
        boolean isReached() {
            long passedNanos = intervals > 0 ? Math.max(countedNanos, System.nanoTime() - firstNanos) : 0;
            return intervals >= most || passedNanos + lengthNanos / 2 >= mostNanos;
        }
    }
}
