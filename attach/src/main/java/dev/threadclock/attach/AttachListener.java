// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The thread in a HotSpot JVM that listens for attach requests: already running, or started by a file and
 * SIGQUIT. HotSpot's side is attachListener_linux.cpp, from JDK 22 attachListener_posix.cpp: on SIGQUIT, if
 * its working folder or /tmp has a file .attach_pidPID that belongs to its own user, it listens at
 * /tmp/.java_pidPID instead of printing a thread dump. All files are in the target's file system; PID is the
 * target's own, in its PID namespace.
 */
final class AttachListener implements Closeable {
    /**
     * JDK-8225690: creates a new socket if the file was removed. Backported to 8 and 11, but not in all of
     * their builds.
     */
    private static final int RENEWS_ITS_SOCKET = 17;

    private final Target target;
    private final JvmFacts facts;
    private final HeldFolder tmp;
    private final HeldFolder working;
    private final Path socket;
    private final Object foreignSocket;
    private final boolean listened;
    private boolean listens;

    /** Only inspects. Fails if the JVM would not answer, before anything reaches it. */
    AttachListener(Target target, Deadline deadline) {
        this.target = target;
        listened = isListening();
        facts = awaitReady(listened, deadline);
        try {
            tmp = target.root().folder("/tmp");
            working = workingFolder();
        } catch (IOException e) {
            throw target.process().failure(
                    "cannot open the folder /tmp of process " + pid() + ", where its JVM listens", e);
        }
        socket = tmp.resolve(socketName());
        listens = listened && Files.exists(socket, LinkOption.NOFOLLOW_LINKS);
        foreignSocket = key(socket);
        if (listened && !listens && facts.feature() < RENEWS_ITS_SOCKET) {
            throw new AttachException("the JVM " + target.label() + " listens at /tmp/" + socketName()
                    + ", but that file was removed (by a cleaner of /tmp?), and older JVMs do not create"
                    + " it again; restart that JVM, and exempt"
                    + " /tmp/.java_pid*");
        }
    }

    JvmFacts facts() {
        return facts;
    }

    /** The file of the socket. Starts the listener if needed; must be called as the target's user. */
    Path socket(Deadline deadline) {
        if (!listens && !isStartedByAnother()) {
            try {
                start(deadline);
            } catch (IOException e) {
                throw target.process().failure("cannot create the file " + triggerName()
                        + " in /tmp or in the working folder of process " + pid()
                        + " (without it SIGQUIT means a thread dump)", e);
            }
        }
        listens = true;
        return socket;
    }

    /** By another command, since we looked. SIGQUIT makes a JVM that already listens print a thread dump. */
    private boolean isStartedByAnother() {
        return !listened && isListening();
    }

    /** Waits until SIGQUIT would be handled; refuses a JVM that is configured not to listen. */
    private JvmFacts awaitReady(boolean listening, Deadline deadline) {
        while (true) {
            ProcStatus now = target.process().status();
            if (now.hasEnded()) {
                throw target.process().ended();
            }
            if (now.isStopped()) {
                throw new AttachException("process " + pid()
                        + " is stopped (by SIGSTOP or a debugger) and cannot answer; resume it, for"
                        + " example with kill -CONT " + pid());
            }
            JvmFacts known = target.facts();
            if (listening) {
                return known;
            }
            if (!known.attachable() && target.hasThreadclock()) {
                throw new AttachException(
                        "the JVM " + target.label() + " has threadclock loaded, but was started"
                                + " with -XX:+DisableAttachMechanism, so no command can reach it; threadclock"
                                + " keeps working there, or restart the JVM without that option");
            }
            if (!known.attachable()) {
                throw new AttachException("the JVM " + target.label()
                        + " was started with -XX:+DisableAttachMechanism and takes no agent while"
                        + " it runs; restart it without that option, or with -javaagent:threadclock.jar");
            }
            if (now.handlesQuit()) {
                return known;
            }
            if (!deadline.pause()) {
                throw new AttachException("the JVM " + target.label()
                        + " does not handle SIGQUIT, so the signal would end it (it is still starting, or"
                        + " has -Xrs); try again later, or restart it with -javaagent:threadclock.jar");
            }
        }
    }

