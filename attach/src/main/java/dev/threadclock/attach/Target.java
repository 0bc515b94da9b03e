// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.internal.Printable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.Map;

/** A JVM: identified and inspected from outside only. */
final class Target implements Closeable {
    private static final int ROOT_USER = 0;
    private static final int MOST_BYTES = 1 << 20;

    private final TargetProcess process;
    private final ProcStatus status;
    private ProcMaps maps;
    private final TargetRoot root;
    private final JavaCommandLine command;
    private final boolean mayBecomeItsUser;

    private Target(TargetProcess process, ProcStatus status, ProcMaps maps, TargetRoot root,
            boolean mayBecomeItsUser) {
        this.process = process;
        this.status = status;
        this.maps = maps;
        this.root = root;
        this.mayBecomeItsUser = mayBecomeItsUser;
        command = JavaCommandLine.of(process.words(), this::text);
    }

    /**
     * Fails with the reason if there is no HotSpot JVM with this PID that we may attach to.
     *
     * @param mayBecomeItsUser whether root may give up being root for it
     */
    static Target of(int pid, Deadline deadline, boolean mayBecomeItsUser) {
        if (pid == ProcessHandle.current().pid()) {
            throw new AttachException(pid + " is this command itself; give the number of another JVM");
        }
        TargetProcess process = new TargetProcess(pid);
        ProcStatus status = process.status();
        checkAlive(process, status);
        checkUser(process, status);
        ProcMaps maps = awaitJvm(process, deadline);
        if (maps.isOpenJ9()) {
            throw new AttachException("process " + pid
                    + " is an OpenJ9 JVM; threadclock supports only HotSpot (OpenJDK and its builds)");
        }
        try {
            return new Target(process, status, maps, TargetRoot.of(process.folder()), mayBecomeItsUser);
        } catch (IOException e) {
            throw process.failure("cannot see the files of process " + pid, e);
        }
    }

    private static void checkAlive(TargetProcess process, ProcStatus status) {
        if (status.hasEnded()) {
            throw new AttachException(
                    "process " + process.pid() + " has ended (a zombie, until its parent collects it)");
        }
    }

    private static void checkUser(TargetProcess process, ProcStatus status) {
        ProcStatus own = TargetProcess.ownStatus();
        if (own.uid() == ROOT_USER || own.sameUser(status)) {
            return;
        }
        if (own.uid() != status.uid()) {
            throw new AttachException(
                    "process " + process.pid() + " belongs to user " + Integer.toUnsignedString(status.uid())
                            + ", this command to user " + Integer.toUnsignedString(own.uid())
                            + ", and a JVM answers only its own user;"
                            + " run this as that user or as root (sudo -u '#"
                            + Integer.toUnsignedString(status.uid()) + "' ...)");
        }
        throw new AttachException(
                "process " + process.pid() + " runs with group " + Integer.toUnsignedString(status.gid())
                        + ", this command with " + Integer.toUnsignedString(own.gid())
                        + ", and a JVM answers only its own user and group;"
                        + " run this with that group or as root (sudo -g '#"
                        + Integer.toUnsignedString(status.gid()) + "' ...)");
    }

    /** Gives a java process that was only just started the time to become a JVM. */
    private static ProcMaps awaitJvm(TargetProcess process, Deadline deadline) {
        ProcMaps maps = process.maps();
        while (maps.jvm().isEmpty()) {
            checkAlive(process, process.status());
            String program = JavaCommandLine.of(process.words(), file -> "").program();
            if (!program.equals("java") || !deadline.pause()) {
                throw new AttachException("process " + process.pid() + " ("
                        + Printable.line(process.read("comm"))
                        + ") is not a JVM: it has no libjvm.so loaded; give the number of the java process");
            }
            maps = process.maps();
        }
        return maps;
    }

    TargetProcess process() {
        return process;
    }

    ProcStatus status() {
        return status;
    }

    /** Which libraries it has loaded by now. */
    void lookAgain() {
        if (!process.isAlive()) {
            throw process.ended();
        }
        maps = process.maps();
    }

    /** From here on the process runs as its user. */
    void become() {
        if (!mayBecomeItsUser && !TargetProcess.ownStatus().sameUser(status)) {
            throw new AttachException("the JVM " + label() + " belongs to user "
                    + Integer.toUnsignedString(status.uid())
                    + ", and this process would have to become that user for good; run it as that user, or"
                    + " start 'threadclock attach " + process.pid() + "' (detach, status) from it");
        }
        TargetUser.become(status);
    }

    ProcMaps maps() {
        return maps;
    }

    /** The library is loaded in it, whether active or not. */
    boolean hasThreadclock() {
        return !maps.threadclocks().isEmpty();
    }

    TargetRoot root() {
        return root;
    }

    /** "1234 (java -jar app.jar)". */
    String label() {
        return process.pid() + " (" + command + ")";
    }

    JavaCommandLine command() {
        return command;
    }

    /** As far as known at this moment: a JVM that is still starting has not filled in its counters. */
    JvmFacts facts() {
        PerfData counters = process.maps().counters().filter(file -> !file.deleted())
                .map(file -> PerfData.parse(bytes(root.inside(file.path()))))
                .orElseGet(() -> PerfData.parse(new byte[0]));
        Map<String, String> environment = process.environment();
        return JvmFacts.of(counters, JvmOptions.of(command, environment, this::text), release());
    }

    /**
     * From JAVA_HOME/lib/server/libjvm.so, or JDK 8's JAVA_HOME/jre/lib/amd64/server/libjvm.so: the first
     * release file upwards.
     */
    private String release() {
        String at = maps.jvm().map(file -> root.inside(file.path())).orElse("");
        for (int up = 0; up < 6 && at.lastIndexOf('/') > 0; up++) {
            at = at.substring(0, at.lastIndexOf('/'));
            String text = text(at + "/release");
            if (!text.isEmpty()) {
                return text;
            }
        }
        return "";
    }

    /** Its working folder, by its own path. */
    String workingFolder() {
        try {
            return root.inside(Files.readSymbolicLink(process.folder().resolve("cwd")).toString());
        } catch (IOException e) {
            throw process.failure("cannot see the working folder of process " + process.pid(), e);
        }
    }

    private String text(String file) {
        return new String(bytes(file.startsWith("/") ? file : workingFolder() + "/" + file),
                StandardCharsets.UTF_8);
    }

    /** Empty if the file cannot be read. */
    private byte[] bytes(String file) {
        try {
            return TargetUser.reading(status, () -> root.read(file, MOST_BYTES));
        } catch (IOException | RuntimeException e) {
            return new byte[0];
        }
    }

    /** Whether this file exists in its file system now. */
    boolean hasFile(String path) {
        int slash = path.lastIndexOf('/');
        try (HeldFolder folder = root.folder(path.substring(0, slash + 1))) {
            return Files.exists(folder.resolve(path.substring(slash + 1)), LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        root.close();
    }
}
