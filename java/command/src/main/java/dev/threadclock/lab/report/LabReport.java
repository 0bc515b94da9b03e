// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.machine.Machine;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * All results of a run of the lab, in the form of its JSON file.
 *
 * @param threadclock version measured
 * @param begun when, ISO-8601 with zone
 * @param quick whether it was measured so briefly that the figures show only the order of magnitude
 * @param root whether it ran with all permissions
 * @param complete whether all experiments were requested
 * @param facts of the machine, by key
 * @param results in the order of the rows
 */
public record LabReport(
        String threadclock,
        String begun,
        boolean quick,
        boolean root,
        boolean complete,
        Machine machine,
        Map<String, Finding> facts,
        List<Installation> jdks,
        List<Result> results) {
    /** An installed JDK. */
    public record Installation(String label, String home) {
        public static Installation of(Jdk jdk) {
            return new Installation(jdk.label(), jdk.home().toString());
        }
    }

    static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

    public List<Result> with(Verdict verdict) {
        return results.stream().filter(result -> result.verdict() == verdict).toList();
    }

    public String toJson() {
        return compactPairs(GSON.toJson(this)) + "\n";
    }

    /** Reads what {@link #toJson()} has written. */
    public static LabReport fromJson(Path file) {
        LabReport report = read(file, LabReport.class, "'threadclock lab --json'");
        if (report == null || report.results == null || report.machine == null || report.jdks == null) {
            throw new Failure(file + " is no result of 'threadclock lab --json'");
        }
        return report;
    }

    static <T> T read(Path file, Class<T> form, String writer) {
        try {
            return GSON.fromJson(Files.readString(file), form);
        } catch (JsonParseException e) {
            throw new Failure(file + " is no result of " + writer + ": " + e.getMessage());
        } catch (IOException e) {
            throw new Failure("cannot read " + file + ": "
                    + (Files.exists(file) ? e.getMessage() : "there is no such file"));
        }
    }

    /** Puts each point of a curve on a single line. */
    private static String compactPairs(String json) {
        return json.replaceAll("\\[\\s+([-\\d.E]+),\\s+([-\\d.E]+)\\s+]", "[$1, $2]");
    }
}
