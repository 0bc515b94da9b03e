// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.help;

import dev.threadclock.command.terminal.OutputFile;
import dev.threadclock.command.terminal.Subcommand;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The man-pages command: writes the man pages of all commands, for packagers. */
@Command(name = "man-pages", hidden = true, mixinStandardHelpOptions = true,
        description = "Writes a man page for each command into a folder.")
public final class ManPagesCommand implements Subcommand {
    @Parameters(index = "0", paramLabel = "FOLDER", description = "The folder to write them to.")
    private Path folder;

    @Spec
    private CommandSpec spec;

    @Override
    public int place() {
        return 61;
    }

    @Override
    public Integer call() {
        write(spec.parent());
        return 0;
    }

    /** Writes the pages of this command's subcommands. */
    private void write(CommandSpec above) {
        for (CommandLine command : above.subcommands().values()) {
            CommandSpec below = command.getCommandSpec();
            if (!below.usageMessage().hidden()) {
                ManPage page = new ManPage(below);
                new OutputFile(folder.resolve(page.fileName()), "man-pages FOLDER").write(page.render());
                write(below);
            }
        }
    }
}
