// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.jdk;

import dev.threadclock.command.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The Java installations (JDKs and JREs) found on this machine, each once: in JAVA_HOME, PATH, /usr/lib/jvm,
 * /usr/java, /opt/java, SDKMAN.
 *
 * @param jdks the working ones, oldest version first, each once however many links lead to it
 * @param skipped folders that look like an installation but do not work
 */
public record Jdks(List<Jdk> jdks, List<Skipped> skipped) {
    /** A folder that is skipped, and why. */
    public record Skipped(String path, String reason) {}

    /** Searches the usual places. */
    public static Jdks find() {
        return probe(candidates());
    }

    /** Uses only these folders. Each may be a JDK's home or its bin/java. */
    public static Jdks of(Collection<Path> homes) {
        return probe(homes);
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

    /** The same, but fails if there is none. */
    public static Jdks needed(Collection<Path> homes) {
        Jdks jdks = wanted(homes);
        if (jdks.jdks().isEmpty()) {
            throw new Failure("no JDK found in the usual places; give one with --jdk DIR");
        }
        return jdks;
    }

    private static Jdks probe(Collection<Path> candidates) {
        Map<Path, Jdk> byHome = new LinkedHashMap<>();
        List<Skipped> skipped = new ArrayList<>();
        Set<Path> seen = new LinkedHashSet<>();
        for (Path candidate : candidates) {
            try {
                Path java = java(candidate);
                if (seen.add(java)) {
                    Jdk jdk = JdkProbe.ask(java);
                    byHome.putIfAbsent(jdk.home(), jdk);
                }
            } catch (JdkProbe.NotWorking e) {
                skipped.add(new Skipped(candidate.toString(), e.getMessage()));
            }
        }
        List<Jdk> jdks = new ArrayList<>(byHome.values());
        jdks.sort(Jdk.OLDEST_FIRST);
        return new Jdks(List.copyOf(jdks), List.copyOf(skipped));
    }

    /** The real path of an installation's java, so that several links to it count once. */
    private static Path java(Path candidate) throws JdkProbe.NotWorking {
        try {
            Path real = candidate.toRealPath();
            Path java = Files.isDirectory(real) ? real.resolve("bin/java") : real;
            if (!Files.exists(java)) {
                throw new JdkProbe.NotWorking("there is no bin/java in it");
            }
            if (!Files.isExecutable(java)) {
                throw new JdkProbe.NotWorking("its bin/java is not executable");
            }
            return java.toRealPath();
        } catch (IOException e) {
            throw new JdkProbe.NotWorking("there is no such folder");
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
}
