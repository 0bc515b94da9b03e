// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.jdk;

import dev.threadclock.attach.internal.Printable;
import dev.threadclock.command.terminal.Children;
import dev.threadclock.command.terminal.Failure;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The Java installations (JDKs and JREs) found on this machine, each once: in JAVA_HOME, PATH, /usr/lib/jvm,
 * /usr/java, /opt/java, SDKMAN.
 *
 * @param jdks the working ones, oldest version first, each once however many links lead to it
 * @param skipped folders that look like an installation but do not work
 */
public record Jdks(List<Jdk> jdks, List<Skipped> skipped) {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** A folder that is skipped, and why. */
    public record Skipped(String path, String reason) {}

    /** Searches the usual places. */
    public static Jdks find() {
        return of(candidates());
    }

    /**
     * The JDKs that --jdk asks for, or those in the usual places without --jdk. Failure: one of them does not
     * work.
     */
    public static Jdks wanted(Collection<Path> homes) {
        Jdks jdks = homes.isEmpty() ? find() : of(homes);
        if (!homes.isEmpty() && !jdks.skipped().isEmpty()) {
            Skipped wrong = jdks.skipped().get(0);
            throw new Failure("--jdk " + wrong.path() + " is not a working JDK: " + wrong.reason()
                    + "; give the folder that contains bin/java");
        }
        return jdks;
    }

    /** The same, and those that a checkout's ci/jdks has fetched; fails if there is none. */
    public static Jdks needed(Collection<Path> homes) {
        List<Path> all = candidates();
        all.addAll(fetched());
        return (homes.isEmpty() ? of(all) : wanted(homes)).orFailure();
    }

    Jdks orFailure() {
        if (jdks.isEmpty()) {
            throw new Failure((skipped.isEmpty() ? "no JDK found in the usual places" : skipped.stream()
                    .map(each -> each.path() + ": " + each.reason())
                    .collect(Collectors.joining("; ", "no JDK in the usual places works (", ")")))
                    + "; give one with --jdk DIR");
        }
        return this;
    }

    /** Uses only these folders. Each may be a JDK's home or its bin/java. */
    public static Jdks of(Collection<Path> candidates) {
        Map<Path, Jdk> byHome = new LinkedHashMap<>();
        List<Skipped> skipped = new ArrayList<>();
        Set<Path> seen = new LinkedHashSet<>();
        for (Path candidate : candidates) {
            try {
                Path java = java(candidate);
                if (seen.add(java)) {
                    Jdk jdk = ask(java);
                    byHome.putIfAbsent(jdk.home(), jdk);
                }
            } catch (Failure e) {
                skipped.add(new Skipped(candidate.toString(), e.getMessage()));
            }
        }
        List<Jdk> jdks = new ArrayList<>(byHome.values());
        jdks.sort(Jdk.OLDEST_FIRST);
        return new Jdks(List.copyOf(jdks), List.copyOf(skipped));
    }

    /** The real path of an installation's java, so that several links to it count once. */
    private static Path java(Path candidate) {
        try {
            Path real = candidate.toRealPath();
            Path java = Files.isDirectory(real) ? real.resolve("bin/java") : real;
            if (!Files.exists(java)) {
                throw new Failure("there is no bin/java in it");
            }
            if (!Files.isExecutable(java)) {
                throw new Failure("its bin/java is not executable");
            }
            return java.toRealPath();
        } catch (IOException e) {
            throw new Failure("there is no such folder");
        }
    }

    private static List<Path> candidates() {
        List<Path> candidates = new ArrayList<>();
        String javaHome = System.getenv("JAVA_HOME");
        if (javaHome != null && !javaHome.isEmpty()) {
            candidates.add(Path.of(javaHome));
        }
        candidates.addAll(onPath());
        candidates.addAll(foldersIn(Path.of("/usr/lib/jvm")));
        candidates.addAll(foldersIn(Path.of("/usr/java")));
        candidates.addAll(foldersIn(Path.of("/opt/java")));
        candidates.addAll(foldersIn(Path.of(System.getProperty("user.home"), ".sdkman/candidates/java")));
        return candidates;
    }

    /** Where ci/jdks puts them. */
    private static List<Path> fetched() {
        Map<String, String> env = System.getenv();
        String cache = env.getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
        return foldersIn(Path.of(env.getOrDefault("THREADCLOCK_JDKS_ROOT", cache + "/threadclock/jdks")))
                .stream().map(folder -> folder.resolve("jdk")).filter(Files::exists).toList();
    }

    private static List<Path> onPath() {
        List<Path> found = new ArrayList<>();
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
            try {
                Path java = Path.of(folder.isEmpty() ? "." : folder, "java");
                if (Files.isRegularFile(java) && Files.isExecutable(java)) {
                    found.add(java);
                }
            } catch (InvalidPathException e) {
                // There is no such folder.
            }
        }
        return found;
    }

    private static List<Path> foldersIn(Path parent) {
        try (Stream<Path> entries = Files.list(parent)) {
            return entries.filter(Files::isDirectory)
                    .filter(folder -> !folder.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** What it says of itself; its release file adds the name of the vendor. */
    private static Jdk ask(Path java) {
        Map<String, String> properties = java.equals(own()) ? properties(System.getProperties())
                : printed(java);
        try {
            Path real = Path.of(properties.get("java.home")).toRealPath();
            return new Jdk(real, properties.get("java.version"), vendor(real, properties),
                    properties.getOrDefault("os.arch", "?"));
        } catch (IOException e) {
            throw new Failure("its java.home " + properties.get("java.home") + " is not there");
        }
    }

    /** Which runs this program: on a busy machine another process of it may take its time. Null: unknown. */
    private static Path own() {
        try {
            return Path.of(System.getProperty("java.home"), "bin/java").toRealPath();
        } catch (IOException e) {
            return null;
        }
    }

    private static Map<String, String> properties(Properties properties) {
        return properties.stringPropertyNames().stream()
                .collect(Collectors.toMap(name -> name, properties::getProperty));
    }

    /** Runs this java and has it print its properties. */
    private static Map<String, String> printed(Path java) {
        Children.Outcome outcome;
        try {
            outcome = Children.run(List.of(java.toString(), "-XshowSettings:properties", "-version"), LIMIT,
                    line -> {
                    });
        } catch (IOException e) {
            throw new Failure(java + " cannot be run");
        }
        if (outcome.timedOut()) {
            throw new Failure(java + " does not end within " + LIMIT.toSeconds() + " s");
        }
        Map<String, String> properties = properties(outcome.stderr());
        if (outcome.exit() != 0 || !properties.keySet().containsAll(List.of("java.home", "java.version"))) {
            String said = outcome.stderr().lines().findFirst()
                    .map(line -> ": " + Printable.line(line, 200))
                    .orElse(", and says nothing");
            throw new Failure(java + " does not work (exit status " + outcome.exit() + ")" + said);
        }
        return properties;
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
        String product = properties.getOrDefault("java.vendor.version",
                release(home, "IMPLEMENTOR_VERSION"));
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
