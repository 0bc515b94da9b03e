// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.AttachTarget;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.shared.ChildProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractLongAssert;

/**
 * Describes a child JVM that runs one of the programs in src/main, starts it, and collects its output and
 * exit status. Each {@code with} method adds to the description and returns it.
 */
final class ChildJvm {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    /** The programs that child JVMs run, for any user. */
    static final Path CLASSES = Product.readableByOthers(Product.origin(Hello.class));

    private final TestJdk jdk;
    private final List<String> before = new ArrayList<>();
    private final List<String> flags = new ArrayList<>(List.of("-Xmx256m"));
    private final List<Path> classPath = new ArrayList<>(List.of(CLASSES));
    private final Map<String, String> environment = new HashMap<>();
    private Duration limit = LIMIT;

    private ChildJvm(TestJdk jdk) {
        this.jdk = jdk;
    }

    static ChildJvm of(TestJdk jdk) {
        return new ChildJvm(jdk);
    }

    /** JVM flags, as {@link #words}. */
    ChildJvm with(Object... more) {
        flags.addAll(words(more));
        return this;
    }

    ChildJvm withAgentPath(String options) {
        return with("-agentpath:" + Product.LIBRARY + (options.isEmpty() ? "" : "=" + options));
    }

    /** Suppresses the warning of JDK 24 and later. */
    ChildJvm withNativeAccess() {
        return jdk.warnsOfNativeAccess() ? with("--enable-native-access=ALL-UNNAMED") : this;
    }

    /** Suppresses the warning of JDK 21 and later about an agent that is loaded later (JEP 451). */
    ChildJvm withDynamicAgents() {
        return jdk.feature() >= 21 ? with("-XX:+EnableDynamicAgentLoading") : this;
    }

    /** Loads the agent with -javaagent, and suppresses the warning of JDK 24 and later. */
    ChildJvm withJavaAgent(String options) {
        return withJavaAgent(Product.AGENT_JAR, options);
    }

    ChildJvm withJavaAgent(Path jar, String options) {
        return withNativeAccess().withPlainJavaAgent(jar, options);
    }

    ChildJvm withPlainJavaAgent(Path jar, String options) {
        return with("-javaagent:" + jar + (options.isEmpty() ? "" : "=" + options));
    }

    /** Adds jars that the program needs. */
    ChildJvm withClassPath(Path... jars) {
        classPath.addAll(Arrays.asList(jars));
        return this;
    }

    /** Replaces the class path: an archive of classes needs one of jars alone. */
    ChildJvm withJar(Path jar) {
        classPath.clear();
        return withClassPath(jar);
    }

    /** Extends the time limit. */
    ChildJvm withinAtLeast(Duration longer) {
        limit = longer.compareTo(LIMIT) > 0 ? longer : LIMIT;
        return this;
    }

    ChildJvm withEnvironment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** A crash of the JVM leaves its report (hs_err) in this folder. */
    ChildJvm withCrashes(Path folder) {
        return with("-XX:ErrorFile=" + folder.resolve("hs_err_%p.log"));
    }

