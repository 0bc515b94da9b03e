// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.top;

import dev.threadclock.cli.Terminal;
import dev.threadclock.cli.attach.JvmChoice;
import dev.threadclock.cli.interval.IntervalCsv;
import dev.threadclock.cli.interval.Use;
import dev.threadclock.cli.sample.Sampling;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
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
        description = {"Shows which threads of a JVM use the CPU: Java's, the collector's, the compilers', all others.", ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Percent are of one core. Keys: h shows them.",
            "Examples:",
            "  threadclock top 1234                     live, every 2 seconds",
            "  threadclock top Main --once              one interval as text",
            "  threadclock top app.jar -d 10 --csv      a row per thread every 10 seconds, until stopped",
            "  threadclock top 1234 -n 5 --json --group an object per interval, threads by pool",
            "Exit status: 0 shown, 1 the JVM could not be sampled, 2 used wrongly."
        })
public final class TopCommand implements Callable<Integer> {
    private static final double SHORTEST_SECONDS = 0.1;
    private static final double LONGEST_SECONDS = 3600;

    @Mixin
    private JvmChoice jvm;

    @Option(names = {"-d", "--delay"}, paramLabel = "SECONDS", defaultValue = "2",
            description = "From one sample to the next (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(names = {"-n", "--count"}, paramLabel = "COUNT", description = "End after so many intervals.")
    private Long count;

    @Option(names = "--sort", paramLabel = "KEY", defaultValue = "total",
            description = "total, user, system, time or name (default: ${DEFAULT-VALUE}).")
    private SortKey sort;

    @Option(names = "--group", description = "By pool: threads whose names differ in numbers only.")
    private boolean grouped;

    @Option(names = "--filter", paramLabel = "TEXT", defaultValue = "", description = "Only names with this text in them.")
    private String filter;

    @Option(names = "--once", description = "One interval, without a screen: as text unless told otherwise.")
    private boolean once;

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

    @Override
    public Integer call() throws IOException {
        check(seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS, "-d takes 0.1 to 3600 seconds");
        check(count == null || count > 0, "-n takes a number from 1 on");
        check(count == null || !once, "--once is one interval, -n COUNT as many as it says: give one of the two");
        check(!(form.csv && grouped), "--csv has a row per thread, with its pool; --group goes with text and JSON");
        long most = once ? 1 : count == null ? Long.MAX_VALUE : count;
        View view = new View(sort, grouped, filter, form.json || form.csv);
        jvm.pid();
        if (!once && !form.json && !form.csv && Terminal.stdout().watched() && Terminal.hasKeyboard()) {
            boolean ended;
            try (LiveScreen screen = new LiveScreen(view);
                    Sampling sampling = Sampling.open(jvm, period())) {
                ended = !screen.show(sampling, most);
            }
            if (ended) {
                Terminal.stderr().println(spec.qualifiedName() + ": the JVM has ended");
            }
        } else {
            try (Sampling sampling = Sampling.open(jvm, period())) {
                print(sampling, view, most);
            }
        }
        return 0;
    }

    private Duration period() {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }

    private void check(boolean right, String otherwise) {
        if (!right) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private void print(Sampling sampling, View view, long most) throws IOException {
        Terminal out = Terminal.stdout();
        Moments moments = new Moments(sampling);
        if (form.csv) {
            out.println(IntervalCsv.HEAD);
        }
        for (long i = 0; i < most && !out.stream().checkError(); i++) {
            Optional<Moment> moment = moments.next();
            if (moment.isEmpty()) {
                return;
            }
            lines(sampling, moment.get(), view.update(moment.get().interval())).forEach(out::println);
        }
    }

    private List<String> lines(Sampling sampling, Moment moment, List<Use> rows) {
        if (form.json) {
            return List.of(Records.json(sampling.pid(), moment, rows, grouped));
        }
        return form.csv ? IntervalCsv.rows(moment.interval(), rows) : Table.all(sampling.label(), moment, rows, grouped);
    }
}
