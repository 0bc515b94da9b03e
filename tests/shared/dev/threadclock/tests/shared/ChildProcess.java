// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.shared;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts child processes for the tests of all modules. */
public final class ChildProcess {
    /** The JDK that runs the tests. */
    public static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
    public static final String JAVA = JAVA_HOME.resolve("bin/java").toString();
    public static final String CLASS_PATH = System.getProperty("java.class.path");

    /** What a process has printed to stdout and stderr, and its exit status. */
    public record Ended(int status, String output) {
        /** Fails unless it exited with 0. */
        public String ok() {
            if (status != 0) {
                throw new AssertionError("exit " + status + ": " + output);
            }
            return output;
        }
    }

    private ChildProcess() {}

    /** A command in the environment of a plain shell, which has no options for Java. */
    public static ProcessBuilder of(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet()
                .removeAll(List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"));
        return builder;
    }

    /** Runs it to its end. It has nothing to read. */
    public static Ended run(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes());
        return new Ended(process.waitFor(), output);
    }

    /** Runs a program of the tests where the library's native code does not load. */
    public static String runWithoutNative(Class<?> program, String classPath, String... flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(JAVA, "-Ddev.threadclock.library=/nonexistent/lib.so"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", classPath, program.getName()));
        return run(of(command)).ok();
    }
}
