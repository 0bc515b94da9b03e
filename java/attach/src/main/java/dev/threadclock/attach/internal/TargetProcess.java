// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A process as /proc shows it, guaranteed to be the same one throughout; fails if it is not visible. */
public final class TargetProcess {
    private static final int START_TIME_FIELD = 22;
    private static final int MOST_BYTES = 1 << 25;

    private final int pid;
    private final Path folder;
    private final long startTime;

    TargetProcess(int pid) {
        this.pid = pid;
        folder = Path.of("/proc", Integer.toString(pid));
        if (!Files.isDirectory(folder)) {
            throw new AttachException("there is no process " + pid
                    + " (or /proc does not show it to this user); 'ps -C java' lists JVMs");
        }
        startTime = startTime(read("stat"));
        int group = status().group();
        if (group != pid) {
            throw new AttachException(pid + " is a thread of process " + group + "; give that number");
        }
    }

    static ProcStatus ownStatus() {
        try {
            return ProcStatus.parse(Files.readString(Path.of("/proc/self/status")));
        } catch (IOException e) {
            throw new AttachException(
                    "cannot read /proc/self/status (" + e.getMessage() + "); is /proc mounted?");
        }
    }

    int pid() {
        return pid;
    }

    /** In clock ticks since boot, as field 22 of its stat file. */
    long startTime() {
        return startTime;
    }

    Path folder() {
        return folder;
    }

    /** The number of an open file whose link in /proc/PID/fd is one of these. */
    Optional<String> descriptorOf(Set<String> links) {
        try (Stream<Path> descriptors = Files.list(folder.resolve("fd"))) {
            return descriptors.filter(descriptor -> links.contains(link(descriptor)))
                    .map(descriptor -> descriptor.getFileName().toString()).findFirst();
        } catch (IOException e) {
            throw failure("cannot see the open files of process " + pid, e);
        }
    }

    private static String link(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }

    ProcStatus status() {
        return ProcStatus.parse(read("status"));
    }

    ProcMaps maps() {
        return ProcMaps.parse(read("maps"));
    }

    /** cmdline: words that end with a zero byte each. */
    List<String> words() {
        return zeroSeparated(read("cmdline"));
    }

    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        for (String entry : zeroSeparated(read("environ"))) {
            int equals = entry.indexOf('=');
            if (equals > 0) {
                environment.putIfAbsent(entry.substring(0, equals), entry.substring(equals + 1));
            }
        }
        return environment;
    }

    /** Reads a file of its /proc folder. */
    String read(String name) {
        try {
            return text(folder.resolve(name));
        } catch (AccessDeniedException e) {
            throw hidden();
        } catch (IOException e) {
            throw failure("cannot read " + folder.resolve(name), e);
        }
    }

    /** A process can make the files about it very large. */
    public static String text(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        }
    }

    /** The failure to report: the process has ended, access is denied, or the reason that e gives. */
    AttachException failure(String what, IOException e) {
        if (!isAlive()) {
            return ended();
        }
        return e instanceof AccessDeniedException ? hidden()
                : new AttachException(what + ": " + Printable.line(String.valueOf(e.getMessage())));
    }

    boolean isAlive() {
        try {
            return startTime == startTime(text(folder.resolve("stat")))
                    && !ProcStatus.parse(text(folder.resolve("status"))).hasEnded();
        } catch (IOException e) {
            return false;
        }
    }

    /** A JVM that ends closes its socket some time before the process is gone. */
    void awaitEnd() {
        Deadline soon = new Deadline(Duration.ofSeconds(1));
        while (isAlive()) {
            if (!soon.pause()) {
                return;
            }
        }
        throw ended();
    }

    AttachException ended() {
        return new AttachException("process " + pid + " has ended meanwhile; nothing is left to do");
    }

    private AttachException hidden() {
        return new AttachException("may not inspect process " + pid + ": permission denied; "
                + (ownStatus().uid() == 0 ? "root needs the capability SYS_PTRACE for it, and in a container"
                        + " all others that the process has: run this outside of the container"
                        : "run this as that process's user, or as root"));
    }

    /** The second field, the program's name in parentheses, may contain anything. */
    private static long startTime(String stat) {
        String[] fromThird = stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ");
        return fromThird.length > START_TIME_FIELD - 3 ? Long.parseLong(fromThird[START_TIME_FIELD - 3])
                : -1;
    }

    private static List<String> zeroSeparated(String text) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split("\0", JavaCommandLine.MOST_WORDS));
    }
}
