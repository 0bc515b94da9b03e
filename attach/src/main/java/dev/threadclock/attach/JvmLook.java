// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.ProcMaps.Mapped;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What can be seen of a JVM from outside, for other commands: only status() affects the JVM. Open while in
 * use.
 */
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

    /** Fails, as attach does, if there is no HotSpot JVM with this PID that we may inspect. */
    static JvmLook at(int pid, Deadline deadline) {
        return new JvmLook(Target.of(pid, deadline), deadline);
    }

    public int pid() {
        return target.process().pid();
    }

    /** "java -jar app.jar". */
    public String command() {
        return target.command().toString();
    }

    /** 8, 11, 17, ...; 0 if unknown. */
    public int feature() {
        return facts.feature();
    }

    public int uid() {
        return target.status().uid();
    }

    /** The JVM's own PID, which differs from ours if it is in a PID namespace. */
    public int namespacePid() {
        return target.status().namespacePid();
    }

    /** false: -XX:+DisableAttachMechanism. */
    public boolean attachable() {
        return facts.attachable();
    }

    /** false: it refuses agents while it runs; {@link #refusal()} names the option. */
    public boolean takesAgents() {
        return attachable() && dynamicLoading().orElse(true);
    }

    public String refusal() {
        return attachable() ? "-XX:-EnableDynamicAgentLoading" : "-XX:+DisableAttachMechanism";
    }

    /** "17.0.15, OpenJDK 64-Bit Server VM, Debian"; "" if unknown. */
    public String jdk() {
        return facts.jdk();
    }

    /** As {@link JavaCommandLine#masked()}. */
    public String commandLine() {
        return target.command().masked();
    }

    /** The value of EnableDynamicAgentLoading, if it was given. */
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

    /** The library is loaded in it, whether active or not. */
    public boolean hasThreadclock() {
        return target.hasThreadclock();
    }

    /**
     * What the agent in it reports, as in the status command. Starts the JVM's listener if it does not run
     * yet, where that is safe; afterwards this process may run as the JVM's user for good.
     */
    public Map<String, String> status() throws IOException {
        try (AgentCall call = new AgentCall(target, deadline.anew())) {
            return call.make("status", "").values();
        }
    }

    /** Whether a report of {@link #status()} says that the agent answers. */
    public static boolean active(Map<String, String> status) {
        return new AgentReport(Optional.empty(), status).active();
    }

    /**
     * The file of libjvm.so, by its path in our file system; fails if that path is a different file or none.
     */
    public Path jvmFile() throws IOException {
        Mapped jvm = target.maps().jvm()
                .orElseThrow(() -> new IOException("it has no libjvm.so mapped any more"));
        Path here = Path.of(jvm.path());
        if (jvm.deleted()) {
            throw new IOException("its JDK was removed or replaced since it started: " + here);
        }
        // The kernel shows us the path from our root; in a chroot, that of the process lies further down.
        Path there = Path.of("/proc/" + pid() + "/root" + target.root().inside(jvm.path()));
        if (!Files.exists(here) || !Files.isSameFile(here, there)) {
            throw new IOException("its JDK is in a file system of its own (a container)");
        }
        return here;
    }

    /**
     * A program that we run must belong to us, to root, or to the JVM's user if that is us: no other user may
     * slip us a program.
     */
    public boolean mayRun(Path program) throws IOException {
        int self = TargetProcess.ownStatus().uid();
        if (self == uid()) {
            return true;
        }
        for (Path at = program.toRealPath(); at != null; at = at.getParent()) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(at,
                    LinkOption.NOFOLLOW_LINKS);
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
