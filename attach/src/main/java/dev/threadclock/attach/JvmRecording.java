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

/**
 * A recording of the JVM's own Flight Recorder: started and stopped as {@code jcmd} does, its file copied
 * here. The file is in a private folder of the JVM's user, where the JVM also writes it when it exits. For
 * one thread at a time.
 */
public final class JvmRecording implements Closeable {
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
     * Starts it; once.
     *
     * @param settings default, profile, or the path of a .jfc file as the JVM sees it
     * @throws AttachException the JVM does not answer in time, has no Flight Recorder, or no
     *     room for the file
     */
    public void start(String settings) {
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
                                    + " --jvm-events"
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
                        + "; make room in one of them, or leave out --jvm-events");
    }

    /**
     * Stops it and writes what it has recorded; a JVM that has exited meanwhile has already stopped it.
     *
     * @param out takes the .jfr file; is not closed
     * @throws IOException the file cannot be copied
     * @throws AttachException the JVM does not answer, or has left no file
     */
    public void stopInto(OutputStream out) throws IOException {
        if (target.process().isAlive()) {
            stop();
        }
        running = false;
        Path file = folder.path().resolve(FILE);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new AttachException("the JVM " + target.label()
                    + " left no file with its own events; record again without --jvm-events");
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

    /** Stops it if it still runs; its file is gone afterwards. */
    @Override
    public void close() {
        if (running && target.process().isAlive()) {
            stop();
        }
        if (folder != null) {
            folder.close();
        }
        places.close();
        listener.close();
    }
}
