// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What a run must share with an interrupted one to resume it: the build of threadclock, the user, the kernel,
 * the JDKs, and the options that change what is measured.
 */
final class RunKey {
    private static final int LETTERS = 12;

    private RunKey() {}

    static String of(Lab lab, List<Experiment> chosen) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(Files.readAllBytes(lab.jar()));
            digest.update(String.join("\n", System.getProperty("user.name"), System.getProperty("os.version"),
                    String.valueOf(lab.quick()), String.valueOf(lab.programs()), lab.jdks().toString(),
                    chosen.stream().map(Experiment::name).toList().toString())
                    .getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest()).substring(0, LETTERS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Where runs are stored: the user's cache. */
    static Path parent() {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path home = cache == null || cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(cache);
        return home.resolve("threadclock/lab");
    }
}
