// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.threadclock.attach.JvmStatus;
import dev.threadclock.attach.internal.Target;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Terminal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The status command: what threadclock does in a JVM. */
@Command(
        name = "status",
        description = {"Shows what threadclock does in a JVM, if it is loaded there. Changes nothing.", ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  threadclock status 4711",
            "  threadclock status --json 4711 | jq .bound",
            "",
            "Exit status: 0 shown, 1 the JVM could not be reached, 2 usage error."
        })
public final class StatusCommand implements Callable<Integer> {
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}");
    private static final String BOUND = "bound.";
    /** Of the names; a longer one, which our agent does not report, does not move the others' values. */
    private static final int WIDEST = 40;
    private static final String NANOS = "_ns";
    private static final Map<String, String> TITLES = Map.of("", "agent", "bound", "answered by");

    @Mixin
    private JvmOption.Named target;

    @Option(names = "--json", description = "Print the status as JSON.")
    private boolean json;

    @Override
    public Integer call() {
        Target jvm = target.open();
        JvmStatus status = jvm.status();
        if (json) {
            Terminal.stdout().println(json(jvm, status.values()));
        } else if (!status.isLoaded()) {
            Terminal.stdout().println("threadclock is not loaded in " + jvm);
        } else {
            Terminal.stdout().println(jvm.toString());
            lines(status.values(), new Style(Terminal.stdout().coloured()))
                    .forEach(Terminal.stdout()::println);
        }
        return 0;
    }

    /**
     * The agent's report as JSON: key "user.age_ns" becomes "user_age_ns", the keys "bound.METHOD" become an
     * object "bound".
     */
    private static String json(Target jvm, Map<String, String> report) {
        JsonObject all = new JsonObject();
        all.addProperty("pid", jvm.pid());
        all.addProperty("command", jvm.command());
        all.addProperty("loaded", !report.isEmpty());
        JsonObject bound = new JsonObject();
        report.forEach((key, value) -> {
            if (key.startsWith(BOUND)) {
                bound.addProperty(key.substring(BOUND.length()), value);
            } else {
                all.add(key.replace('.', '_'), NUMBER.matcher(value).matches()
                        ? new JsonPrimitive(Long.parseLong(value)) : new JsonPrimitive(value));
            }
        });
        if (!report.isEmpty()) {
            all.add("bound", bound);
        }
        return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(all);
    }

    /**
     * The agent's report for people: a group for each first word of the keys, names and values in columns,
     * times with units.
     */
    static List<String> lines(Map<String, String> values, Style style) {
        Map<String, List<Map.Entry<String, String>>> groups = values.entrySet().stream().collect(
                Collectors.groupingBy(
                        entry -> entry.getKey().substring(0, Math.max(0, entry.getKey().indexOf('.'))),
                        LinkedHashMap::new, Collectors.toList()));
        int widest = Math.min(WIDEST,
                values.keySet().stream().mapToInt(key -> name(key).length()).max().orElse(0));
        List<String> lines = new ArrayList<>();
        groups.forEach((group, entries) -> {
            lines.add("  " + style.bold(TITLES.getOrDefault(group, group)));
            for (Map.Entry<String, String> entry : entries) {
                String name = name(entry.getKey());
                lines.add("    " + name + " ".repeat(Math.max(0, widest - name.length())) + "  "
                        + value(entry));
            }
        });
        return lines;
    }

    /** Without the group and the unit. */
    private static String name(String key) {
        return key.substring(key.indexOf('.') + 1).replaceFirst(NANOS + "$", "").replace('_', ' ');
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
