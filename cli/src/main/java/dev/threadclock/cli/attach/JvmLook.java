// SPDX-License-Identifier: Apache-2.0
// What can be seen of a JVM from outside, for other commands: nothing is done to it but by status().
package dev.threadclock.cli.attach;

import dev.threadclock.cli.attach.ProcMaps.Mapped;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Open while it is looked at. */
public final class JvmLook implements Closeable {
    private static final int ROOT_USER = 0;

    private final Target target;
    private final Deadline deadline;
    private final JvmFacts facts;

    private JvmLook(Target target, Deadline deadline) {
        this.target = target;
        this.deadline = deadline;
        facts = target.facts();
    }

    /** Fails as attach does when there is no HotSpot JVM with this number that we may look at. */
    public static JvmLook at(int pid, int seconds) {
        Deadline deadline = new Deadline(seconds);
        return new JvmLook(Target.of(pid, deadline), deadline);
    }

    public int pid() {
        return target.process().pid();
    }

    /** "java -jar app.jar". */
    public String command() {
        return target.command().toString();
    }

    /** 8, 11, 17, ...; 0 when it cannot be told. */
    public int feature() {
        return facts.feature();
    }

    public int uid() {
        return target.status().uid();
    }

    /** The number that it knows itself by: another one in a namespace of process numbers. */
    public int namespacePid() {
        return target.status().namespacePid();
    }

    /** false: -XX:+DisableAttachMechanism. */
    public boolean attachable() {
        return facts.attachable();
    }

    /** EnableDynamicAgentLoading, if it was given. */
    public Optional<Boolean> dynamicLoading() {
        return facts.options().flag("EnableDynamicAgentLoading");
    }

    /** Attaching makes the JVM print its own warning. */
    public boolean warns() {
        return facts.warns();
    }

    /** false: SIGQUIT would end it (-Xrs). */
    public boolean handlesQuit() {
        return target.status().handlesQuit();
    }

    /** The library is loaded in it, at work or not. */
    public boolean hasThreadclock() {
        return !target.maps().threadclocks().isEmpty();
    }

    /**
     * What the agent in it says of itself, as the command status. Starts the JVM's listener if it does not run yet, where that
     * is safe; this process may be the JVM's user's afterwards, for good.
     */
    public Map<String, String> status() throws IOException {
        try (AgentCall call = new AgentCall(target, deadline)) {
            return call.make("status", "").values();
        }
    }

    /** Whether a report of {@link #status()} says that the agent answers. */
    public static boolean active(Map<String, String> status) {
        return new AgentReport(Optional.empty(), status).active();
    }

    /** The file of libjvm.so, by its name here; fails when another file, or none, has that name here. */
    public Path jvmFile() throws IOException {
        Mapped jvm = target.maps().jvm().orElseThrow(() -> new IOException("it has no libjvm.so mapped any more"));
        Path here = Path.of(jvm.path());
        if (jvm.deleted()) {
            throw new IOException("its JDK was removed or replaced since it started: " + here);
        }
        if (!Files.exists(here) || !Files.isSameFile(here, Path.of("/proc/" + pid() + "/root").resolve(here.toString().substring(1)))) {
            throw new IOException("its JDK is in a file system of its own (a container)");
        }
        return here;
    }

    /** What runs as us must be ours, root's or that of the JVM's user if that is us: no other user may slip us a program. */
    public boolean mayRun(Path program) throws IOException {
        int self = TargetProcess.ownStatus().uid();
        if (self == uid()) {
            return true;
        }
        for (Path at = program.toRealPath(); at != null; at = at.getParent()) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(at, LinkOption.NOFOLLOW_LINKS);
            int owner = (int) Files.getAttribute(at, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            if (owner != ROOT_USER && owner != self || permissions.contains(PosixFilePermission.GROUP_WRITE)
                    || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        target.close();
    }
}
