// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.command.terminal.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The programs that experiments run: those built by ./threadclock lab, and those installed on the machine.
 */
final class Programs {
    private static final int SHOWN_LINES = 8;

    private Programs() {}

    /** The output of a program. */
    record Said(List<String> stdout, String stderr) {
        /** The words of the only line that begins with this word. */
        String[] words(String first) throws IOException {
            return stdout.stream().filter(line -> line.startsWith(first + " ")).findFirst()
                    .orElseThrow(() -> new IOException(
                            "it did not print its \"" + first + "\": " + String.join(" / ",
                                    stdout)))
                    .split(" ");
        }
    }

    /** A file that the launcher builds for the lab. */
    static Path built(Lab lab, String file) throws NotRunnable {
        Path folder = lab.programs().orElseThrow(() -> new NotRunnable("needs " + file
                + ", which ./threadclock lab builds in a checkout of the project; the jar alone does not"
                + " contain it"));
        Path path = folder.resolve(file);
        if (Files.exists(path)) {
            return path;
        }
        throw new NotRunnable(file + " could not be built: " + reason(folder, file));
    }

    private static String reason(Path folder, String file) {
        try (Stream<String> lines = Files.lines(folder.resolve("missing.txt"))) {
            return lines.filter(line -> line.startsWith(file + "\t"))
                    .map(line -> line.substring(file.length() + 1)).findFirst()
                    .orElse("the build does not say why");
        } catch (IOException e) {
            return "the build does not say why";
        }
    }

    /** The installed program with this name. */
    static Optional<Path> onPath(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name)).filter(Files::isExecutable).findFirst();
    }

    /** Runs a program to its end. An IOException names the program, its end and its last output. */
    static Said run(List<String> command, Duration limit) throws IOException {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        Children.Outcome ended = Children.run(command, limit, lines::add);
        if (ended.timedOut() || ended.exit() != 0) {
            String how = ended.timedOut() ? "did not end within " + limit.toSeconds() + " s"
                    : "ended with exit status "
                            + ended.exit();
            throw new IOException(Path.of(command.get(0)).getFileName() + " " + how
                    + last(ended.stderr(), lines) + "; the command"
                    + " was " + String.join(" ", command));
        }
        synchronized (lines) {
            return new Said(List.copyOf(lines), ended.stderr());
        }
    }

    /** Runs a program that prints one JSON object. */
    static JsonObject json(List<String> command, Duration limit) throws IOException {
        String text = String.join("\n", run(command, limit).stdout());
        try {
            return JsonParser.parseString(text).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException e) {
            throw new IOException(Path.of(command.get(0)).getFileName() + " printed no JSON: "
                    + text.lines().findFirst().orElse("nothing"), e);
        }
    }

    private static String last(String stderr, List<String> stdout) {
        List<String> lines = stderr.isBlank() ? List.copyOf(stdout)
                : stderr.lines().filter(line -> !line.isBlank()).toList();
        List<String> tail = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
        return tail.isEmpty() ? "" : ": " + String.join(" / ", tail);
    }
}
