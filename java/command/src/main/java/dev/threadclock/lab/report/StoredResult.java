// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import com.google.gson.JsonParseException;
import dev.threadclock.lab.model.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** One result in a separate file, with which an interrupted run is resumed. */
public final class StoredResult {
    private StoredResult() {}

    public static String text(Result result) {
        return LabReport.GSON.toJson(result) + "\n";
    }

    /** Empty if the file is missing or has another format, or if the experiment failed: it is retried. */
    public static Optional<Result> read(Path file) {
        try {
            return Optional.ofNullable(LabReport.GSON.fromJson(Files.readString(file), Result.class))
                    .filter(result -> result.outcome() != null && result.verdict() != null
                            && result.verdict() != Verdict.FAILED);
        } catch (IOException | JsonParseException e) {
            return Optional.empty();
        }
    }
}
