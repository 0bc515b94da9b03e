// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.help;

import dev.threadclock.command.terminal.Terminal;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The completion command: prints the script with which the Tab key completes commands and options. */
@Command(
        name = "completion",
        description = {
            "Prints a script for bash or zsh that completes the commands and options of threadclock, and"
                    + " the process numbers of JVMs.",
            ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  source <(threadclock completion)                for this shell",
            "  threadclock completion >> ~/.bash_completion    for bash from now on",
            "",
            "In zsh, run 'autoload -Uz compinit && compinit' first. The Debian package",
            "installs the completion.",
            "Exit status: 0 ok, 1 failed, 2 usage error."
        })
public final class CompletionCommand implements Callable<Integer> {
    private enum Shell {
        bash, zsh
    }

    @Parameters(index = "0", arity = "0..1", paramLabel = "SHELL",
            description = "${COMPLETION-CANDIDATES}: one script serves both.")
    private Shell shell;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        CommandSpec root = spec.root();
        // The script is sourced, never run, so picocli's first line, which names an interpreter, is useless.
        String script = AutoComplete.bash(root.name(), root.commandLine()).replaceFirst("^#!.*\n", "");
        Terminal.stdout().stream().print(script + jvms(root));
        Terminal.stdout().stream().flush();
        return 0;
    }

    /**
     * Running JVMs must be listed at completion time, but picocli completes only what is known beforehand.
     */
    private static String jvms(CommandSpec root) {
        String commands = root.subcommands().values().stream().map(CommandLine::getCommandSpec)
                .filter(command -> command.positionalParameters().stream()
                        .anyMatch(parameter -> parameter.paramLabel().matches("PID|JVM")))
                .map(CommandSpec::name).collect(Collectors.joining("|"));
        return """

                # The JVMs that run. Shown is what they run, if there are several; inserted is the number.
                function _threadclock_jvms() {
                  local pid word skip main
                  for pid in $(pgrep -x java 2>/dev/null); do
                    [[ $pid == "$1"* ]] || continue
                    skip=1 main=
                    while [[ -z $main ]] && IFS= read -r -d '' word; do
                      case $skip$word in
                        1*) skip= ;;
                        -jar | -m | --module) ;;
                        -cp | -classpath | --class-path | -p | --module-path | --add-*) skip=1 ;;
                        -* | @*) ;;
                        *) main=${word##*/} ;;
                      esac
                    done 2>/dev/null <"/proc/$pid/cmdline"
                    echo "$pid ${main//[^a-zA-Z0-9_.-]/?}"
                  done
                }
                # Where a JVM is to be named: the process numbers of those that run.
                function _threadclock_with_jvms() {
                  COMPREPLY=()
                  _complete_threadclock
                  if (( ${#COMPREPLY[@]} == 0 )) && [[ ${COMP_WORDS[1]} =~ ^(%s)$ && ${COMP_WORDS[COMP_CWORD]} != -* ]]; then
                    local IFS=$'\\n'
                    COMPREPLY=( $(_threadclock_jvms "${COMP_WORDS[COMP_CWORD]}") )
                    (( ${#COMPREPLY[@]} != 1 )) || COMPREPLY=( "${COMPREPLY[@]%%%% *}" )
                  fi
                }
                complete -F _threadclock_with_jvms -o default threadclock threadclock.sh threadclock.bash
                # zsh shows what it does not insert only if it is given both.
                [[ -z $ZSH_VERSION ]] || eval '
                function _threadclock_in_zsh() {
                  _bash_complete -F _complete_threadclock && return
                  local -a jvms
                  [[ $words[2] != (%s) || $words[CURRENT] == -* ]] ||
                    jvms=( ${(f)"$(_threadclock_jvms "$words[CURRENT]")"} )
                  compadd -l -d jvms -- ${jvms%%%% *} || _default
                }
                compdef _threadclock_in_zsh threadclock threadclock.sh threadclock.bash'
                """
                .formatted(commands, commands);
    }
}
