// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.AttachTarget;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** top at a terminal: what a person sees, what the keys do, and that the terminal is restored afterwards. */
class TopScreenTest {
    private static final String LEAVE = "\033[?25h\033[?1049l";

    @AutoClose
    private static final AttachJvm JVM = TopTest.start();

    private static TerminalSession top(AttachJvm jvm, int columns, int rows) {
        return TerminalSession.start(columns, rows, "top", jvm.pid(), "-i", "300ms");
    }

    private static Predicate<List<String>> has(String regex) {
        Pattern pattern = Pattern.compile(regex);
        return lines -> lines.stream().anyMatch(line -> pattern.matcher(line).find());
    }

    /** Waits for the whole screen, whose last line is drawn last. */
    private static List<String> awaitThreads(TerminalSession top) {
        return top.awaitScreen("the thread main",
                lines -> has(" {2}main$").test(lines) && lines.get(lines.size() - 1).startsWith(" h help"));
    }

    /** The command has succeeded, and the terminal's own screen, cursor and settings are back. */
    private static void assertLeft(String transcript, int exitCode) {
        assertThat(transcript).contains("\033[?1049h", LEAVE, "exit=" + exitCode);
        assertThat(transcript.substring(transcript.lastIndexOf(LEAVE))).doesNotContain("\033[?1049h",
                "\033[?25l");
        List<String> settings = Pattern.compile("settings=(\\S+)").matcher(transcript).results()
                .map(found -> found.group(1)).toList();
        assertThat(settings).hasSize(2);
        assertThat(settings.get(1)).as("settings of the terminal").isEqualTo(settings.get(0));
    }

    @Test
    void theScreenIsFilledToItsSizeAndQuitLeavesTheTerminalAsItWas() {
        for (int[] size : new int[][]{{80, 24}, {200, 50}}) {
            try (TerminalSession top = top(JVM, size[0], size[1])) {
                List<String> lines = awaitThreads(top);
                assertThat(lines).hasSize(size[1]);
                assertThat(lines.get(0)).startsWith("threadclock top  " + JVM.label().substring(0, 40))
                        .hasSize(size[0]);
                assertThat(lines.get(1)).matches(
                        "CPU [\\d.]+ % of one core: user [\\d.]+, system [\\d.]+; \\d+:[\\d.]+ since its"
                                + " start");
                assertThat(lines.get(3)).matches(" +TOTAL% +USER% +SYS% +WAIT% +TIME S +TID +THREAD");
                assertThat(lines.get(4)).startsWith(">");
                assertThat(lines.get(size[1] - 1)).startsWith(" h help  q quit  |  sorted by total");
                top.type("q");
                assertLeft(top.awaitEnd(), 0);
            }
        }
    }

    @Test
    void keysChangeWhatIsSeen() {
        try (TerminalSession top = top(JVM, 80, 24)) {
            awaitThreads(top);
            top.type("g");
            top.awaitScreen("pools", has("THREADS {2}POOL$"));
            top.type("g");
            top.type("/MAI");
            top.awaitScreen("the filter being typed", has("show only names that contain: MAI_$"));
            top.type("\r");
            top.awaitScreen("threads of that name only",
                    lines -> has("only 'MAI'  \\|  Java id \\d+, nid 0x").test(lines)
                            && lines.get(4).endsWith("  main")
                            && lines.subList(4, 23).stream().allMatch(
                                    line -> line.isEmpty() || line.toLowerCase(Locale.ROOT).contains("mai")));
            top.type("\r");
            top.awaitScreen("its frames", has(
                    "^ {2}(at| *\\d+ % +\\d+ % )"
                            + " dev\\.threadclock\\.tests\\.child\\.AttachTarget"
                            + "\\.main\\(AttachTarget\\.java"));
            top.type("h");
            top.awaitScreen("help", has("sort by total, user, system"));
            top.type("q");
            assertLeft(top.awaitEnd(), 0);
        }
    }

    @Test
    void aWindowMadeLargerIsFilled() {
        try (TerminalSession top = top(JVM, 80, 24)) {
            awaitThreads(top);
            top.resize(120, 40);
            top.awaitScreen("its foot in the last line",
                    lines -> lines.get(39).startsWith(" h help") && lines.get(0).length() == 120);
            top.type("q");
            assertLeft(top.awaitEnd(), 0);
        }
    }

    @Test
    void whenTheJvmEndsThatIsSaidOnTheTerminalAsItWas() {
        try (AttachJvm jvm = TopTest.start(); TerminalSession top = top(jvm, 80, 24)) {
            awaitThreads(top);
            jvm.kill();
            String transcript = top.awaitEnd();
            assertLeft(transcript, 0);
            assertThat(transcript.substring(transcript.lastIndexOf(LEAVE))).contains("the JVM has ended");
        }
    }

    @Test
    void terminatedItLeavesTheTerminalAsItWas() {
        try (TerminalSession top = top(JVM, 80, 24)) {
            awaitThreads(top);
            top.command().destroy();
            assertLeft(top.awaitEnd(), 143);
        }
    }

    private static String row(List<String> lines, AttachJvm jvm) {
        return lines.stream().filter(line -> line.contains(" " + jvm.pid() + " ")).findFirst().orElseThrow();
    }

    private static String number(List<String> lines, AttachJvm jvm) {
        return row(lines, jvm).replaceFirst("\\).*", "").strip();
    }

    @Test
    void ourOwnCommandsAreNotOffered() {
        try (TerminalSession top = top(JVM, 80, 24);
                TerminalSession another = TerminalSession.start(150, 50, "top")) {
            awaitThreads(top);
            List<String> lines = another.awaitScreen("the question", has("^Which one\\?$"));
            assertThat(row(lines, JVM)).contains("AttachTarget");
            assertThat(lines).noneMatch(line -> line.contains(" " + top.command().pid() + " ")
                    || line.contains(" " + another.command().pid() + " "));
        }
    }

    /** Control characters in an argument are not sent to the terminal. */
    @Test
    void whichOfTwoJvmsIsMeantIsAsked() {
        ChildJvm child = ChildJvm.of(TestJdk.newest());
        try (AttachJvm other = child.startTarget(AttachTarget.class, "--port\033[2J", "8080");
                AttachJvm ended = child.startTarget();
                TerminalSession top = TerminalSession.start(150, 50, "top", "AttachTarget", "-i", "300ms")) {
            List<String> lines = top.awaitScreen("the question", has("^Which one\\?$"));
            assertThat(lines).filteredOn(line -> line.matches(" +PID +CPU % +USER +COMMAND")).hasSize(1);
            String row = " *\\d+\\) +" + JVM.pid() + " +\\d+ +\\S+ +java \\S+AttachTarget";
            assertThat(lines).filteredOn(line -> line.matches(row)).hasSize(1);
            assertThat(row(lines, other)).endsWith("AttachTarget --port?[2J 8080");
            top.type("none\n");
            top.awaitScreen("the question again", has("^Which one\\? A number from 1 to \\d+:$"));
            ended.kill();
            other.await("its end", () -> !ended.proc().toFile().exists());
            top.type(number(lines, ended) + "\n");
            top.awaitScreen("the question again", has("^" + ended.pid() + " has ended\\. Which one\\?.*"));
            top.type(number(lines, other) + "\n");
            top.awaitScreen("that JVM", has("^threadclock top +" + other.pid() + " "));
            top.type("q");
            assertThat(top.awaitEnd()).contains("exit=0");
        }
    }
}
