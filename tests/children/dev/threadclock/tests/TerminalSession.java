// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jline.utils.ScreenTerminal;

/** A command at a pseudo terminal made by script(1); JLine's emulator shows what a person would see. */
final class TerminalSession implements AutoCloseable {
    private static final long PATIENCE_NANOS = 150_000_000_000L;
    private static final int LOOK_MILLIS = 50;

    private final Process script;
    private final ScreenTerminal screen;
    private final StringBuffer transcript = new StringBuffer();
    private final Thread reader = new Thread(this::read, "terminal");

    private TerminalSession(Process script, int columns, int rows) {
        this.script = script;
        screen = new ScreenTerminal(columns, rows);
        reader.start();
    }

    /**
     * Runs a command of the command line. The words settings= that the shell prints before and after it are
     * the terminal's settings (stty -g).
     */
    static TerminalSession start(int columns, int rows, String... arguments) {
        return start(columns, rows, List.of(), arguments);
    }

    /** The same under another command, such as strace. */
    static TerminalSession start(int columns, int rows, List<String> under, String... arguments) {
        String command = ChildJvm.words(under, AttachJvm.QUICKLY, "-jar", Product.JAR, arguments).stream()
                .map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        String shell = "stty rows " + rows + " cols " + columns + "; echo settings=$(stty -g); " + command
                + "; echo exit=$?; echo settings=$(stty -g)";
        ProcessBuilder builder = new ProcessBuilder("script", "-qfc", shell, "/dev/null")
                .redirectErrorStream(true);
        builder.environment().put("TERM", "xterm");
        try {
            return new TerminalSession(builder.start(), columns, rows);
        } catch (IOException e) {
            abort("there is no script(1) here to make a terminal: apt-get install bsdutils");
            throw new IllegalStateException(e);
        }
    }

    private void read() {
        try (Reader out = new InputStreamReader(script.getInputStream(), StandardCharsets.UTF_8)) {
            char[] some = new char[4096];
            for (int count; (count = out.read(some)) > 0;) {
                String text = new String(some, 0, count);
                screen.write(text);
                transcript.append(text);
            }
        } catch (IOException e) {
            transcript.append(e);
        }
    }

    void type(String keys) {
        try {
            script.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
            script.getOutputStream().flush();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Resizes the terminal, as when its window is resized. */
    void resize(int columns, int rows) {
        screen.setSize(columns, rows);
        try {
            Path terminal = Files
                    .readSymbolicLink(Path.of("/proc", Long.toString(command().pid()), "fd", "1"));
            ChildJvm.exec("stty", "-F", terminal, "rows", rows, "cols", columns).end().exits(0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The command's JVM. */
    ProcessHandle command() {
        return script.descendants().filter(process -> process.info().command().orElse("").endsWith("java"))
                .findFirst().orElseThrow();
    }

    /** The screen's lines, without trailing blanks. */
    List<String> lines() {
        long[] cells = new long[screen.getColumns() * screen.getRows()];
        screen.dump(cells, new int[2]);
        String all = Arrays.stream(cells)
                .mapToObj(cell -> Character.toString(Math.max(' ', ScreenTerminal.cellCodePoint(cell))))
                .collect(Collectors.joining());
        List<String> lines = new ArrayList<>();
        for (int at = 0; at < all.length(); at += screen.getColumns()) {
            lines.add(all.substring(at, at + screen.getColumns()).stripTrailing());
        }
        return lines;
    }

    /** Waits until the screen meets the condition. */
    List<String> awaitScreen(String what, Predicate<List<String>> wanted) {
        for (long began = System.nanoTime(); System.nanoTime() - began < PATIENCE_NANOS; AttachJvm
                .sleep(LOOK_MILLIS)) {
            List<String> lines = lines();
            if (wanted.test(lines)) {
                return lines;
            }
        }
        throw new AssertionError("the screen never showed " + what + ":\n" + String.join("\n", lines()));
    }

    /** Waits for the end of the command and returns all its output to the terminal. */
    String awaitEnd() {
        try {
            assertThat(script.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS))
                    .as("has ended:\n" + String.join("\n", lines())).isTrue();
            reader.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return transcript.toString();
    }

    @Override
    public void close() {
        script.descendants().forEach(ProcessHandle::destroyForcibly);
        script.destroyForcibly();
    }
}
