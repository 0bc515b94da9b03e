// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.NotRunnable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts system calls and kernel allocations with perf, bpftrace and strace, if they work here. */
final class Tracing {
    private static final Path TRACEFS = Path.of("/sys/kernel/tracing");
    private static final String EVENTS = "events/syscalls";
    private static final Duration LIMIT = Duration.ofMinutes(5);
    /** "20,,syscalls:sys_enter_close,873183,100.00,,": count, unit, event. */
    private static final Pattern PERF = Pattern.compile("^(\\d+),[^,]*,syscalls:sys_enter_(\\w+)(:u)?,.*");
    /** " 40.91    0.000027           0       100        11 openat": the errors column may be empty. */
    private static final Pattern STRACE = Pattern
            .compile("^\\s*[\\d.]+\\s+[\\d.]+\\s+\\d+\\s+(\\d+)\\s+(?:\\d+\\s+)?(\\w+)$");

    private Tracing() {}

    /** Counts the system calls of a command and of everything it starts. */
    interface Counter {
        Map<String, Long> count(List<String> command, List<String> systemCalls) throws IOException;

        String name();
    }

    /** Makes a command see the tracepoints: mounts tracefs in a private mount namespace if necessary. */
    static List<String> withTracefs(List<String> command) throws NotRunnable {
        if (Files.isDirectory(TRACEFS.resolve(EVENTS))
                || Files.isDirectory(Path.of("/sys/kernel/debug/tracing").resolve(EVENTS))) {
            return command;
        }
        if (!isRoot() || Programs.onPath("unshare").isEmpty()) {
            throw new NotRunnable("the kernel's tracepoints cannot be seen (" + TRACEFS
                    + " is empty or closed); run the lab as"
                    + " root");
        }
        List<String> all = new ArrayList<>(
                List.of("unshare", "--mount", "--propagation", "private", "sh", "-c",
                        "mount -t tracefs tracefs " + TRACEFS + " && exec \"$0\" \"$@\""));
        all.addAll(command);
        return all;
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** Returns perf if it can count, otherwise strace. Adds to why what does not work. */
    static Counter counter(List<String> control, String systemCall, long expected, List<String> why)
            throws NotRunnable {
        for (Counter counter : List.of(new Perf(), new Strace())) {
            try {
                if (Programs.onPath(counter.name()).isEmpty()) {
                    why.add(counter.name() + " is not there: apt-get install "
                            + (counter.name().equals("perf") ? "linux-perf"
                                    : "strace"));
                    continue;
                }
                long counted = counter.count(control, List.of(systemCall)).getOrDefault(systemCall, 0L);
                if (counted >= expected && counted <= expected + expected / 100) {
                    return counter;
                }
                why.add(counter.name() + " counts " + counted + " of " + expected + " calls of " + systemCall
                        + ", so it is not to be trusted here");
            } catch (IOException e) {
                why.add(counter.name() + " does not work: " + e.getMessage());
            }
        }
        throw new NotRunnable("system calls cannot be counted: " + String.join("; ", why));
    }

    /** Tracepoints: exact, with little slowdown. Needs root, or kernel.perf_event_paranoid of -1. */
    private static final class Perf implements Counter {
        @Override
        public String name() {
            return "perf";
        }

        @Override
        public Map<String, Long> count(List<String> command, List<String> systemCalls) throws IOException {
            List<String> all = new ArrayList<>(List.of("perf", "stat", "-x,"));
            for (String systemCall : systemCalls) {
                all.addAll(List.of("-e", "syscalls:sys_enter_" + systemCall));
            }
            all.add("--");
            all.addAll(command);
            try {
                return parsePerf(Programs.run(withTracefs(all), LIMIT).stderr());
            } catch (NotRunnable e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }

    /** Stops the program at each system call: exact but slow. Containers and Yama may forbid ptrace. */
    private static final class Strace implements Counter {
        @Override
        public String name() {
            return "strace";
        }

        @Override
        public Map<String, Long> count(List<String> command, List<String> systemCalls) throws IOException {
            List<String> all = new ArrayList<>(List.of("strace", "-f", "-c", "-e", "trace="
                    + String.join(",", systemCalls.stream().map(Tracing::straceName).toList())));
            all.addAll(command);
            return parseStrace(Programs.run(all, LIMIT).stderr());
        }
    }

    /** perf uses the kernel's names, all of which equal strace's except this one. */
    private static String straceName(String systemCall) {
        return systemCall.equals("newfstat") ? "fstat" : systemCall;
    }

    /** Parses perf stat -x, for tracepoints of system calls: counts by name without "sys_enter_". */
    static Map<String, Long> parsePerf(String text) {
        return parse(text, PERF, 2, 1);
    }

    /** Parses the table of strace -c. */
    static Map<String, Long> parseStrace(String text) {
        Map<String, Long> counts = parse(text, STRACE, 2, 1);
        counts.remove("total");
        return counts;
    }

    private static Map<String, Long> parse(String text, Pattern pattern, int name, int count) {
        Map<String, Long> counts = new LinkedHashMap<>();
        text.lines().map(pattern::matcher).filter(Matcher::matches)
                .forEach(
                        line -> counts.merge(line.group(name), Long.parseLong(line.group(count)), Long::sum));
        return counts;
    }
}
