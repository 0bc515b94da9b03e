// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.help;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The man page of a command, generated from its --help: man(7). */
final class ManPage {
    private static final String EXAMPLES = "Examples:";
    private static final String EXIT_STATUS = "Exit status: ";

    private final CommandSpec command;
    private final String name;
    private final StringBuilder page = new StringBuilder();

    ManPage(CommandSpec command) {
        this.command = command;
        name = command.qualifiedName("-");
    }

    String fileName() {
        return name + ".1";
    }

    String render() {
        List<String> description = Arrays.stream(command.usageMessage().description())
                .filter(text -> !text.isEmpty()).toList();
        page.append(".\\\" SPDX-License-Identifier: Apache-2.0\n.TH ").append(quoted(name)).append(" 1\n");
        section("NAME");
        line(name + " - " + firstSentence(description.get(0)));
        section("SYNOPSIS");
        synopsis();
        section("DESCRIPTION");
        description.forEach(this::line);
        arguments();
        footer(String.join("\n", command.usageMessage().footer()).strip());
        section("SEE ALSO");
        page.append(".BR ").append(command.root().name()).append(" (1)\n");
        return page.toString();
    }

    private void synopsis() {
        Help help = command.commandLine().setUsageHelpAutoWidth(false).getHelp();
        String synopsis = help.synopsis(0).replaceAll("\\s+", " ").strip();
        page.append(".B ").append(escaped(command.qualifiedName())).append('\n');
        line(synopsis.substring(Math.min(synopsis.length(), command.qualifiedName().length())).strip());
    }

    private void arguments() {
        section("OPTIONS");
        command.positionalParameters().stream().filter(parameter -> !parameter.hidden())
                .forEach(parameter -> argument(parameter.paramLabel(), parameter));
        for (OptionSpec option : command.options()) {
            String value = option.arity().max() == 0 ? "" : option.arity().min() == 0
                    ? "[=" + option.paramLabel() + "]" : "=" + option.paramLabel();
            argument(String.join(", ", option.names()) + value, option);
        }
        command.subcommands().values().stream().map(CommandLine::getCommandSpec).distinct()
                .filter(spec -> !spec.usageMessage().hidden())
                .forEach(spec -> item(spec.name(),
                        Arrays.stream(spec.usageMessage().description()).collect(Collectors.joining(" "))));
    }

    private void argument(String label, ArgSpec argument) {
        String text = String.join(" ", argument.description())
                .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValue()))
                .replace("${COMMAND-NAME}", command.name());
        item(label, text);
    }

    private void item(String label, String text) {
        page.append(".TP\n.B ").append(escaped(label)).append('\n');
        line(text);
    }

    private void footer(String text) {
        int at = text.indexOf(EXIT_STATUS);
        notes((at < 0 ? text : text.substring(0, at)).lines().toList());
        section("EXIT STATUS");
        line(at < 0 ? "0 ok, 1 failed, 2 usage error."
                : text.substring(at + EXIT_STATUS.length()).replace('\n', ' '));
    }

    /**
     * Adds the notes as formatted for --help. Indented lines are kept as they are; examples and the text
     * after them are separate.
     */
    private void notes(List<String> lines) {
        String before = "";
        boolean underNotes = false;
        for (String line : lines) {
            boolean indented = line.startsWith("  ");
            if (indented != before.startsWith("  ")) {
                page.append(indented ? ".RS 4\n.nf\n" : ".fi\n.RE\n");
            }
            if (line.equals(EXAMPLES)) {
                section("EXAMPLES");
                underNotes = false;
            } else if (!indented && !line.isEmpty() && !underNotes) {
                section("NOTES");
                underNotes = true;
            } else if (!indented && !line.isEmpty() && before.isEmpty()) {
                page.append(".PP\n");
            }
            if (!line.isEmpty() && !line.equals(EXAMPLES)) {
                line(indented ? line.substring(2) : line);
            }
            before = line;
        }
        page.append(before.startsWith("  ") ? ".fi\n.RE\n" : "");
    }

    private void section(String title) {
        page.append(".SH ").append(title).append('\n');
    }

    private void line(String text) {
        page.append(escaped(text)).append('\n');
    }

    private static String firstSentence(String text) {
        int end = text.replace(": ", ". ").indexOf(". ");
        String sentence = end < 0 ? text.replaceFirst("\\.$", "") : text.substring(0, end);
        return Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1);
    }

    private static String quoted(String text) {
        return '"' + text + '"';
    }

    /** Escapes hyphens that are meant to be copied as \-, and characters that would make a line a request. */
    private static String escaped(String text) {
        String escaped = text.replace("\\", "\\e").replace("-", "\\-");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
