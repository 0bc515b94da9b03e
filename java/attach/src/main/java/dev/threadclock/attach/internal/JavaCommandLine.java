// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
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
public record JavaCommandLine(String program, List<String> options, String main, List<String> arguments) {
    /** Options of the launcher, and of jsvc, whose value is the next word. */
    private static final Set<String> WITH_VALUE = Set.of("-cp", "-classpath", "--class-path", "-p",
            "--module-path", "--upgrade-module-path", "--add-modules", "--limit-modules", "--add-reads",
            "--add-exports", "--add-opens", "--patch-module", "--enable-native-access",
            "--illegal-native-access", "--source", "--describe-module", "-d", "-jvm", "-home", "-java-home",
            "--java-home", "-user", "-cwd", "-restarts", "-wait", "-umask", "-outfile", "-errfile",
            "-pidfile", "-procname");
    /** Options with a value that is nobody's secret: of the JVM, and system properties of the JDK. */
    private static final Pattern SHOWN = Pattern
            .compile("-X(?!X:On|run).*|--.*|-D(?!java\\.naming\\.security\\.credentials)"
                    + "(java|jdk|sun|com\\.sun|file|user)\\..*", Pattern.DOTALL);
    private static final int LONGEST_TEXT = 4000;
    /** More are ignored: a process says itself how long its command line is. */
    static final int MOST_WORDS = 100_000;
    private static final Set<String> LAST = Set.of("-jar", "-m", "--module");

    /**
     * @param words as in /proc/PID/cmdline
     * @param read returns the text of an argument file, "" if it cannot be read
     */
    public static JavaCommandLine of(List<String> words, UnaryOperator<String> read) {
        String program = words.isEmpty() ? "" : words.get(0).substring(words.get(0).lastIndexOf('/') + 1);
        List<String> options = new ArrayList<>();
        List<String> rest = expanded(words, read);
        for (int i = 0; i < rest.size(); i++) {
            String word = rest.get(i);
            boolean isLast = i + 1 == rest.size();
            if (LAST.contains(word)) {
                return isLast ? new JavaCommandLine(program, options, word, List.of())
                        : new JavaCommandLine(program, options, word + " " + fileName(rest.get(i + 1)),
                                rest.subList(i + 2, rest.size()));
            }
            if (!word.startsWith("-")) {
                return new JavaCommandLine(program, options, word, rest.subList(i + 1, rest.size()));
            }
            options.add(word);
            if (WITH_VALUE.contains(word) && !isLast) {
                options.add(rest.get(++i));
            }
        }
        return new JavaCommandLine(program, options, "", List.of());
    }

    /** For files and messages: without options and arguments, which may be long or secret. */
    @Override
    public String toString() {
        return Printable.line((program + " " + main).strip(), 100);
    }

    /** "com.example.Main" and "app.jar", without the preceding words. */
    public String what() {
        return main.substring(main.lastIndexOf(' ') + 1);
    }

    /** For the user who looks at processes of their own: with the arguments. */
    public String whole() {
        return (program + " " + main + " " + String.join(" ", arguments)).strip();
    }

    /**
     * As it was given but for the program's own arguments, and for values that might be secret: those of the
     * program's system properties and of agents, and commands for when the JVM fails.
     */
    String masked() {
        String given = options.stream().map(JavaCommandLine::masked).collect(Collectors.joining(" "));
        return Printable.line((program + " " + given).strip() + " " + main, LONGEST_TEXT).strip();
    }

    private static String masked(String option) {
        int value = option.indexOf('=') + 1;
        return value == 0 || SHOWN.matcher(option).matches() ? option : option.substring(0, value) + "***";
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
            } else if (expand && word.startsWith("@") && !word.startsWith("@@")
                    && result.size() < MOST_WORDS) {
                result.addAll(wordsOfArgumentFile(read.apply(word.substring(1))));
            } else {
                result.add(word);
            }
        }
        return result;
    }

    /**
     * The words of an environment variable or an options file, as HotSpot splits them: blanks separate words,
     * quotes keep them together.
     */
    static List<String> words(String text) {
        return words(text, false);
    }

    /**
     * The words of an argument file of the launcher: in addition, # begins a comment and a backslash in
     * quotes escapes.
     */
    static List<String> wordsOfArgumentFile(String text) {
        return words(text, true);
    }

    private static List<String> words(String text, boolean argumentFile) {
        List<String> words = new ArrayList<>();
        StringBuilder word = null; // null between words
        char quote = 0;
        for (int i = 0; i < text.length() && words.size() < MOST_WORDS; i++) {
            char c = text.charAt(i);
            if (quote == 0 && Character.isWhitespace(c)) {
                if (word != null) {
                    words.add(word.toString());
                }
                word = null;
                continue;
            }
            if (quote == 0 && c == '#' && argumentFile && word == null) {
                int newline = text.indexOf('\n', i);
                i = newline < 0 ? text.length() : newline;
                continue;
            }
            word = word == null ? new StringBuilder() : word;
            if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else if (quote != 0 && c == '\\' && argumentFile && i + 1 < text.length()) {
                word.append(unescaped(text.charAt(++i)));
            } else if (c == quote) {
                quote = 0;
            } else {
                word.append(c);
            }
        }
        if (word != null) {
            words.add(word.toString());
        }
        return words;
    }

    private static char unescaped(char c) {
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'f' -> '\f';
            default -> c;
        };
    }
}
