// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One JVM that runs {@link Engine}. Its log is its stderr, and its stdout without the answers. */
final class EngineJvm implements AutoCloseable {
    private final Setup setup;
    private final Path log;
    private final Process process;
    private final BufferedReader answers;
    private final Writer commands;
    private final List<String> strayLines = new ArrayList<>();
    private boolean started;

    /** first: folders and jars to put before Trino's on the class path. options: for this JVM alone. */
    EngineJvm(Setup setup, String name, List<Path> first, String... options) throws IOException {
        this.setup = setup;
        Files.createDirectories(setup.scratch());
        log = setup.scratch().resolve(setup.name().replace(' ', '-') + "-" + name + ".log");
        StringBuilder classPath = new StringBuilder();
        first.forEach(path -> classPath.append(path).append(':'));
        classPath.append(setup.classes()).append(':').append(setup.libraries()).append("/*");
        List<String> command = new ArrayList<>(List.of(setup.java(), "-Xmx3g"));
        command.addAll(setup.jvmOptions());
        command.addAll(Arrays.asList(options));
        command.addAll(List.of("-cp", classPath.toString(), Engine.class.getName()));
        process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        answers = process.inputReader(StandardCharsets.UTF_8);
        commands = process.outputWriter(StandardCharsets.UTF_8);
    }

    String ask(String command) throws IOException {
        if (!started) {
            answer("its start");
            started = true;
        }
        commands.write(command + "\n");
        commands.flush();
        return answer(command);
    }

    long[] numbers(String command) throws IOException {
        return Arrays.stream(ask(command).split(" ")).mapToLong(Long::parseLong).toArray();
    }

    QueryRun run(TpchQuery query) throws IOException {
        return QueryRun.of(ask("query " + query), setup.expected(query));
    }

    private String answer(String question) throws IOException {
        for (String line; (line = answers.readLine()) != null;) {
            if (line.startsWith(Engine.ANSWER)) {
                return line.substring(Engine.ANSWER.length());
            }
            strayLines.add(line);
        }
        throw new IOException(
                setup.name() + " ended without an answer to \"" + question + "\"; its log is " + log);
    }

    /** command: "attach" or "detach". */
    void threadclock(String command) throws IOException, InterruptedException {
        Process tool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:TieredStopAtLevel=1", "-jar", setup.threadclock().toString(), command,
                Long.toString(process.pid())).redirectErrorStream(true).start();
        String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (tool.waitFor() != 0) {
            throw new IOException("threadclock " + command + " failed: " + output);
        }
    }

    /** Ends the JVM and waits for it, so that its log is complete. */
    @Override
    public void close() throws IOException {
        commands.close();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(setup.name() + " did not end within 60 s");
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The sorted lines of the log, because threads write in any order. Left out are colours and words with a
     * digit in them (times, ports, ids, names of threads), which differ from run to run, and Trino's warnings
     * that a request of its own takes long, which a busy machine causes.
     */
    List<String> log() throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(log));
        lines.addAll(strayLines);
        return lines.stream().map(line -> line.replaceAll("\u001b\\[[0-9;]*m", "")
                .replaceAll("[\\w.:/+-]*\\d[\\w.:/+-]*", "N"))
                .filter(line -> !line.isBlank() && !line.contains(" has not returned in "))
                .sorted()
                .toList();
    }
}
