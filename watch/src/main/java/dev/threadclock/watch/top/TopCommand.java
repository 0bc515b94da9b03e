// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import dev.threadclock.attach.JvmChoice;
import dev.threadclock.terminal.Subcommand;
import dev.threadclock.terminal.Terminal;
import dev.threadclock.terminal.TimeSpan;
import dev.threadclock.watch.interval.IntervalCsv;
import dev.threadclock.watch.interval.Use;
import dev.threadclock.watch.sample.Sampling;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The top command: which threads of a JVM currently use the CPU, in user and in system mode. */
@Command(
        name = "top",
        description = {
            "Shows which threads of a JVM use the CPU: Java's, the collector's, the compilers', all others.",
            ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Percent are of one core; WAIT is time without a CPU that the thread wanted.",
            "Keys: h shows them. Virtual threads are shown by group (state V, time that is",
            "also their carriers') once 'threadclock attach PID virtual=on' makes the JVM",
            "account for them.",
            "Examples:",
            "  threadclock top 1234                     live, every 2 seconds",
            "  threadclock top Main --once              one interval as text",
            "  threadclock top Main --once -n 3 --frames",
            "                                           the busiest three threads, and where",
            "                                           they are",
            "  threadclock top app.jar -i 10s --csv     a row per thread every 10 seconds,",
            "                                           until stopped",
            "  threadclock top 1234 -i 500ms -d 1m      twice a second, for a minute",
            "  threadclock top 1234 -n 5 --json --group an object per interval, by pool",
            "Exit status: 0 shown, 1 the JVM could not be sampled, 2 usage error."
        })
public final class TopCommand implements Subcommand {
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);
    private static final Duration LONGEST_INTERVAL = Duration.ofHours(1);
    private static final int MOST_FRAMES = 10;
    private static final int MOST_WITH_FRAMES = 10;

    @Mixin
    private JvmChoice jvm;

    @Option(names = {"-i", "--interval", "--delay"}, paramLabel = "TIME", defaultValue = "2s",
            converter = TimeSpan.class,
            description = "From one sample to the next, 100ms to 1h (default: ${DEFAULT-VALUE}).")
    private Duration interval;

    @Option(names = {"-d", "--duration"}, paramLabel = "TIME", defaultValue = "0", converter = TimeSpan.class,
            description = "End after this time: 60s, 5m, 1h. Without it, or with 0: when stopped.")
    private Duration duration;

    @Option(names = {"-n", "--count"}, paramLabel = "COUNT",
            description = "End after COUNT intervals. With --once: show only COUNT threads.")
    private Long count;

    @Option(names = "--sort", paramLabel = "KEY", defaultValue = "total", converter = SortKey.Converter.class,
            description = "total, user, system, wait, time or name (default: ${DEFAULT-VALUE}).")
    private SortKey sort;

    @Option(names = "--group", description = "By pool: threads whose names differ in numbers only.")
    private boolean grouped;

    @Option(names = "--filter", paramLabel = "TEXT", defaultValue = "",
            description = "Only names with this text in them.")
    private String filter;

    @Option(names = "--once", description = "One interval, without a screen: as text unless told otherwise.")
    private boolean once;

    @Option(names = "--all", description = "As text, threads that have not run as well.")
    private boolean all;

    @Option(names = "--frames",
            description = "With --once, the top frames of each Java thread, which is stopped at a safepoint"
                    + " for them; of 10 threads, or of -n.")
    private boolean frames;

    @ArgGroup
    private Form form = new Form();

    private static final class Form {
        @Option(names = "--json", description = "A JSON object per interval.")
        private boolean json;

        @Option(names = "--csv", description = "CSV, a row per thread and interval.")
        private boolean csv;
    }

    @Spec
    private CommandSpec spec;

    private TextForm text;

    @Override
    public int place() {
        return 40;
    }

    @Override
    public Integer call() throws IOException {
        check(interval.compareTo(SHORTEST_INTERVAL) >= 0 && interval.compareTo(LONGEST_INTERVAL) <= 0,
                "--interval takes 100ms to 1h");
        check(duration.isZero() || !once,
                "--once is one interval, whose length is -i; -d is how long to go on: give one of the two");
        check(duration.isZero() || duration.compareTo(interval) >= 0,
                "--duration is shorter than one interval; give a longer one, or a shorter --interval (-i)");
        check(count == null || count > 0, "-n takes a number from 1 on");
        check(!frames || once && !form.json && !form.csv && !grouped,
                "--frames goes with --once, as text and by thread; on the screen, enter shows the frames of"
                        + " a thread");
        check(!(form.csv && grouped),
                "--csv has a row per thread, with its pool; --group goes with text and JSON");
        long most = count == null ? Long.MAX_VALUE : count;
        Limit limit = new Limit(once ? 1 : most, duration);
        text = new TextForm(all, !once ? Long.MAX_VALUE : frames && count == null ? MOST_WITH_FRAMES : most,
                frames ? MOST_FRAMES : 0);
        View view = new View(sort, grouped, filter, form.json || form.csv);
        jvm.pid();
        if (!once && !form.json && !form.csv && Terminal.stdout().watched() && Terminal.hasKeyboard()) {
            boolean ended;
            try (LiveScreen screen = new LiveScreen(view);
                    Sampling sampling = Sampling.open(jvm, interval)) {
                ended = !screen.show(sampling, limit);
            }
            if (ended) {
                Terminal.stderr().println(spec.qualifiedName() + ": the JVM has ended");
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
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private void print(Sampling sampling, View view, Limit limit) throws IOException {
        Terminal out = Terminal.stdout();
        Moments moments = new Moments(sampling);
        if (form.csv) {
            out.println(IntervalCsv.HEAD);
        }
        while (!limit.isReached() && !out.stream().checkError()) {
            Optional<Moment> moment = moments.next();
            if (moment.isEmpty()) {
                return;
            }
            limit.count(moment.get().interval());
            lines(sampling, moment.get(), view.update(moment.get().interval())).forEach(out::println);
        }
    }

    private List<String> lines(Sampling sampling, Moment moment, List<Use> rows) throws IOException {
        if (form.json) {
            return List.of(Records.json(sampling.pid(), moment, rows, grouped));
        }
        return form.csv ? IntervalCsv.rows(moment.interval(), rows)
                : text.lines(sampling, moment, rows, grouped);
    }
}
