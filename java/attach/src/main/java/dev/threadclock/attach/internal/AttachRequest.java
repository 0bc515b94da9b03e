// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import dev.threadclock.internal.NativeLibrary;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A request to a JVM in HotSpot's attach protocol, version 1, and the JVM's answer: what can be seen from
 * outside of the JVM's thread that listens for requests, and an exchange with it. Some need a folder of ours
 * in the target's file system: in the words of the request, {@link #FOLDER} stands for its path.
 */
final class AttachRequest {
    static final String FOLDER = "\1";
    static final String LIBRARY = FOLDER + "/libthreadclock.so";
    static final String REPORT = FOLDER + "/report";
    static final String CHANNEL = FOLDER + "/s";
    static final String RECORDING = FOLDER + "/jvm.jfr";
    private static final char UNSUITABLE_FOLDER = 'f';

    /** What is wanted besides the JVM's answer, as flags of the order. */
    private static final String NOTHING = "";
    private static final String ITS_REPORT = "r";
    private static final String REPORT_AND_CONNECTION = "rc";
    private static final String KEPT_FOLDER = "k";
    /**
     * JDK-8225690: creates a new socket if the file was removed. Backported to 8 and 11, but not in all of
     * their builds.
     */
    private static final int RENEWS_ITS_SOCKET = 17;
    /** Its counters say before VMInit that it has been created; a debugger or a premain may hold it there. */
    private static final int CREATED_BEFORE_VMINIT = 17;
    /** Of an older JVM: what is left of it once SIGQUIT is handled, at most. */
    private static final Duration CREATION = Duration.ofSeconds(3);
    private static final long ACCEPTS = 0x10000; // __SO_ACCEPTCON, include/uapi/linux/net.h

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Target target;
    private final boolean listens;
    private final boolean handlesQuit;
    private final Optional<String> noThread;
    private final Map<String, String> refusals = new LinkedHashMap<>();
    private Deadline deadline;
    private boolean unanswered;

    /**
     * Only inspects: waits until SIGQUIT would be handled, and fails if the JVM would not answer, before
     * anything reaches it. limit: for that, and for the answer.
     */
    AttachRequest(Target target, Duration limit) {
        this.target = target;
        limit(limit);
        listens = isListening();
        handlesQuit = awaitCreation(limit);
        if (!listens && !target.facts().attachable()) {
            throw new AttachException("the JVM " + target
                    + (target.hasThreadclock() ? " has threadclock loaded, but was started with"
                            + " -XX:+DisableAttachMechanism, so no command can reach it; threadclock"
                            + " keeps working there, or restart the JVM without that option"
                            : " was started with -XX:+DisableAttachMechanism and takes no agent while"
                                    + " it runs; restart it without that option, or with"
                                    + " -agentpath:libthreadclock.so"));
        }
        if (!listens && !handlesQuit) {
            throw new AttachException("the JVM " + target
                    + " does not handle SIGQUIT, so the signal would end it (it is still starting, or"
                    + " has -Xrs); try again later, or restart it with -agentpath:libthreadclock.so");
        }
        Obstacles obstacles = new Obstacles(target);
        noThread = obstacles.toAThread();
        Optional<String> why = obstacles.toAnAnswer().or(() -> listens ? Optional.empty() : noThread);
        if (why.isPresent()) {
            throw new AttachException(why.get());
        }
    }

    /** Sets the time limit of what follows: inspection and answer. */
    final void limit(Duration limit) {
        target.limitInspection(limit);
        deadline = new Deadline(limit);
    }

    /** Makes the JVM load the library with this path, or {@link #LIBRARY}, and call its Agent_OnAttach. */
    AttachAnswer load(String library, String options, boolean connect) {
        // The report first, so that a mistake in the options that follow is reported there, and not on the
        // JVM's stderr. "true": the path is absolute.
        List<String> words = List.of("1", "load", library, "true",
                "report=" + REPORT + "," + options + (connect ? ",channel=" + CHANNEL : ""));
        return inAFolder(words, library.equals(LIBRARY) ? image() : null,
                connect ? REPORT_AND_CONNECTION : ITS_REPORT);
    }

    /** Whether the time limit has ended the last request after the JVM had got it, or was to get it next. */
    boolean isUnanswered() {
        return unanswered;
    }

    /** Makes the JVM run a diagnostic command, as jcmd does; {@link #FOLDER} is kept if it occurs. */
    AttachAnswer command(String command) {
        List<String> words = List.of("1", "jcmd", command, "", "");
        return command.contains(FOLDER) ? inAFolder(words, null, KEPT_FOLDER)
                : send("", words, null, NOTHING).orElseThrow();
    }

