// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * A recording of the JVM's own Flight Recorder, started and stopped as {@code jcmd} does it. The JVM writes
 * the file into a folder of its user, also when it exits, and {@link #stopInto} copies it. A program can have
 * one recording of a JVM at a time. Not thread-safe.
 */
public final class JvmRecording implements Closeable {
    private static final Pattern SETTINGS = Pattern.compile("[^\"\\p{Cntrl}]+");
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(60);

    private final Target target;
    private final Duration timeout;
    private final AttachRequest request;
    private final String name = "threadclock-" + ProcessHandle.current().pid();
    private ConfinedChild folder;
    private boolean started;
    private boolean running;

    /** Only inspects. */
    JvmRecording(Target target, Duration timeout) {
        this.target = target;
        this.timeout = timeout;
        request = new AttachRequest(target, new Deadline(timeout));
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
        if (started) {
            throw new IllegalStateException("a recording can be started only once; make another one");
        }
        started = true;
        AttachAnswer answer = request.command("JFR.start name=" + name + " settings=\"" + settings
                + "\" dumponexit=true filename=\"" + AttachRequest.RECORDING + "\"", new Deadline(timeout));
        folder = answer.kept();
        String text = answer.text();
        running = text.contains("Started recording");
        if (!running) {
            throw new AttachException("the JVM " + target.label() + " did not start a recording: "
                    + Printable.line(text)
                    + (text.contains("Unknown diagnostic command")
                            ? "; it has no Flight Recorder (8u262, 11 and later have it): leave out"
                                    + " the JVM's own events"
                            : ""));
        }
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
        stop();
        if (!folder.copyFile(out, TIME_TO_STOP)) {
            throw new AttachException("the JVM " + target.label()
                    + " left no file with its own events; record again without them");
        }
    }

    private void stop() {
        running = false;
        try {
            if (target.process().isAlive()) {
                request.command("JFR.stop name=" + name, new Deadline(TIME_TO_STOP));
            }
        } catch (AttachException e) {
            if (target.process().isAlive()) {
                throw e;
            }
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
            if (running) {
                stop();
            }
        } finally {
            if (folder != null) {
                folder.close();
            }
        }
    }
}
