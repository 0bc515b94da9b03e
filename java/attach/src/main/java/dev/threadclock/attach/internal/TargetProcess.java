// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A process as /proc shows it, guaranteed to be the same one throughout; fails if it is not visible. Its
 * first thread may have ended, in an embedder's program, and then has no files any more: another's are read.
 */
public final class TargetProcess {
    private static final int START_TIME_FIELD = 22;
    private static final int MOST_BYTES = 1 << 25;
    private static final int MOST_NAMES = 1000;

    private final int pid;
    private final Path process;
    private final long startTime;
    private Path folder;

    TargetProcess(int pid) {
        this.pid = pid;
        process = Path.of("/proc", Integer.toString(pid));
        folder = process;
        if (!Files.isDirectory(process)) {
            throw new AttachException("there is no process " + pid
                    + " (or /proc does not show it to this user); 'ps -C java' lists JVMs");
        }
        if (!Files.isReadable(process) && Files.isDirectory(process)) { // /proc is mounted with hidepid=1
            throw hidden();
        }
        startTime = startTime(read("stat"));
        int group = status().group();
        if (group != pid) {
            throw new AttachException(pid + " is a thread of process " + group + "; give that number");
        }
    }

    /** The folders of all processes that /proc shows; none without /proc. */
    public static List<Path> all() {
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            processes.forEach(all::add);
        } catch (IOException | DirectoryIteratorException e) {
            // None is visible.
        }
        return all;
    }

    /** The folder of a process's thread that has not ended: its own, unless its first thread has. */
    private static Path living(Path process) throws IOException {
        if (!isZombie(process)) {
            return process;
        }
        try (Stream<Path> threads = Files.list(process.resolve("task"))) {
            return threads.sorted(Comparator.comparingInt(TargetProcess::number)).filter(thread -> {
                try {
                    return !isZombie(thread);
                } catch (IOException e) {
                    return false;
                }
            }).findFirst().orElse(process);
        }
    }

    private static boolean isZombie(Path folder) throws IOException {
        String status = text(folder.resolve("status"));
        return status.contains("\nState:\tZ") || status.contains("\nState:\tX");
    }

    private static int number(Path folder) {
        return Integer.parseInt(folder.getFileName().toString());
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

    /** The number of a thread that has not ended. */
    int tid() {
        return number(folder);
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
        } catch (UncheckedIOException e) {
            throw failure("cannot see the open files of process " + pid, e.getCause());
        }
    }

    private static String link(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }

    /** Its own, but the state of one of its threads. */
    ProcStatus status() {
        ProcStatus now = ProcStatus.parse(read("status"));
        return now.hasEnded() && moved() ? status() : now;
    }

    /** Whether another thread's folder is read from now on. */
    private boolean moved() {
        try {
            Path before = folder;
            folder = living(process);
            return !folder.equals(before);
        } catch (IOException e) {
            return false;
        }
    }

    ProcMaps maps() {
        return ProcMaps.parse(read("maps"));
    }

    /** Whether one of its threads has this name; true also if it has more than are looked at. */
    boolean mayHaveThread(String name) {
        try (Stream<Path> threads = Files.list(process.resolve("task"))) {
            List<Path> first = threads.limit(MOST_NAMES).toList();
            return first.size() == MOST_NAMES || first.stream().anyMatch(thread -> isNamed(thread, name));
        } catch (IOException e) {
            throw failure("cannot see the threads of process " + pid, e);
        } catch (UncheckedIOException e) {
            throw failure("cannot see the threads of process " + pid, e.getCause());
        }
    }

    private static boolean isNamed(Path thread, String name) {
        try {
            return text(thread.resolve("comm")).equals(name + "\n");
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    /**
     * What a process runs, as far as others see it; empty unless it is another JVM.
     *
     * @param hidden one that hides its libraries from us may be a JVM as well
     */
    public static Optional<JavaCommandLine> command(Path process, boolean hidden) {
        try {
            Path folder = living(process);
            String status = text(folder.resolve("status"));
            boolean thisOne = status.contains("\nTgid:\t" + ProcessHandle.current().pid() + "\n");
            boolean thread = !status.contains("\nTgid:\t" + process.getFileName() + "\n");
            // A process with one thread is a forked child of a JVM.
            return thisOne || thread || status.contains("\nThreads:\t1\n") || !hasJvm(folder, hidden)
                    ? Optional.empty() : Optional.of(JavaCommandLine
                            .of(zeroSeparated(text(folder.resolve("cmdline"))), file -> ""));
        } catch (IOException e) {
            return Optional.empty(); // another user's, or gone
        }
    }

    private static boolean hasJvm(Path folder, boolean hidden) throws IOException {
        try {
            return ProcMaps.parse(text(folder.resolve("maps"))).jvm().isPresent();
        } catch (AccessDeniedException e) {
            return hidden;
        }
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
            if (moved()) {
                return read(name);
            }
            throw failure("cannot read " + folder.resolve(name), e);
        }
    }

    /** A process can make the files about it very large. */
    static String text(Path file) throws IOException {
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
            folder = living(process);
            return startTime == startTime(text(process.resolve("stat")))
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
        return new AttachException("process " + pid + " exited; nothing to attach to");
    }

    /** Its user may look into it unless it has more rights (ptrace_may_access, kernel/ptrace.c). */
    private AttachException hidden() {
        ProcStatus own = ownStatus();
        String remedy = "run this as that process's user, or as root";
        try {
            ProcStatus its = ProcStatus.parse(text(process.resolve("status")));
            if (own.uid() == 0) {
                remedy = "root needs the capability SYS_PTRACE for it, and in a container all others that the"
                        + " process has: run this "
                        + (its.uid() == 0 ? "" : "as user " + Integer.toUnsignedString(its.uid()) + ", or ")
                        + "outside of the container";
            } else if (own.uid() == its.uid()) {
                remedy = ((its.permitted() & ~own.effective()) != 0
                        ? "it has capabilities that this process lacks"
                        : "it has changed its user (as jsvc does), or was made undumpable")
                        + ", so the kernel shows its files to root only; run this as root";
            }
        } catch (IOException e) {
            // Nothing is known of it: /proc is mounted with hidepid.
        }
        return new AttachException("may not inspect process " + pid + ": permission denied; " + remedy);
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