    private static byte[] image() {
        try {
            return NativeLibrary.fromJar();
        } catch (UnsatisfiedLinkError e) {
            throw new AttachException(e.getMessage());
        }
    }

    private AttachAnswer inAFolder(List<String> words, byte[] library, String wanted) {
        for (String place : places()) {
            while (true) {
                Optional<AttachAnswer> answer = send(place, words, library, wanted);
                if (answer.isEmpty()) {
                    break;
                }
                if (library != null && answer.get().notExecutable()) {
                    answer.get().close();
                    refusals.put(place, "mounted noexec");
                    break;
                }
                if (!answer.get().notLive()) {
                    return answer.get();
                }
                // A JVM listens for some time before it takes agents, and when it is ending.
                answer.get().close();
                if (!deadline.pause()) {
                    throw notNow();
                }
            }
        }
        StringBuilder why = new StringBuilder();
        refusals.forEach((name, reason) -> why.append(why.length() == 0 ? "" : ", ")
                .append(Printable.line(name + " (" + reason + ")")));
        throw new AttachException("no folder of the JVM " + target + " can hold "
                + (library != null ? "the library" : wanted.equals(KEPT_FOLDER) ? "its events" : "a file")
                + " temporarily: " + why
                + "; make room in one of them, or set that JVM's TMPDIR to a folder that does");
    }

    /** The target's folders in which ours can be made, best first. */
    private List<String> places() {
        Map<String, String> environment = target.process().environment();
        List<String> places = new ArrayList<>(List.of("/tmp"));
        places.add(environment.getOrDefault("TMPDIR", ""));
        places.add(environment.getOrDefault("XDG_RUNTIME_DIR", ""));
        places.addAll(List.of("/dev/shm", "/var/tmp", target.workingFolder()));
        // The agent's options are separated by commas.
        return places.stream()
                .filter(place -> place.startsWith("/") && !place.contains(",") && !place.contains(FOLDER))
                .distinct().toList();
    }

    /** Empty: the place is unsuitable. */
    private Optional<AttachAnswer> send(String place, List<String> words, byte[] library, String wanted) {
        String working = target.workingFolder();
        List<String> order = new ArrayList<>(List.of(ConfinedChild.EXCHANGE,
                wanted + (maySignal() ? "q" : ""), place,
                "threadclock-" + Long.toUnsignedString(RANDOM.nextLong(), 36),
                "/tmp/" + socketName(),
                "/tmp/" + triggerName(),
                working.isEmpty() ? "" : working + "/" + triggerName()));
        order.addAll(words);
        ByteArrayOutputStream reply = new ByteArrayOutputStream();
        ByteArrayOutputStream report = new ByteArrayOutputStream();
        Connection connection = null;
        boolean complete = false;
        boolean done = false;
        ConfinedChild child = target.child(deadline, library, order);
        try {
            boolean keeps = false;
            while (!keeps) {
                ConfinedChild.Message message = child.next();
                if (message == null
                        || Math.max(reply.size(), report.size()) > ConfinedChild.LONGEST_CONTENT) {
                    break;
                }
                switch (message.kind()) {
                    case 'A' -> {
                        reply.writeBytes(message.bytes());
                        complete = message.bytes().length == 0;
                        keeps = complete && wanted.equals(KEPT_FOLDER);
                    }
                    case 'D' -> report.writeBytes(message.bytes());
                    case 'S' -> connection = new Connection(message.descriptor());
                    default -> {
                        char step = (char) message.bytes()[0];
                        if (step != UNSUITABLE_FOLDER) {
                            throw failure(step, message.error());
                        }
                        refusals.put(place, message.error() == ConfinedChild.NOT_EXECUTABLE ? "mounted noexec"
                                : ConfinedChild.message(message.error()));
                        return Optional.empty();
                    }
                }
            }
            Optional<AttachAnswer> answer = AttachAnswer.parse(reply.toByteArray(),
                    report.toString(StandardCharsets.UTF_8), connection, keeps ? child : null);
            if (answer.isEmpty()) {
                throw noAnswer(complete);
            }
            done = true;
            return answer;
        } finally {
            if (!done || !wanted.equals(KEPT_FOLDER)) {
                child.close();
            }
            if (!done && connection != null) {
                connection.close();
            }
        }
    }

    private AttachException noAnswer(boolean complete) {
        target.process().awaitEnd();
        return new AttachException(complete
                ? "the JVM " + target + " has closed the connection without an answer; it answers its"
                        + " own user and group only: run this as that user"
                : "the helper that asked the JVM " + target
                        + " was ended before it had an answer, by that JVM's user or by the OOM killer; try"
                        + " again");
    }

