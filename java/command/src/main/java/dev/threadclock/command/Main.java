// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command;

import dev.threadclock.attach.AttachException;
import dev.threadclock.command.attach.AgentOption;
import dev.threadclock.command.attach.AttachCommand;
import dev.threadclock.command.attach.DetachCommand;
import dev.threadclock.command.attach.StatusCommand;
import dev.threadclock.command.demo.DemoCommand;
import dev.threadclock.command.doctor.DoctorCommand;
import dev.threadclock.command.help.CompletionCommand;
import dev.threadclock.command.help.ManPagesCommand;
import dev.threadclock.command.node.NodeCommand;
import dev.threadclock.command.record.RecordCommand;
import dev.threadclock.command.report.ReportCommand;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.Shutdown;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.terminal.Wrapped;
import dev.threadclock.command.top.TopCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line {@code threadclock} and its commands. Converts errors to messages and to exit statuses:
 * 0 ok, 1 failed, 2 usage error.
 */
@Command(
        name = "threadclock",
        description = {"Right and fast per-thread CPU time on Linux.", ""},
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Main.VersionLine.class,
        subcommands = {
            DemoCommand.class, DoctorCommand.class, AttachCommand.class, DetachCommand.class,
            StatusCommand.class, TopCommand.class, RecordCommand.class, ReportCommand.class,
            NodeCommand.class, CompletionCommand.class, ManPagesCommand.class, CommandLine.HelpCommand.class},
        footer = {
            "",
            "To use it with an existing program (Java 8 or later):",
            "  java -agentpath:libthreadclock.so ...",
            "To serve Prometheus metrics too, at http://127.0.0.1:9464/metrics:",
            "  java -agentpath:libthreadclock.so=prometheus=9464 ...",
            "",
            "Its own JVM has a heap of at most 256 MB, and takes its options from",
            "THREADCLOCK_JAVA_OPTIONS only, not from JAVA_TOOL_OPTIONS and the like.",
            "",
            "'threadclock COMMAND --help' describes a command."
        })
public final class Main implements Runnable {
    private static final int NARROWEST = 55; // picocli's
    private static final int USUAL_WIDTH = 80;
    /** The commands of a checkout, which its launcher runs itself and names here. */
    private static final List<String> CHECKOUT = Stream
            .of(System.getProperty("dev.threadclock.checkout", "").split(",")).filter(name -> !name.isEmpty())
            .toList();

