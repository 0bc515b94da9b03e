// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import java.util.HashSet;
import java.util.Set;

/**
 * The thread in a HotSpot JVM that listens for attach requests, seen from outside: whether it listens
 * already, and whether the JVM may be sent SIGQUIT, which makes it listen.
 */
final class AttachListener {
    /**
     * JDK-8225690: creates a new socket if the file was removed. Backported to 8 and 11, but not in all of
     * their builds.
     */
    private static final int RENEWS_ITS_SOCKET = 17;
    private static final long ACCEPTS = 0x10000; // __SO_ACCEPTCON, include/uapi/linux/net.h

    private final Target target;
    private final boolean listens;
    private final boolean handlesQuit;

    /**
     * Waits until SIGQUIT would be handled. Fails if the JVM would not answer, before anything reaches it.
     */
    AttachListener(Target target, Deadline deadline) {
        this.target = target;
        listens = isListening();
        ProcStatus now = checked(target.process().status());
        while (!listens && !now.handlesQuit() && deadline.pause()) {
            now = checked(target.process().status());
        }
        target.updateFacts();
        handlesQuit = now.handlesQuit();
        if (!listens && !target.facts().attachable()) {
            throw new AttachException("the JVM " + target.label()
                    + (target.hasThreadclock() ? " has threadclock loaded, but was started with"
                            + " -XX:+DisableAttachMechanism, so no command can reach it; threadclock"
                            + " keeps working there, or restart the JVM without that option"
                            : " was started with -XX:+DisableAttachMechanism and takes no agent while"
                                    + " it runs; restart it without that option, or with"
                                    + " -agentpath:libthreadclock.so"));
        }
        if (!listens && !handlesQuit) {
            throw new AttachException("the JVM " + target.label()
                    + " does not handle SIGQUIT, so the signal would end it (it is still starting, or"
                    + " has -Xrs); try again later, or restart it with -agentpath:libthreadclock.so");
        }
    }

    private ProcStatus checked(ProcStatus now) {
        if (now.hasEnded()) {
            throw target.process().ended();
        }
        if (now.isStopped()) {
            throw new AttachException("process " + target.pid()
                    + " is stopped (by SIGSTOP or a debugger) and cannot answer; resume it, for"
                    + " example with kill -CONT " + target.pid());
        }
        return now;
    }

    /**
     * SIGQUIT makes an older JVM that listens already print a thread dump, though its socket's file is gone.
     */
    boolean maySignal() {
        return handlesQuit && (!listens || target.facts().feature() >= RENEWS_ITS_SOCKET);
    }

    AttachException socketIsGone() {
        return new AttachException("the JVM " + target.label() + " listens at /tmp/" + socketName()
                + ", but that file was removed (by a cleaner of /tmp?), and this JVM does not create it"
                + " again; restart it, and exempt /tmp/.java_pid*");
    }

    /**
     * Checks for the process's own socket: another process in its network namespace may listen under the same
     * name. HotSpot binds to NAME.tmp and renames the file.
     */
    private boolean isListening() {
        Set<String> links = new HashSet<>();
        for (String line : target.process().read("net/unix").split("\n")) {
            // Num RefCount Protocol Flags Type St Inode Path
            String[] fields = line.trim().split(" +", 8);
            if (fields.length == 8 && fields[3].matches("[0-9A-Fa-f]{8}")
                    && (Long.parseLong(fields[3], 16) & ACCEPTS) != 0
                    && (fields[7] + ".tmp").contains("/" + socketName() + ".tmp")) {
                links.add("socket:[" + fields[6] + "]");
            }
        }
        return !links.isEmpty() && target.process().descriptorOf(links).isPresent();
    }

    String socketName() {
        return ".java_pid" + target.namespacePid();
    }

    String triggerName() {
        return ".attach_pid" + target.namespacePid();
    }
}
