// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.jdk;

import dev.threadclock.attach.internal.Printable;
import dev.threadclock.command.terminal.Children;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Identifies a Java installation by running it; its release file adds the vendor's name. */
final class JdkProbe {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private JdkProbe() {}

    /** Why a folder is not a working Java installation. */
    static final class NotWorking extends Exception {
        private static final long serialVersionUID = 1;

        NotWorking(String why) {
            super(why);
        }
    }

    /** Runs this java and has it print its properties. */
    static Jdk ask(Path java) throws NotWorking {
        Children.Outcome outcome;
        try {
            outcome = Children.run(List.of(java.toString(), "-XshowSettings:properties", "-version"), LIMIT,
                    line -> {
                    });
        } catch (IOException e) {
            throw new NotWorking(java + " cannot be run");
        }
        if (outcome.timedOut()) {
            throw new NotWorking(java + " does not end within " + LIMIT.toSeconds() + " s");
        }
        Map<String, String> properties = properties(outcome.stderr());
        String home = properties.get("java.home");
        String version = properties.get("java.version");
        if (outcome.exit() != 0 || home == null || version == null) {
            String said = outcome.stderr().lines().findFirst().map(line -> ": " + Printable.line(line, 200))
                    .orElse(", and says nothing");
            throw new NotWorking(java + " does not work (exit status " + outcome.exit() + ")" + said);
        }
        try {
            Path real = Path.of(home).toRealPath();
            return new Jdk(real, version, vendor(real, properties), properties.getOrDefault("os.arch", "?"));
        } catch (IOException e) {
            throw new NotWorking("its java.home " + home + " is not there");
        }
    }

    /** Parses the lines "    java.home = /usr/lib/jvm/..." of -XshowSettings. */
    private static Map<String, String> properties(String text) {
        Map<String, String> properties = new HashMap<>();
        for (String line : text.split("\n")) {
            int equals = line.indexOf(" = ");
            if (equals > 0) {
                properties.put(line.substring(0, equals).trim(), line.substring(equals + 3).trim());
            }
        }
        return properties;
    }

    /** The vendor's common name: Temurin, Corretto, Zulu, Debian, Oracle. */
    private static String vendor(Path home, Map<String, String> properties) {
        String product = properties.getOrDefault("java.vendor.version", release(home, "IMPLEMENTOR_VERSION"));
        String name = product.replaceFirst("[^A-Za-z].*", "");
        if (!name.isEmpty()) {
            return name;
        }
        String vendor = properties.getOrDefault("java.vendor", release(home, "IMPLEMENTOR"));
        return vendor.isEmpty() ? "unknown"
                : vendor.replaceFirst("[ ,]+(Inc\\.?|Corporation|Project|Foundation)\\b.*", "");
    }

    /** An entry of the release file, or ""; for a JRE inside a JDK 8, the file is one folder up. */
    private static String release(Path home, String key) {
        for (Path file : List.of(home.resolve("release"), home.resolveSibling("release"))) {
            try (Reader reader = Files.newBufferedReader(file)) {
                Properties release = new Properties();
                release.load(reader);
                return release.getProperty(key, "").replace("\"", "");
            } catch (IOException | IllegalArgumentException e) {
                // No such file, or not in this format: tries the next one.
            }
        }
        return "";
    }
}
