// SPDX-License-Identifier: Apache-2.0
// The command line: the list of commands, and how errors become messages and exit statuses.
package dev.threadclock.cli;

import dev.threadclock.cli.attach.AttachCommand;
import dev.threadclock.cli.attach.DetachCommand;
import dev.threadclock.cli.attach.StatusCommand;
import dev.threadclock.cli.demo.DemoCommand;
import dev.threadclock.cli.doctor.DoctorCommand;
import dev.threadclock.cli.help.CompletionCommand;
import dev.threadclock.cli.help.ManPagesCommand;
import dev.threadclock.cli.lab.LabCommand;
import dev.threadclock.cli.record.RecordCommand;
import dev.threadclock.cli.report.ReportCommand;
import dev.threadclock.cli.top.TopCommand;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code threadclock}: exit status 0 ok, 1 failed, 2 used wrongly. */
@Command(
        name = "threadclock",
        description = {"Right and fast per-thread CPU time on Linux.", ""},
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        subcommands = {DemoCommand.class, DoctorCommand.class, AttachCommand.class, DetachCommand.class, StatusCommand.class,
            TopCommand.class, RecordCommand.class, ReportCommand.class, LabCommand.class,
            CompletionCommand.class, ManPagesCommand.class},
        footer = {
            "",
            "To use it in a program that is there already, from Java 8 on:",
            "  java -javaagent:dist/threadclock.jar ...",
            "",
            "'threadclock COMMAND --help' tells more of a command."
        })
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        // Commands may become another user, who may not read the JDK: jspawnhelper, which java starts programs by, lies there.
        System.setProperty("jdk.lang.Process.launchMechanism", "FORK");
        System.exit(run(args));
    }

    /** Runs one command line and returns its exit status. */
    public static int run(String... args) {
        return new CommandLine(new Main())
                .setParameterExceptionHandler(Main::usedWrongly)
                .setExecutionExceptionHandler(Main::failed)
                .setOut(new PrintWriter(Terminal.stdout().stream(), true))
                .setErr(new PrintWriter(Terminal.stderr().stream(), true))
                .execute(args);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }

    private static int usedWrongly(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        PrintWriter err = command.getErr();
        err.println(name + ": " + what(e));
        if (!UnmatchedArgumentException.printSuggestions(e, err) && command.getCommandSpec().parent() == null) {
            err.println("Commands: " + String.join(", ", command.getSubcommands().keySet()));
        }
        err.println("'" + name + " --help' tells how it is used.");
        return CommandLine.ExitCode.USAGE;
    }

    private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
        Shutdown.waitIfUnderWay();
        String name = command.getCommandSpec().qualifiedName();
        if (e instanceof Failure) {
            command.getErr().println(name + ": " + e.getMessage());
        } else {
            command.getErr().println(name + ": this should not happen; please report it with the lines below");
            e.printStackTrace(command.getErr());
        }
        return CommandLine.ExitCode.SOFTWARE;
    }

    private static String what(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            boolean atTop = e.getCommandLine().getCommandSpec().parent() == null;
            return (atTop ? "no such command: " : "takes no argument: ") + unmatched.getUnmatched().get(0);
        }
        return e.getMessage().substring(0, 1).toLowerCase(Locale.ROOT) + e.getMessage().substring(1);
    }

    /** The version in the jar's manifest. */
    public static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "(not built into a jar)" : version;
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"threadclock " + version()};
        }
    }
}