    static List<Path> crashes(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("hs_err_")).toList();
        }
    }

    /** The signal, the problematic frame and the stack of the first crash; "" if there is none. */
    static String crash(Path folder) throws IOException {
        List<Path> files = crashes(folder);
        return files.isEmpty() ? "" : Files.readString(files.get(0), StandardCharsets.ISO_8859_1).lines()
                .filter(line -> !line.isBlank()).limit(60).collect(Collectors.joining("\n"));
    }

    /** Runs it under a command that takes the java command line as arguments: strace, unshare. */
    ChildJvm under(Object... command) {
        before.addAll(words(command));
        return this;
    }

    /** Runs it in a mount namespace of its own, after a line of shell that mounts things. */
    ChildJvm mounted(String mounts) {
        return under("unshare", "-m", "sh", "-c", mounts + " && exec \"$@\"", "sh");
    }

    /** Starts the program and waits for its end. */
    Result run(Class<?> program, Object... args) {
        return start(program, args).end();
    }

    Running start(Class<?> program, Object... args) {
        String path = classPath.stream().map(Path::toString).collect(Collectors.joining(":"));
        return start(words(before, jdk.java(), flags, "-cp", path, program.getName(), words(args)),
                environment, limit);
    }

    /** Starts a JVM to attach to, and waits until it is running. */
    AttachJvm startTarget() {
        return startTarget(AttachTarget.class);
    }

    /** With another program, which must also print lines "running". */
    AttachJvm startTarget(Class<?> program, Object... args) {
        return new AttachJvm(start(program, args));
    }

    /** The words of a command: each is given alone, or with others in a list or an array. */
    static List<String> words(Object... parts) {
        return Stream.of(parts).flatMap(ChildJvm::flat).map(Object::toString).toList();
    }

    private static Stream<?> flat(Object part) {
        return part instanceof Collection<?> list ? list.stream().flatMap(ChildJvm::flat)
                : part instanceof Object[] array ? Stream.of(array).flatMap(ChildJvm::flat) : Stream.of(part);
    }

    /** Starts any command, in words as above, as {@link ChildProcess#of}. */
    static Running exec(Object... command) {
        return start(words(command), Map.of(), LIMIT);
    }

    private static Running start(List<String> command, Map<String, String> environment, Duration limit) {
        try {
            Path out = Files.createTempFile("child-", ".out");
            Path err = Files.createTempFile("child-", ".err");
            ProcessBuilder builder = ChildProcess.of(command).redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            // Those that a killed JVM of this PID, or a command, has left would keep another from listening.
            Files.deleteIfExists(Path.of("/tmp/.java_pid" + process.pid()));
            Files.deleteIfExists(Path.of("/tmp/.attach_pid" + process.pid()));
            return new Running(command, process, out, err, limit);
        } catch (IOException e) {
            throw new IllegalStateException("cannot start " + command, e);
        }
    }

    /** What is waited for. */
    interface Condition {
        boolean holds() throws IOException;
    }

    record Running(List<String> command, Process process, Path out, Path err, Duration limit)
            implements
                AutoCloseable {
        /** Waits until something holds. Fails if it does not within the limit, or the process has ended. */
        void await(String what, Condition condition) {
            try {
                for (long began = System.nanoTime();; AttachJvm.sleep(10)) {
                    boolean alive = process.isAlive();
                    if (condition.holds()) {
                        return;
                    }
                    if (!alive || System.nanoTime() - began > limit.toNanos()) {
                        throw new AssertionError("waited in vain for " + what + ": it " + state());
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Waits until it has printed this. */
        void awaitOutput(String text) {
            await(text, () -> Files.readString(out).contains(text));
        }

        /** Raises or lowers a limit of the process. */
        void limit(String what, Object soft) {
            exec("prlimit", "--pid=" + process.pid(), "--" + what + "=" + soft + ":").end().exits(0);
        }

        Result end() {
            try {
                boolean ended = process.waitFor(limit.toSeconds(), TimeUnit.SECONDS);
                if (!ended) {
                    process.descendants().forEach(ProcessHandle::destroyForcibly);
                    process.destroyForcibly().waitFor();
                }
                Result result = new Result(command, process.exitValue(), Files.readString(out),
                        Files.readString(err));
                if (!ended) {
                    throw new AssertionError("still running after " + limit + ": " + result);
                }
                return result;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                process.destroyForcibly();
                throw new IllegalStateException("interrupted", e);
            } finally {
                discard(out);
                discard(err);
            }
        }

        Result kill() {
            process.destroyForcibly();
            return end();
        }

        /** Kills it, if it has not ended, with the processes that it has started. */
        @Override
        public void close() {
            List<ProcessHandle> started = process.descendants().toList();
            process.destroyForcibly().onExit().join();
            started.forEach(ProcessHandle::destroyForcibly);
            discard(out);
            discard(err);
        }

        /** The output so far, and the exit status if it has ended; for messages. */
        String state() throws IOException {
            String how = process.isAlive() ? "runs" : "has ended with " + process.exitValue();
            return how + "\nstdout: " + Files.readString(out) + "\nstderr: " + Files.readString(err);
        }

        private static void discard(Path file) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    record Result(List<String> command, int exitCode, String out, String err) {
        List<String> outLines() {
            return out.lines().toList();
        }

        List<String> errLines() {
            return err.lines().toList();
        }

        /** The values of all lines or words {@code key=value} in the output. */
        List<String> all(String key) {
            return Arrays.stream(out.split("\\s+")).filter(word -> word.startsWith(key + "="))
                    .map(word -> word.substring(key.length() + 1)).toList();
        }

        String value(String key) {
            List<String> values = all(key);
            if (values.size() != 1) {
                throw new AssertionError("not one " + key + "= in: " + this);
            }
            return values.get(0);
        }

        long number(String key) {
            return Long.parseLong(value(key));
        }

        /** Judges a number that it has printed. */
        AbstractLongAssert<?> assertNumber(String key) {
            return assertThat(number(key)).as("%s= in %s", key, this);
        }

        /** Fails unless it has printed this value. */
        Result has(String key, Object value) {
            assertThat(value(key)).as("%s= in %s", key, this).isEqualTo(value.toString());
            return this;
        }

        /** Fails unless the child exited with this status. */
        Result exits(int status) {
            if (exitCode != status) {
                throw new AssertionError("not exit " + status + ": " + this);
            }
            return this;
        }

        /** Fails unless the child exited with 0 and printed nothing to stderr. */
        Result ok() {
            if (!err.isEmpty()) {
                throw new AssertionError("not an empty stderr: " + this);
            }
            return exits(0);
        }

        Json json() {
            return Json.of(out);
        }

        @Override
        public String toString() {
            return "exit " + exitCode + "\nstdout: " + out + "\nstderr: " + err + "\nof "
                    + String.join(" ", command);
        }
    }
}
