// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A short-lived process that touches the target in our place, so that this one keeps its user, its terminal
 * and its files to itself. A fork of this process, it enters the target's root, becomes its user, gives up
 * everything else, and carries out one order (native/attach/attach_child.c). When this process ends or closes
 * it, it removes what it has made and ends.
 */
final class ConfinedChild implements Closeable {
    /** The order: the first bytes of files, or an exchange with the JVM. */
    static final String FILES = "F";
    static final int MOST_FILES = 31; // ATTACH_MAX_FIELDS in attach_child.h, without the order itself
    static final String EXCHANGE = "X";
    static final int NOT_EXECUTABLE = 8; // ENOEXEC
    static final int CANCELED = 125; // ECANCELED: the time limit has passed
    static final int NO_SUCH_FILE = 2; // ENOENT
    static final int REMOTE = 66; // EREMOTE
    private static final int NOT_PERMITTED = 13; // EACCES
    private static final int TIMED_OUT = -110; // -ETIMEDOUT
    private static final int LONGEST_MESSAGE = 1 << 13;
    /** Of a file, an answer or a report; attach_child.c sends no more, but its user could change it. */
    static final int LONGEST_CONTENT = 1 << 20;
    private static final int LOOK_MILLIS = 50;
    private static final int GRACE_MILLIS = 2000;

    /**
     * A message from the child.
     *
     * @param kind F failure (a step and an error number), D data, E end of a file (an error number), A answer
     *     of the JVM, the last one empty, S a connection to the agent
     * @param descriptor with S; -1 otherwise
     */
    record Message(char kind, byte[] bytes, int descriptor) {
        int error() {
            return bytes[bytes.length - 1] & 0xff;
        }
    }

    /** A file's first bytes, or the number of the error of reading it. */
    record Content(byte[] bytes, int error) {
        String text() {
            return new String(bytes, StandardCharsets.UTF_8).strip();
        }

        /** Whether it is a shared object with the library's names; its user may have made up the file. */
        boolean isThreadclock() {
            String content = new String(bytes, StandardCharsets.ISO_8859_1);
            return content.contains("\0Java_dev_threadclock_internal_NativeLibrary_bind\0")
                    && content.contains("\0Agent_OnAttach\0");
        }

        boolean exists() {
            return error == 0 || error == NOT_PERMITTED;
        }
    }

    private final TargetProcess target;
    private Deadline deadline;
    private boolean needsTarget = true;
    private boolean canceled;
    private long stoppedNanos;
    private final int pid;
    private final int socket;
    private final byte[] room = new byte[LONGEST_MESSAGE];

    /**
     * @param user as which it acts
     * @param library the library that is to be placed in the target's file system, or null
     */
    ConfinedChild(TargetProcess target, ProcStatus user, Deadline deadline, byte[] library,
            List<String> order) {
        this.target = target;
        this.deadline = deadline;
        try {
            AttachLibrary.load();
        } catch (UnsatisfiedLinkError e) {
            throw new AttachException("the native library does not load: " + e.getMessage());
        }
        long started = start(target.pid(), target.tid(), target.startTime(), user.uid(), user.gid(),
                (String.join("\0", order) + "\0").getBytes(StandardCharsets.UTF_8), library);
        if (started < 0) {
            throw new AttachException("cannot fork a helper for process " + target.pid() + ": "
                    + message((int) -started) + "; try again when this machine has room for it");
        }
        pid = (int) (started >> 32);
        socket = (int) started;
    }

    /**
     * The next message; null: there are no more. A target's user may stop the child or end it, so it is not
     * trusted to keep the time limit.
     */
    Message next() {
        int[] descriptor = {-1};
        for (boolean ended = false;;) {
            if (!ended && deadline.overBy(GRACE_MILLIS)) { // also if messages never end
                throw new AttachException("no answer from process " + target.pid() + " within " + deadline
                        + ": the helper was stopped, or waits for that process's files; try again");
            }
            int size = receive(socket, room, descriptor, ended ? GRACE_MILLIS : LOOK_MILLIS);
            if (size > 0) {
                return new Message((char) room[0], Arrays.copyOfRange(room, 1, size), descriptor[0]);
            }
            if (size == 0) {
                return null;
            }
            if (size != TIMED_OUT) {
                throw new AttachException("lost contact with the helper for process " + target.pid() + ": "
                        + message(-size) + "; try again");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new AttachException("interrupted while waiting for process " + target.pid());
            }
            if (ended) {
                throw target.ended();
            }
            resumeIfStopped();
            if (!canceled && deadline.overBy(0)) {
                canceled = true;
                cancel(socket);
            }
            ended = needsTarget && !target.isAlive();
        }
    }

    /** Continues a child that was stopped, by its user for example, two seconds ago. */
    private void resumeIfStopped() {
        int change = stopped(pid);
        stoppedNanos = change == 0 ? stoppedNanos : change > 0 ? System.nanoTime() : 0;
        if (stoppedNanos != 0 && System.nanoTime() - stoppedNanos > GRACE_MILLIS * 1_000_000L) {
            resume(pid);
        }
    }

    /** For {@link #FILES}: the content of each. */
    List<Content> contents(int count) {
        List<Content> all = new ArrayList<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Message message = next(); message != null; message = next()) {
            if (message.kind() == 'D' && bytes.size() < LONGEST_CONTENT) {
                bytes.writeBytes(message.bytes());
            } else if (message.kind() == 'E' && all.size() < count) {
                all.add(new Content(bytes.toByteArray(), message.error()));
                bytes.reset();
            }
        }
        while (all.size() < count) {
            all.add(new Content(new byte[0], NO_SUCH_FILE));
        }
        return all;
    }

    /**
     * Copies the file that the JVM, which may have ended, has left in the folder that was kept.
     *
     * @param patience how long the next part may take
     * @throws IOException it cannot be written
     * @return false: there is no such file
     */
    boolean copyFile(OutputStream out, Duration patience) throws IOException {
        deadline = new Deadline(patience);
        needsTarget = false;
        ask(socket);
        boolean found = false;
        for (Message message = next(); message != null; message = next()) {
            if (message.kind() == 'D') {
                out.write(message.bytes());
            }
            deadline = new Deadline(patience);
            found |= message.kind() == 'E' && message.error() == 0;
        }
        return found;
    }

    @Override
    public void close() {
        end(pid, socket);
    }

    /** What an error number means, in the system's words. */
    static native String message(int error);

    private static native long start(int pid, int tid, long startTime, int uid, int gid, byte[] order,
            byte[] library);

    private static native int receive(int socket, byte[] into, int[] descriptor, int millis);

    private static native int stopped(int pid);

    private static native void resume(int pid);

    private static native void ask(int socket);

    private static native void cancel(int socket);

    private static native void end(int pid, int socket);
}
