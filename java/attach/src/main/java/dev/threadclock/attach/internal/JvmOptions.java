// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The options that a JVM was started with, from all sources, in ascending order of precedence. */
record JvmOptions(List<String> words) {
    private static final String FLAGS_FILE = "-XX:Flags=";
    private static final String OPTIONS_FILE = "-XX:VMOptionsFile=";

    /**
     * What can be known from outside, in the order in which HotSpot reads it (arguments.cpp).
     *
     * @param read returns the text of a file of the process, "" if it cannot be read
     */
    public static JvmOptions of(JavaCommandLine command, Map<String, String> environment,
            UnaryOperator<String> read) {
        List<String> given = new ArrayList<>(Words.of(environment.getOrDefault("JAVA_TOOL_OPTIONS", "")));
        if (command.program().equals("java")) {
            given.addAll(Words.ofArgumentFile(environment.getOrDefault("JDK_JAVA_OPTIONS", "")));
        }
        given.addAll(command.options());
        given.addAll(Words.of(environment.getOrDefault("_JAVA_OPTIONS", "")));

        List<String> all = new ArrayList<>();
        for (String word : given) {
            if (word.startsWith(FLAGS_FILE)) {
                Words.ofArgumentFile(read.apply(word.substring(FLAGS_FILE.length())))
                        .forEach(flag -> all.add("-XX:" + flag));
            }
        }
        for (String word : given) {
            if (word.startsWith(OPTIONS_FILE)) {
                all.addAll(Words.of(read.apply(word.substring(OPTIONS_FILE.length()))));
            } else {
                all.add(word);
            }
        }
        return new JvmOptions(List.copyOf(all));
    }

    /** What HotSpot itself has recorded of its options. */
    public static Optional<JvmOptions> of(PerfData counters) {
        return counters.text("java.rt.vmArgs").or(() -> counters.text("java.rt.vmFlags"))
                .map(any -> new JvmOptions(Words.of(
                        counters.text("java.rt.vmFlags").orElse("") + " "
                                + counters.text("java.rt.vmArgs").orElse(""))));
    }

    /** -XX:+NAME or -XX:-NAME; empty if neither was given. */
    public Optional<Boolean> flag(String name) {
        Optional<Boolean> value = Optional.empty();
        for (String word : words) {
            if (word.equals("-XX:+" + name)) {
                value = Optional.of(true);
            } else if (word.equals("-XX:-" + name)) {
                value = Optional.of(false);
            }
        }
        return value;
    }

    /** The value of the last word that begins so; "" if none does. */
    public String last(String prefix) {
        return words.stream().filter(word -> word.startsWith(prefix)).reduce((first, second) -> second)
                .map(word -> word.substring(prefix.length())).orElse("");
    }

    /** A jar was given with -javaagent. */
    public boolean hasJavaAgent() {
        return words.stream().anyMatch(word -> word.startsWith("-javaagent:"));
    }

    /** The library was given with -agentpath by exactly this path. */
    public boolean hasAgentPath(String path) {
        return words.stream().anyMatch(
                word -> word.equals("-agentpath:" + path) || word.startsWith("-agentpath:" + path + "="));
    }
}
