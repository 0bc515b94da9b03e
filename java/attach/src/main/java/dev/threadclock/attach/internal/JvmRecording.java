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
    /** default, profile, or the path of a .jfc file as the JVM sees it. */
    public static final Pattern SETTINGS = Pattern.compile("[^\"\\p{Cntrl}]+");
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(60);
    private static final Duration TIME_TO_WITHDRAW = Duration.ofSeconds(5);

    private final Target target;
    private final AttachRequest request;
    /** Another PID namespace may have the same PID. */
    private final String name = "threadclock-" + ProcessHandle.current().pid() + "-"
            + Long.toUnsignedString(System.nanoTime(), 36);
    private final AttachAnswer started;
    private boolean running = true;

    /** Starts it. settings: match {@link #SETTINGS}. */
    JvmRecording(Target target, Duration timeout, String settings) {
        this.target = target;
        request = new AttachRequest(target, timeout);
        try {
            started = request.command("JFR.start name=" + name + " settings=\"" + settings
                    + "\" dumponexit=true filename=\"" + AttachRequest.RECORDING + "\"");
        } catch (AttachException e) {
            if (request.isUnanswered()) {
                withdraw();
            }
            throw e;
        }
        if (!started.text().contains("Started recording")) {
            started.close();
            throw new AttachException("the JVM " + target + " did not start a recording: "
                    + Printable.line(started.text()) + advice(started.text(), settings));
        }
    }

    /**
     * Stops a recording whose start was not answered. The JVM handles requests in order, so it does so right
     * after the start. To /dev/null, because the recording's folder is gone.
     */
    private void withdraw() {
        try {
            request.limit(TIME_TO_WITHDRAW);
            request.command("JFR.stop name=" + name + " filename=/dev/null");
        } catch (AttachException e) {
            // The failure of the start is reported, not this one.
        }
    }

    private static String advice(String answer, String settings) {
        if (answer.contains("Unknown diagnostic command")) {
            return "; it has no Flight Recorder (8u262, 11 and later have it): leave out the JVM's own"
                    + " events";
        }
        return settings.equals("default") || settings.equals("profile") ? ""
                : "; its settings are default, profile, or a .jfc file that this JVM can read, not "
                        + settings;
    }

    /**
     * Stops the recording and copies its file. If the JVM has exited, it has already stopped the recording.
     *
     * @param out receives the .jfr file; is not closed
     * @throws IOException the file cannot be copied
     * @throws AttachException the JVM does not answer within 60 seconds, or has left no file
     */
    public void stopInto(OutputStream out) throws IOException {
        stop();
        if (!started.kept().copyFile(out, TIME_TO_STOP)) {
            throw new AttachException("the JVM " + target
                    + " left no file with its own events; record again without them");
        }
    }

    private void stop() {
        running = false;
        try {
            if (target.process().isAlive()) {
                request.limit(TIME_TO_STOP); // also for a JVM that SIGSTOP has stopped, and that may go on
                request.command("JFR.stop name=" + name);
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
            started.close();
        }
    }
}
