// SPDX-License-Identifier: Apache-2.0
// threadclock completion: what makes the Tab key complete commands and options.
package dev.threadclock.cli.help;

import dev.threadclock.cli.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "completion",
        description = {"Prints a script for bash or zsh that completes the commands and options of threadclock.", ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  source <(threadclock completion)                for this shell",
            "  threadclock completion > ~/.local/share/bash-completion/completions/threadclock",
            "                                                  for bash from now on",
            "",
            "In zsh, 'autoload -Uz compinit && compinit' has to come first. The Debian package",
            "has it installed already."
        })
public final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        Terminal.stdout().stream().print(AutoComplete.bash(spec.root().name(), spec.root().commandLine()));
        Terminal.stdout().stream().flush();
        return 0;
    }
}
