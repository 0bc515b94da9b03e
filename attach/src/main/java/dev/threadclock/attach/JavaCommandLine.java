// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.terminal.Printable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The parsed command line of a java process: the program, the options for the JVM, what it runs.
 *
 * @param program file name of the first word, "java"
 * @param options everything before the main class, argument files expanded
 * @param main "-jar app.jar", "-m module/class" or the name of a class; "" if there is none
 * @param arguments what it is given
 */
record JavaCommandLine(String program, List<String> options, String main, List<String> arguments) {
    /** Launcher options whose value is the next word. */
    private static final Set<String> WITH_VALUE = Set.of("-cp", "-classpath", "--class-path", "-p",
            "--module-path",
            "--upgrade-module-path", "--add-modules", "--limit-modules", "--add-reads", "--add-exports",
            "--add-opens",
            "--patch-module", "--enable-native-access", "--illegal-native-access", "--source",
            "--describe-module", "-d");
    /** In names of values that nobody should see. */
    private static final Pattern SECRET = Pattern.compile(
            "(?i)passw|passphrase|pwd|secret|token|credential|api[-_.]?key|private[-_.]?key");
    /** "user:password@" of an address. */
    private static final Pattern USER_INFO = Pattern.compile("(://[^/@:]*:)[^/@]*@");
    private static final int LONGEST_TEXT = 4000;
    private static final Set<String> LAST = Set.of("-jar", "-m", "--module");

    /**
     * @param words as in /proc/PID/cmdline
     * @param read returns the text of an argument file, "" if it cannot be read
     */
    public static JavaCommandLine of(List<String> words, UnaryOperator<String> read) {
        String program = words.isEmpty() ? "" : words.get(0).substring(words.get(0).lastIndexOf('/') + 1);
        List<String> options = new ArrayList<>();
        Iterator<String> rest = expanded(words, read).iterator();
        while (rest.hasNext()) {
            String word = rest.next();
            if (LAST.contains(word)) {
                String main = word + (rest.hasNext() ? " " + fileName(rest.next()) : "");
                return new JavaCommandLine(program, options, main, all(rest));
            }
            if (!word.startsWith("-")) {
                return new JavaCommandLine(program, options, word, all(rest));
            }
            options.add(word);
            if (WITH_VALUE.contains(word) && rest.hasNext()) {
                options.add(rest.next());
            }
        }
        return new JavaCommandLine(program, options, "", List.of());
    }

    /** For files and messages: without options and arguments, which may be long or secret. */
    @Override
    public String toString() {
        return Printable.line((program + " " + main).strip(), 100);
    }

    /** For the user who looks at processes of their own: with the arguments. */
    String whole() {
        return (program + " " + main + " " + String.join(" ", arguments)).strip();
    }

    /** As it was given but for the program's own arguments; values that look secret are replaced. */
    String masked() {
        String given = options.stream().map(JavaCommandLine::masked)
                .map(option -> USER_INFO.matcher(option).replaceAll("$1***@"))
                .collect(Collectors.joining(" "));
        return Printable.line((program + " " + given).strip() + " " + main, LONGEST_TEXT).strip();
    }

    /** Takes no longer for hostile options than for others: no expression that goes back. */
    private static String masked(String option) {
        Matcher name = SECRET.matcher(option);
        int value = name.find() ? option.indexOf('=', name.end()) : -1;
        return value < 0 ? option : option.substring(0, value + 1) + "***";
    }

    private static List<String> all(Iterator<String> rest) {
        List<String> all = new ArrayList<>();
        rest.forEachRemaining(all::add);
        return all;
    }

    private static String fileName(String path) {
        return path.startsWith("/") ? path.substring(path.lastIndexOf('/') + 1) : path;
    }

    /** The words after the program, each @file replaced by its words; not recursively (nor does java). */
    private static List<String> expanded(List<String> words, UnaryOperator<String> read) {
        List<String> result = new ArrayList<>();
        boolean expand = true;
        for (String word : words.subList(Math.min(1, words.size()), words.size())) {
            if (word.equals("--disable-@files")) {
                expand = false;
            } else if (expand && word.startsWith("@") && !word.startsWith("@@")) {
                result.addAll(Words.ofArgumentFile(read.apply(word.substring(1))));
            } else {
                result.add(word);
            }
        }
        return result;
    }
}
