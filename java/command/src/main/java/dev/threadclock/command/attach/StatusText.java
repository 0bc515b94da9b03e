// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.command.terminal.Style;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The agent's report for people: a group for each first word of the keys, names and values in columns, times
 * with units.
 */
final class StatusText {
    private static final String NANOS = "_ns";
    private static final Map<String, String> TITLES = Map.of("", "agent", "bound", "answered by");

    private final Map<String, String> values;
    private final Style style;

    public StatusText(Map<String, String> values, Style style) {
        this.values = values;
        this.style = style;
    }

    public List<String> lines() {
        Map<String, Map<String, String>> groups = new LinkedHashMap<>();
        int widest = 0;
        for (Map.Entry<String, String> entry : values.entrySet()) {
            int dot = entry.getKey().indexOf('.');
            String group = dot < 0 ? "" : entry.getKey().substring(0, dot);
            String name = name(entry.getKey().substring(dot + 1));
            widest = Math.max(widest, name.length());
            groups.computeIfAbsent(group, any -> new LinkedHashMap<>()).put(name, value(entry));
        }
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, Map<String, String>> group : groups.entrySet()) {
            lines.add("  " + style.bold(TITLES.getOrDefault(group.getKey(), group.getKey())));
            for (Map.Entry<String, String> entry : group.getValue().entrySet()) {
                lines.add("    " + entry.getKey() + " ".repeat(widest - entry.getKey().length()) + "  "
                        + entry.getValue());
            }
        }
        return lines;
    }

    private static String name(String key) {
        return (key.endsWith(NANOS) ? key.substring(0, key.length() - NANOS.length()) : key).replace('_',
                ' ');
    }

    private static String value(Map.Entry<String, String> entry) {
        boolean nanos = entry.getKey().endsWith(NANOS) && entry.getValue().matches("\\d{1,18}");
        return nanos ? duration(Long.parseLong(entry.getValue())) : entry.getValue();
    }

    /** In the largest unit that gives a whole number. */
    private static String duration(long nanos) {
        String[] units = {"ns", "µs", "ms", "s"};
        int unit = 0;
        while (nanos != 0 && nanos % 1000 == 0 && unit < units.length - 1) {
            nanos /= 1000;
            unit++;
        }
        return nanos + " " + units[unit];
    }
}
