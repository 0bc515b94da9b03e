// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A JDK as the experiments see it: how it reads user time, and how to start it.
 *
 * @param legacy whether it reads user time from /proc. This is judged by the file's name in libjvm.so, which
 *     JDKs with the clock (JDK-8372584) no longer contain, and not by version numbers, because vendors
 *     backport.
 */
record LabJdk(Jdk jdk, Path libjvm, boolean legacy) {
    private static final String STAT_FILE = "/proc/self/task/%d/stat";
    private static final int DEPTH = 5;
    private static final int DEFAULT_FEATURE = 17;

    /** All JDKs that can be classified, the oldest first. */
    static List<LabJdk> all(Lab lab) throws IOException {
        List<LabJdk> all = new ArrayList<>();
        for (Jdk jdk : lab.jdks()) {
            Optional<Path> libjvm = libjvm(jdk);
            if (libjvm.isPresent()) {
                all.add(new LabJdk(jdk, libjvm.get(), contains(libjvm.get(), STAT_FILE)));
            }
        }
        return all;
    }

    /** All JDKs; in a quick lab the oldest, 17 (a common default), the newest legacy one, and the newest. */
    static List<LabJdk> chosen(Lab lab) throws IOException, NotRunnable {
        List<LabJdk> all = all(lab);
        if (all.isEmpty()) {
            throw new NotRunnable(
                    "there is no JDK with a HotSpot JVM here; install one, or name it with --jdk");
        }
        if (!lab.quick()) {
            return all;
        }
        Set<LabJdk> chosen = new LinkedHashSet<>();
        chosen.add(all.get(0));
        all.stream().filter(jdk -> jdk.jdk.feature() == DEFAULT_FEATURE).findFirst().ifPresent(chosen::add);
        last(all.stream().filter(LabJdk::legacy)).ifPresent(chosen::add);
        chosen.add(all.get(all.size() - 1));
        return all.stream().filter(chosen::contains).toList();
    }

    /** The legacy JDKs among the chosen. Only they have something to speed up. */
    static List<LabJdk> legacy(Lab lab) throws IOException, NotRunnable {
        List<LabJdk> legacy = chosen(lab).stream().filter(LabJdk::legacy).toList();
        if (legacy.isEmpty()) {
            throw new NotRunnable(
                    "no JDK here reads user time from /proc; install one from 8 to 25.0.4, or name"
                            + " it with --jdk");
        }
        return legacy;
    }

    static <T> Optional<T> last(Stream<T> values) {
        return values.reduce((a, b) -> b);
    }

    /** Which JDKs a quick lab leaves out, in words; "" if none. */
    static String leftOut(Lab lab) {
        return lab.quick() ? " Quick: the oldest JDK, 17, the newest that reads /proc, and the newest only."
                : "";
    }

    /** "JDK 17.0.21 Debian, /proc". */
    String label() {
        return jdk.label() + (legacy ? ", legacy" : ", bits");
    }

    String label(boolean agent) {
        return jdk.label() + (agent ? ", threadclock" : legacy ? ", legacy" : ", bits");
    }

    /** The options that load the agent without the JVM's warning about native access. */
    List<String> agent(Lab lab) {
        return agent(lab, "");
    }

    /** The options that load the agent with options of its own. */
    List<String> agent(Lab lab, String agentOptions) {
        String agent = "-javaagent:" + lab.jar() + (agentOptions.isEmpty() ? "" : "=" + agentOptions);
        List<String> options = new ArrayList<>(List.of(agent));
        options.addAll(Jdk.nativeAccess(jdk.feature()));
        return options;
    }

    /** A command that runs a program of the jar. */
    List<String> command(Lab lab, boolean agent, List<String> options, Class<?> program,
            Object... arguments) {
        List<String> command = new ArrayList<>(List.of(jdk.java().toString(), "-Xms64m", "-Xmx256m"));
        if (agent) {
            command.addAll(agent(lab));
        }
        command.addAll(options);
        command.addAll(List.of("-cp", lab.jar().toString(), program.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return command;
    }

    private static Optional<Path> libjvm(Jdk jdk) {
        try (Stream<Path> files = Files.find(jdk.home(), DEPTH,
                (path, facts) -> path.endsWith("server/libjvm.so"),
                FileVisitOption.FOLLOW_LINKS)) {
            return files.findFirst();
        } catch (IOException | java.io.UncheckedIOException e) {
            return Optional.empty();
        }
    }

    static boolean contains(Path file, String text) throws IOException {
        // Latin-1 preserves each byte.
        return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
    }
}
