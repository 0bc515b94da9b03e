// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An option of the agent, from the table that the agent itself is compiled from: native/agent/options.def.
 *
 * @param values separated by |, the default first
 */
public record AgentOption(String name, String values, String help) {
    /** Stands for the options in a text of help. */
    static final String ALL_HERE = "<options>";

    /** For users, in the table's order. */
    static final List<AgentOption> ALL = read();

    private static final int HELP_COLUMN = 39;

    private static List<AgentOption> read() {
        Pattern row = Pattern.compile(
                "(?m)^(?:CHOICE|OPTION)\\((\\w+), \"([^\"]*)\",(?: \"[^\"]*\",)?\\s+\"([^\"]*)\"\\)$");
        try (InputStream table = AgentOption.class.getResourceAsStream("options.def")) {
            return row.matcher(new String(table.readAllBytes(), StandardCharsets.UTF_8)).results()
                    .map(found -> new AgentOption(found.group(1), found.group(2), found.group(3))).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** True for NAME=VALUE, whatever the value is. */
    public static boolean isNamedIn(String text) {
        return ALL.stream().anyMatch(option -> text.startsWith(option.name + "="));
    }

    /** One line or two. */
    Stream<String> helpLines() {
        String left = "  " + name + "=" + values;
        return left.length() < HELP_COLUMN ? Stream.of(left + " ".repeat(HELP_COLUMN - left.length()) + help)
                : Stream.of(left, " ".repeat(HELP_COLUMN) + help);
    }
}