    @Spec
    private CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        try {
            System.exit(run(args));
        } catch (OutOfMemoryError e) {
            System.err.println("threadclock: the heap of " + (Runtime.getRuntime().maxMemory() >> 20)
                    + " MB is too small; try again with THREADCLOCK_JAVA_OPTIONS=-Xmx2g in the environment");
            System.exit(CommandLine.ExitCode.SOFTWARE);
        }
    }

    /** Runs one command line and returns its exit status. */
    public static int run(String... args) {
        CommandLine main = new CommandLine(new Main());
        // Commands have the option --help instead.
        main.getSubcommands().get("help").getCommandSpec().usageMessage().hidden(true);
        if (!CHECKOUT.isEmpty()) {
            UsageMessageSpec usage = main.getCommandSpec().usageMessage();
            usage.footer(Stream.concat(Stream.of(usage.footer()), Stream.of("In a checkout also "
                    + String.join(", ", CHECKOUT) + ": 'threadclock build --help'")).toArray(String[]::new));
        }
        if (Terminal.stdout().watched()) {
            fit(main, Math.max(NARROWEST, Math.min(USUAL_WIDTH, Terminal.stdout().width())));
        }
        int status = main
                .setParameterExceptionHandler(Main::usageError)
                .setExecutionExceptionHandler(Main::failed)
                .setExecutionStrategy(Main::execute)
                .setOut(new PrintWriter(Terminal.stdout().stream(), true))
                .setErr(new PrintWriter(Terminal.stderr().stream(), true))
                .execute(args);
        return status == CommandLine.ExitCode.OK ? written() : status;
    }

    /** The lines at the end of each help were written for a usual terminal. */
    private static void fit(CommandLine command, int width) {
        command.setUsageHelpWidth(width);
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        if (width < USUAL_WIDTH) {
            usage.footer(Wrapped.help(List.of(usage.footer()), width - 1).toArray(String[]::new));
        }
        command.getSubcommands().values().forEach(each -> fit(each, width));
    }

    /** --help after an unknown command is an error. */
    private static int execute(CommandLine.ParseResult parsed) {
        for (CommandLine command : parsed.asCommandLineList()) {
            if (!command.getUnmatchedArguments().isEmpty()) {
                throw new UnmatchedArgumentException(command, command.getUnmatchedArguments());
            }
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    /** A broken pipe is not reported, because the reader closed it on purpose. */
    private static int written() {
        IOException problem = Terminal.stdout().problem().orElse(null);
        if (problem == null) {
            return CommandLine.ExitCode.OK;
        }
        if (!"Broken pipe".equals(problem.getMessage())) {
            Terminal.stderr().println("threadclock: cannot write to stdout: " + problem.getMessage()
                    + "; the output is incomplete");
        }
        return CommandLine.ExitCode.SOFTWARE;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }

    private static int usageError(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        PrintWriter err = command.getErr();
        String meant = meant(e, args);
        err.println(name + ": " + what(e, args) + (meant.isEmpty() ? "" : "; did you mean " + meant + "?"));
        if (meant.isEmpty() && command.getCommandSpec().parent() == null) {
            err.println("Commands: " + String.join(", ", names(command)));
        }
        err.println("'" + name + " --help' shows the usage.");
        return CommandLine.ExitCode.USAGE;
    }

    /** Those that help lists; at the top also a checkout's. */
    private static List<String> names(CommandLine command) {
        Stream<String> ours = command.getSubcommands().values().stream().map(CommandLine::getCommandSpec)
                .filter(spec -> !spec.usageMessage().hidden()).map(CommandSpec::name);
        boolean isTop = command.getCommandSpec().parent() == null;
        return Stream.concat(ours, CHECKOUT.stream().filter(name -> isTop)).toList();
    }

    private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
        Shutdown.waitIfUnderWay();
        String name = command.getCommandSpec().qualifiedName();
        if (e instanceof Failure || e instanceof AttachException) {
            command.getErr().println(name + ": " + e.getMessage());
            for (Throwable other : e.getSuppressed()) { // for example of a second file
                if (other instanceof Failure) {
                    command.getErr().println(name + ": " + other.getMessage());
                }
            }
        } else {
            command.getErr()
                    .println(name + ": this should not happen; please report it with the lines below");
            e.printStackTrace(command.getErr());
        }
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** picocli itself would suggest commands that merely share some letters with "topp" or "nosuch". */
    private static String meant(ParameterException e, String[] args) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return "";
        }
        String typed = typed(unmatched, args);
        if (typed.startsWith("--") && AgentOption.isNamedIn(typed.substring(2))) {
            return typed.substring(2); // the agent's options have no dashes
        }
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        List<String> near = nearest(typed.replaceFirst("^-+", "--"), unmatched.isUnknownOption()
                ? spec.options().stream().map(OptionSpec::longestName).toList() : names(e.getCommandLine()));
        return String.join(" or ",
                near.isEmpty() && spec.parent() != null ? unmatched.getSuggestions() : near);
    }

    /** picocli takes -help for -h and -elp, and reports the latter. */
    private static String typed(UnmatchedArgumentException unmatched, String[] args) {
        String left = unmatched.getUnmatched().get(0);
        return !unmatched.isUnknownOption() ? left : Arrays.stream(args)
                .filter(word -> word.matches("-[^-].*") && word.endsWith(left.substring(1)))
                .findFirst().orElse(left);
    }

    /** Those that begin alike, or else those with one letter more, less or another, or in another order. */
    static List<String> nearest(String typed, List<String> names) {
        List<String> begun = names.stream().filter(name -> name.startsWith(typed) || typed.startsWith(name))
                .toList();
        return !begun.isEmpty() ? begun : names.stream().filter(name -> letters(name).equals(letters(typed))
                || IntStream.rangeClosed(0, typed.length()).anyMatch(i -> name.matches(
                        Pattern.quote(typed.substring(0, i)) + "(." + Pattern.quote(typed.substring(i))
                                + "|.?"
                                + Pattern.quote(typed.substring(Math.min(i + 1, typed.length()))) + ")")))
                .toList();
    }

    private static String letters(String word) {
        return word.chars().sorted().mapToObj(Character::toString).collect(Collectors.joining());
    }

    private static String what(ParameterException e, String[] args) {
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            boolean atTop = e.getCommandLine().getCommandSpec().parent() == null;
            return (atTop ? "no such command: " : "takes no argument: ") + unmatched.getUnmatched().get(0);
        }
        String message = e.getMessage().replaceFirst("^Error: ", "").replaceFirst(" is not an? (int|long)$",
                " is not a whole number");
        if (e instanceof UnmatchedArgumentException unmatched) {
            message = message.replace("'" + unmatched.getUnmatched().get(0) + "'",
                    "'" + typed(unmatched, args) + "'");
        }
        ArgSpec argument = e instanceof MissingParameterException missing ? missing.getMissing().get(0)
                : e.getArgSpec();
        if (argument instanceof OptionSpec option) { // by the name that was used
            String given = Arrays.stream(option.names()).filter(name -> Arrays.stream(args).anyMatch(
                    word -> word.equals(name) || word.startsWith(name + "=")
                            || name.length() == 2 && word.startsWith(name)))
                    .findFirst().orElse(option.longestName());
            message = message.replace("'" + option.longestName() + "'", "'" + given + "'");
        }
        return message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }

    static final class VersionLine implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[]{"threadclock " + SelfJar.version()};
        }
    }
}
