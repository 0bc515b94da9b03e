// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The properties of a JVM that matter before a library is loaded into it, from its own counters or else from
 * its options.
 *
 * @param feature 8, 11, 17, ...; 0 if unknown
 * @param attachable false: -XX:+DisableAttachMechanism
 * @param options that it was started with, from all sources as far as known, in ascending order of precedence
 * @param jdk "17.0.15, OpenJDK 64-Bit Server VM, Debian": as much of it as is known
 * @param modules of its runtime; empty if unknown
 * @param complete from the JVM's own counters, which do not change any more
 */
record JvmFacts(int feature, boolean attachable, List<String> options, String jdk,
        Set<String> modules, boolean complete) {
    /** Since JEP 451. */
    private static final int WARNS_OF_DYNAMIC_AGENTS = 21;

    private static final Pattern FEATURE = Pattern.compile("(?:1\\.)?(\\d{1,9})(?:\\D.*)?");
    private static final Pattern RELEASE = Pattern.compile("(?s)(?:.*\\n)?JAVA_VERSION=\"?([0-9._]+).*");
    private static final Pattern MODULES = Pattern.compile("(?s)(?:.*\\n)?MODULES=\"([^\"]*)\".*");
    private static final int LONGEST_TEXT = 200;
    private static final String FLAGS_FILE = "-XX:Flags=";
    private static final String OPTIONS_FILE = "-XX:VMOptionsFile=";

    /** release: the text of the JDK's release file, which JREs of JDK 8 may lack. */
    static JvmFacts of(PerfData counters, Supplier<List<String>> fromOutside, String release) {
        Optional<List<String>> recorded = recordedOptions(counters);
        List<String> options = recorded.orElseGet(fromOutside);
        // "1": the first capability is attach (runtimeService.cpp).
        boolean attachable = counters.text("sun.rt.jvmCapabilities").map(bits -> bits.startsWith("1"))
                .orElse(!flag(options, "DisableAttachMechanism").orElse(false));
        Matcher inRelease = RELEASE.matcher(release);
        Optional<String> full = counters.text("java.property.java.version");
        Optional<String> released = inRelease.matches() ? Optional.of(inRelease.group(1)) : Optional.empty();
        Optional<String> specified = counters.text("java.property.java.vm.specification.version");
        Matcher feature = FEATURE.matcher(full.or(() -> specified).or(() -> released).orElse(""));
        String jdk = Stream.of(full.or(() -> released).or(() -> specified),
                counters.text("java.property.java.vm.name"), counters.text("java.property.java.vm.vendor"))
                .flatMap(Optional::stream).map(text -> Printable.line(text, LONGEST_TEXT))
                .collect(Collectors.joining(", "));
        int number = feature.matches() ? Integer.parseInt(feature.group(1)) : 0;
        Matcher modules = MODULES.matcher(release);
        return new JvmFacts(number, attachable, options, jdk,
                modules.matches() ? Set.copyOf(List.of(modules.group(1).split(" "))) : Set.of(),
                number > 0 && recorded.isPresent());
    }

    /** The options that HotSpot itself has recorded. */
    static Optional<List<String>> recordedOptions(PerfData counters) {
        return counters.text("java.rt.vmArgs").or(() -> counters.text("java.rt.vmFlags"))
                .map(any -> JavaCommandLine.words(counters.text("java.rt.vmFlags").orElse("") + " "
                        + counters.text("java.rt.vmArgs").orElse("")));
    }

    /**
     * The options that can be known from outside, in the order in which HotSpot reads them (arguments.cpp).
     *
     * @param read returns the text of a file of the process, "" if it cannot be read
     */
    static List<String> optionsFromOutside(JavaCommandLine command, Map<String, String> environment,
            UnaryOperator<String> read) {
        List<String> given = new ArrayList<>(
                JavaCommandLine.words(environment.getOrDefault("JAVA_TOOL_OPTIONS", "")));
        if (command.program().equals("java")) {
            given.addAll(
                    JavaCommandLine.wordsOfArgumentFile(environment.getOrDefault("JDK_JAVA_OPTIONS", "")));
        }
        given.addAll(command.options());
        given.addAll(JavaCommandLine.words(environment.getOrDefault("_JAVA_OPTIONS", "")));

        List<String> all = new ArrayList<>();
        for (String word : given) {
            if (word.startsWith(FLAGS_FILE)) {
                JavaCommandLine.wordsOfArgumentFile(read.apply(word.substring(FLAGS_FILE.length())))
                        .forEach(flag -> all.add("-XX:" + flag));
            }
        }
        for (String word : given) {
            if (word.startsWith(OPTIONS_FILE)) {
                all.addAll(JavaCommandLine.words(read.apply(word.substring(OPTIONS_FILE.length()))));
            } else {
                all.add(word);
            }
        }
        return all;
    }

    /** The JVM will print its warning about a dynamically loaded agent. */
    boolean warns() {
        return feature >= WARNS_OF_DYNAMIC_AGENTS && flag("EnableDynamicAgentLoading").isEmpty();
    }

    /** -XX:+NAME or -XX:-NAME; empty if neither was given. */
    Optional<Boolean> flag(String name) {
        return flag(options, name);
    }

    private static Optional<Boolean> flag(List<String> options, String name) {
        return options.stream().filter(word -> word.equals("-XX:+" + name) || word.equals("-XX:-" + name))
                .reduce((first, last) -> last).map(word -> word.charAt(4) == '+');
    }

    /** The value of the last option that begins so; "" if none does. */
    String last(String prefix) {
        return options.stream().filter(word -> word.startsWith(prefix)).reduce((first, last) -> last)
                .map(word -> word.substring(prefix.length())).orElse("");
    }

    /** A jar was given with -javaagent. */
    boolean hasJavaAgent() {
        return options.stream().anyMatch(word -> word.startsWith("-javaagent:"));
    }

    /** The names of the files of native agents that it was started with. */
    Set<String> agentFiles() {
        return options.stream()
                .filter(word -> word.startsWith("-agentpath:") || word.startsWith("-agentlib:"))
                .map(word -> {
                    String agent = word.substring(word.indexOf(':') + 1);
                    int end = agent.indexOf('=');
                    String path = end < 0 ? agent : agent.substring(0, end);
                    return word.startsWith("-agentlib:") ? "lib" + path + ".so"
                            : path.substring(path.lastIndexOf('/') + 1);
                }).collect(Collectors.toSet());
    }

    /** The library was given with -agentpath by exactly this path. */
    boolean hasAgentPath(String path) {
        return options.stream().anyMatch(
                word -> word.equals("-agentpath:" + path) || word.startsWith("-agentpath:" + path + "="));
    }
}