    private void start(Deadline deadline) throws IOException {
        try (Undo<Path> trigger = Undo.after(this::makeTrigger, AttachListener::delete)) {
            if (isStartedByAnother()) {
                return;
            }
            if (!target.process().isAlive()) {
                throw target.process().ended();
            }
            int error = Posix.signalQuit(pid());
            if (error != 0) {
                throw new AttachException("cannot signal process " + pid() + ": " + Refusal.reason(error)
                        + "; run this as its user or as root");
            }
            while (!isNew(key(socket)) && !isStartedByAnother()) {
                if (!target.process().isAlive()) {
                    throw target.process().ended();
                }
                if (!deadline.pause()) {
                    throw new AttachException("the JVM " + target.label() + " did not begin to listen within "
                            + deadline + " (it is very busy,"
                            + " suspended, or its /tmp is full); try again, with a longer timeout");
                }
            }
        }
    }

    private boolean isNew(Object key) {
        return key != null && !key.equals(foreignSocket);
    }

    /**
     * In /tmp if possible, which is the least intrusive; otherwise in the working folder. Fails if the JVM
     * could not create its socket in /tmp: it would print a thread dump, or nothing, and not listen.
     */
    private Path makeTrigger() throws IOException {
        try {
            return create(tmp.resolve(triggerName()));
        } catch (IOException e) {
            // Not by the words, which depend on the language. access(2) asks for the real user, but knows a
            // read-only mount.
            if (e instanceof AccessDeniedException || !Files.isWritable(tmp.path())) {
                throw new AttachException("the JVM " + target.label()
                        + " cannot listen: it needs a file in its /tmp, but may not create one there ("
                        + Refusal.reason(e)
                        + "); give it a writable /tmp, for example a tmpfs, or start it with"
                        + " -javaagent:threadclock.jar");
            }
            if (working == null) {
                throw e;
            }
            return create(working.resolve(triggerName()));
        }
    }

    /**
     * The process that creates the file may send the signal. Another command that is doing so is given a
     * moment; one that was killed has left its file behind. HotSpot checks the file's owner, so it is created
     * anew.
     */
    private static Path create(Path file) throws IOException {
        try {
            return createFile(file);
        } catch (FileAlreadyExistsException e) {
            Deadline soon = new Deadline(1);
            while (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && soon.pause()) {
                // The other command removes it when the JVM listens.
            }
            Files.deleteIfExists(file);
            return createFile(file);
        }
    }

    private static Path createFile(Path file) throws IOException {
        return Files.createFile(file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The JVM may have removed it.
        }
    }

    /**
     * Checks for the process's own socket: another process may have left one under the same number in a
     * shared /tmp.
     */
    private boolean isListening() {
        Set<String> inodes = UnixSockets.listening(target.process().read("net/unix"), socketName());
        if (inodes.isEmpty()) {
            return false;
        }
        try (Stream<Path> descriptors = Files.list(target.process().folder().resolve("fd"))) {
            return descriptors.anyMatch(descriptor -> inodes.contains(socketInode(descriptor)));
        } catch (IOException e) {
            throw target.process().failure("cannot see the open files of process " + pid(), e);
        }
    }

    /** The number in a link "socket:[1234]"; "" for any other link. */
    private static String socketInode(Path descriptor) {
        try {
            String link = Files.readSymbolicLink(descriptor).toString();
            return link.startsWith("socket:[") ? link.substring("socket:[".length(), link.length() - 1) : "";
        } catch (IOException e) {
            return "";
        }
    }

    private HeldFolder workingFolder() {
        try {
            return HeldFolder.of(target.process().folder().resolve("cwd"));
        } catch (IOException e) {
            return null; // removed or not readable: falls back to /tmp
        }
    }

    private static Object key(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    private String triggerName() {
        return ".attach_pid" + target.status().namespacePid();
    }

    private String socketName() {
        return ".java_pid" + target.status().namespacePid();
    }

    private int pid() {
        return target.process().pid();
    }

    @Override
    public void close() {
        tmp.close();
        if (working != null) {
            working.close();
        }
    }
}
