// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.internal.Printable;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A recording of the JVM's own Flight Recorder, started and stopped as {@code jcmd} does it. The JVM writes
 * the file into a private folder of its user, also when it exits, and {@link #stopInto} copies it. A program
 * can have one recording of a JVM at a time. Not thread-safe.
 */
public final class JvmRecording implements Closeable {
    private static final Pattern SETTINGS = Pattern.compile("[^\"\\p{Cntrl}]+");
    private static final String FILE = "jvm.jfr";
    private static final int SECONDS_TO_STOP = 60;

    private final Target target;
    private final Duration timeout;
    private final AttachListener listener;
    private final TargetFolders places;
    private final String name = "threadclock-" + ProcessHandle.current().pid();
    private PrivateFolder folder;
    private boolean running;

    /** Only inspects. */
    JvmRecording(Target target, Duration timeout) {
        this.target = target;
        this.timeout = timeout;
        TargetUser.prepare();
        listener = new AttachListener(target, new Deadline(timeout));
        places = new TargetFolders(target);
    }

    /**
     * Starts the recording.
     *
     * @param settings default, profile, or the path of a .jfc file as the JVM sees it, without quotation
     *     marks and control characters
     * @throws IllegalArgumentException the settings are empty or contain one
     * @throws IllegalStateException it was started before, even if that failed
     * @throws AttachException the JVM does not answer in time, has no Flight Recorder, or no room for the
     *     file
     */
    public void start(String settings) {
        if (!SETTINGS.matcher(settings).matches()) {
            throw new IllegalArgumentException("settings are default, profile or the path of a file: "
                    + Printable.line(settings, 200));
        }
        if (folder != null) {
            throw new IllegalStateException("a recording can be started only once; make another one");
        }
        target.become();
        folder = makeFolder();
        String answer = command(
                "JFR.start name=" + name + " settings=\"" + settings + "\" dumponexit=true filename=\""
                        + folder.inside(FILE) + "\"",
                new Deadline(timeout));
        running = answer.contains("Started recording");
        if (!running) {
            throw new AttachException("the JVM " + target.label() + " did not start a recording: "
                    + Printable.line(answer)
                    + (answer.contains("Unknown diagnostic command")
                            ? "; it has no Flight Recorder (8u262, 11 and later have it): leave out"
                                    + " the JVM's own events"
                            : ""));
        }
    }

    private PrivateFolder makeFolder() {
        for (TargetFolders.Place place : places.all()) {
            try {
                return new PrivateFolder(place);
            } catch (IOException e) {
                places.refuse(place.name(), Refusal.reason(e));
            }
        }
        throw new AttachException(
                "no folder of the JVM " + target.label() + " takes its events for a moment: "
                        + places.refusals()
                        + "; make room in one of them, or leave out the JVM's own events");
    }

    /**
     * Stops the recording and copies its file. If the JVM has exited, it has already stopped the recording.
     *
     * @param out receives the .jfr file; is not closed
     * @throws IllegalStateException it does not run: it was not started, or was stopped before
     * @throws IOException the file cannot be copied
     * @throws AttachException the JVM does not answer within 60 seconds, or has left no file
     */
    public void stopInto(OutputStream out) throws IOException {
        if (!running) {
            throw new IllegalStateException("this recording does not run");
        }
        if (target.process().isAlive()) {
            stop();
        }
        running = false;
        Path file = folder.path().resolve(FILE);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new AttachException("the JVM " + target.label()
                    + " left no file with its own events; record again without them");
        }
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            in.transferTo(out);
        }
    }

    private void stop() {
        command("JFR.stop name=" + name, new Deadline(SECONDS_TO_STOP));
    }

    /** The JVM's answer; "" if it ends meanwhile. */
    private String command(String command, Deadline deadline) {
        try {
            Optional<AttachReply> reply = AttachReply
                    .parse(AttachSocket.command(listener.socket(deadline), command, deadline));
            return reply.map(AttachReply::text).orElse("");
        } catch (AttachSocket.TimedOut e) {
            throw new AttachException("no answer from the JVM " + target.label() + " within " + deadline
                    + "; it is very busy or hangs");
        } catch (IOException e) {
            if (!target.process().isAlive()) {
                return "";
            }
            throw target.process().failure("cannot talk to the JVM " + target.label() + " over its socket",
                    e);
        }
    }

    /**
     * Stops the recording if it still runs, and removes its file.
     *
     * @throws AttachException the JVM does not answer within 60 seconds; the file is removed nevertheless
     */
    @Override
    public void close() {
        try {
            if (running && target.process().isAlive()) {
                stop();
            }
        } finally {
            if (folder != null) {
                folder.close();
            }
            places.close();
            listener.close();
        }
    }
}
