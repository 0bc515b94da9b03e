// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs child processes with a time limit. No child outlives the command line. */
public final class Children {
    /** How a child ended; exit is meaningless if the child was killed at the time limit. */
    public record Outcome(int exit, boolean timedOut, String stderr) {}

    /** Java prints a line if one of these is set; and measured children should run with its defaults. */
    private static final List<String> JAVA_OPTION_VARIABLES = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
            "_JAVA_OPTIONS");

    private static final long READERS_MILLIS = 2_000;
    private static final int KEPT_STDERR = 64 * 1024;

    private Children() {}

    /**
     * Runs a command to its end and passes on each line of its stdout.
     * @throws IOException if it could not be started
     */
    public static Outcome run(List<String> command, Duration limit, Consumer<String> onStdoutLine)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        builder.environment().keySet().removeAll(JAVA_OPTION_VARIABLES);
        Process[] started = new Process[1];
        Runnable kill = () -> kill(started[0]);
        Shutdown.notDuring(() -> {
            started[0] = builder.start();
            Shutdown.add(kill);
        });
        Process child = started[0];
        try {
            StringBuffer stderr = new StringBuffer();
            Thread out = reader(child.getInputStream(), onStdoutLine);
            Thread err = reader(child.getErrorStream(), line -> {
                if (stderr.length() < KEPT_STDERR) {
                    stderr.append(line).append('\n');
                }
            });
            boolean ended = child.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                kill(child);
                child.waitFor();
            }
            out.join(READERS_MILLIS);
            err.join(READERS_MILLIS);
            if (ended) {
                Shutdown.waitIfSignalled(child.exitValue());
            }
            return new Outcome(child.exitValue(), !ended, stderr.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            kill(child);
            Shutdown.remove(kill);
        }
    }

    /** Kills the child's own children first, because a java may be a script that starts the real one. */
    private static void kill(Process child) {
        child.descendants().forEach(ProcessHandle::destroyForcibly);
        child.destroyForcibly();
    }

    private static Thread reader(InputStream in, Consumer<String> onLine) {
        Thread thread = new Thread(() -> {
            try (BufferedReader lines = new BufferedReader(
                    new InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line; (line = lines.readLine()) != null;) {
                    onLine.accept(line);
                }
            } catch (IOException e) {
                // The child has ended or was killed.
            }
        }, "child output");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
