// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.help;

import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.OutputFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The man-pages command: writes the man pages of all commands, for packagers. */
@Command(name = "man-pages", hidden = true, mixinStandardHelpOptions = true,
        description = "Writes a man page for each command into a folder.")
public final class ManPagesCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FOLDER", description = "The folder to write them to.")
    private Path folder;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (!Files.isDirectory(folder)) {
            throw new Failure("there is no folder " + folder + "; make it first");
        }
        for (CommandLine command : spec.parent().subcommands().values()) {
            CommandSpec below = command.getCommandSpec();
            if (!below.usageMessage().hidden()) {
                new OutputFile(folder.resolve(below.qualifiedName("-") + ".1"), "man-pages FOLDER")
                        .write(page(below));
            }
        }
        return 0;
    }

    /** The parts of --help, each in a section of its own, in the lines of a terminal of 80 columns. */
    static String page(CommandSpec command) {
        command.usageMessage().autoWidth(false);
        Help help = new Help(command, Help.defaultColorScheme(Help.Ansi.OFF));
        String name = command.qualifiedName("-");
        String summary = help.description().split("[.:]\\s", 2)[0].replace('\n', ' ');
        return ".\\\" SPDX-License-Identifier: Apache-2.0\n.TH \"" + name + "\" 1 " + date() + "\n.SH NAME\n"
                + escaped(name + " - " + Character.toLowerCase(summary.charAt(0)) + summary.substring(1))
                + section("SYNOPSIS", help.synopsis(0)) + section("DESCRIPTION", help.description())
                + section("OPTIONS", help.parameterList() + help.optionList())
                + footer(help.footer().strip())
                + section("SEE ALSO", command.root().name() + "(1)") + "\n";
    }

    /** Today's, or that of reproducible builds (reproducible-builds.org/specs/source-date-epoch). */
    private static String date() {
        String epoch = System.getenv("SOURCE_DATE_EPOCH");
        Instant date = epoch == null ? Instant.now() : Instant.ofEpochSecond(Long.parseLong(epoch));
        return date.toString().substring(0, 10);
    }

    /** Notes, examples and exit status, in sections of their own. */
    private static String footer(String text) {
        StringBuilder sections = new StringBuilder();
        for (String part : ("NOTES\n" + text).replaceFirst("\nExamples?:\n", "\0EXAMPLES\n")
                .replaceFirst("\nExit status: ", "\0EXIT STATUS\n").split("\0")) {
            String[] titleAndText = part.split("\n", 2);
            sections.append(titleAndText.length < 2 ? "" : section(titleAndText[0], titleAndText[1]));
        }
        return sections.toString();
    }

    private static String section(String title, String text) {
        return "\n.SH " + title + "\n.nf\n.in 0\n" + escaped(text.stripTrailing());
    }

    /** Hyphens are escaped because they are meant to be copied, and characters that begin a request. */
    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^(?=[.'])", "\\\\&");
    }
}