    /** For the steps of attach_child.c and confinement.h. */
    private AttachException failure(char step, int error) {
        String why = ConfinedChild.message(error);
        String jvm = "the JVM " + target;
        return switch (step) {
            case 'p' -> error != ConfinedChild.REMOTE ? target.process().ended() : new AttachException(
                    "/proc is another PID namespace's: its process " + target.pid() + " is not this one's;"
                            + " run this where /proc is its own (unshare --mount-proc), or in that one");
            case 'r' -> new AttachException("cannot enter the root of " + jvm + " (a container or a chroot): "
                    + why + "; run this as root, in the JVM's own container (kubectl exec), or where user"
                    + " namespaces are allowed (seccompProfile: Unconfined)");
            case 'u' -> new AttachException("cannot become user " + target.uid()
                    + " with group " + Integer.toUnsignedString(target.process().status().gid())
                    + ", which the JVM answers: " + why + "; run this as that user");
            case 'c' -> new AttachException("the process that would ask " + jvm
                    + " cannot give up its rights (" + why
                    + "), so nothing was asked; it needs /proc and a kernel with seccomp filters");
            case 'm' -> new AttachException("the request (options, the path of the library or of settings) is"
                    + " longer than the 1024 bytes that a JVM takes; shorten them");
            case 't' ->
                new AttachException(jvm + " cannot listen: it needs a socket in its /tmp, and the file /tmp/"
                        + triggerName() + " cannot be created there (" + why
                        + "); give it a writable /tmp, for example a tmpfs, or start it with"
                        + " -agentpath:libthreadclock.so");
            case 'd' -> new AttachException(jvm + " has less than 8 MB of room in its /tmp, where it records"
                    + " first, and a JVM that cannot write there ends; make room, or leave out the JVM's own"
                    + " events");
            case 'k' -> new AttachException("cannot signal process " + target.pid() + ": " + why
                    + "; run this as its user or as root");
            case 'n' -> new AttachException(jvm + " did not begin to listen within " + deadline
                    + (error == ConfinedChild.NO_SUCH_FILE
                            ? " (it is very busy, suspended, or its /tmp is full); try again, with a longer"
                                    + " timeout"
                            : ": in the place of its socket there is another file (" + why + "), left behind"
                                    + " by a JVM that was killed, or made by another user; remove /tmp/"
                                    + socketName()));
            case 'g' -> new AttachException(noThread.isPresent() ? noThread.get() : jvm + " listens at /tmp/"
                    + socketName()
                    + ", but that file was removed (by a cleaner of /tmp?), and this JVM does not create it"
                    + " again; restart it, and exempt /tmp/.java_pid*");
            default -> {
                unanswered = error == ConfinedChild.CANCELED;
                target.process().awaitEnd();
                yield error == ConfinedChild.CANCELED
                        ? new AttachException("no answer from " + jvm + " within " + deadline
                                + "; it is very busy or hangs, and may still do what was asked for:"
                                + " look at its status, or try again, with a longer timeout")
                        : new AttachException("cannot talk to " + jvm + " over its socket: " + why);
            }
        };
    }

    /**
     * Whether SIGQUIT is handled. A JVM that is being created ignores it (from JDK 19 on, JDK-8279124), or
     * listens, but then removes its socket's file, which it takes for a stale one (AttachListener::vm_start).
     */
    private boolean awaitCreation(Duration limit) {
        Duration half = limit.dividedBy(2);
        Duration rest = half.compareTo(CREATION) < 0 ? half : CREATION;
        Deadline creation = new Deadline(rest);
        boolean handled;
        boolean created = false;
        do {
            handled = checked(target.process().status()).handlesQuit();
            if (handled) {
                target.updateFacts();
                created = !target.isStarting()
                        || target.facts().feature() < CREATED_BEFORE_VMINIT && creation.overBy(0);
            } else {
                creation = new Deadline(rest);
            }
        } while (!listens && !created && deadline.pause());
        if (!handled) {
            target.updateFacts();
        } else if (!listens && !created) {
            throw notNow();
        }
        return handled;
    }

    private AttachException notNow() {
        return new AttachException("the JVM " + target + " takes no agent at this moment: it is"
                + " still starting, or is ending; try again, with a longer timeout");
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
    private boolean maySignal() {
        return handlesQuit && noThread.isEmpty()
                && (!listens || target.facts().feature() >= RENEWS_ITS_SOCKET);
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

    private String socketName() {
        return ".java_pid" + target.namespacePid();
    }

    private String triggerName() {
        return ".attach_pid" + target.namespacePid();
    }
}
