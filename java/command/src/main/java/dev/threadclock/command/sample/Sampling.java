// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.command.attach.JvmOption;
import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.internal.Target;
import dev.threadclock.attach.internal.TargetProcess;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Samples the threads of a running JVM at a steady pace: from inside, or from outside if it cannot be
 * attached to. For one reader thread. When this side ends, for whatever reason, the sampler in the JVM also
 * ends and leaves nothing behind.
 */
public abstract class Sampling implements Closeable {
    private final int pid;
    private final Subject subject;

    /**
     * The top frames of a thread.
     *
     * @param lines empty if the thread has no frames or is gone
     * @param ran whether the thread used CPU while they were taken, as its own clock says; otherwise it
     *     waited
     */
    public record Frames(List<String> lines, boolean ran) {
        public static final Frames NONE = new Frames(List.of(), false);
    }

    protected Sampling(int pid, Subject subject) {
        this.pid = pid;
        this.subject = subject;
    }

    static Subject subject(Target jvm, String label) {
        return new Subject(label, jvm.jdk(), jvm.commandLine(), SelfJar.version());
    }

    /**
     * From inside or, if the JVM cannot be attached to, by /proc, which one line on stderr then says. Throws
     * Failure or AttachException, with the reason and a remedy, if /proc does not show it either.
     */
    public static Sampling open(JvmOption.Chosen choice, Duration period) throws IOException {
        SelfJar.loadNative(); // which knows the pools of threads
        int pid = choice.pid();
        Optional<Target> jvm = Optional.empty();
        try {
            jvm = Optional.of(choice.open());
            return ChannelSampling.open(jvm.get(), period);
        } catch (AttachException | Failure e) {
            Subject subject = jvm.map(opened -> subject(opened, byProc(pid, opened.command())))
                    .or(() -> fromOutside(pid)).orElseThrow(() -> e);
            Sampling sampling = ProcSampling.open(pid, subject, period).orElseThrow(() -> e);
            Terminal.stderr().println(choice.command() + ": " + e.getMessage() + ". This is what /proc shows."
                    + " Missing: Java's names and ids of threads (the kernel's names have 15 bytes, and"
                    + " pools are made of those), Java's states, stacks, and threads that start and end"
                    + " between two samples");
            return sampling;
        }
    }

    /** Empty: it is no JVM, or not visible. One that hides its libraries may be none. */
    private static Optional<Subject> fromOutside(int pid) {
        Path process = Path.of("/proc", Integer.toString(pid));
        return TargetProcess.command(process, true).map(command -> {
            boolean isJvm = command.program().equals("java")
                    || TargetProcess.command(process, false).isPresent();
            return new Subject(byProc(pid, command + (isJvm ? "" : ", perhaps not a JVM")), "", "",
                    SelfJar.version());
        });
    }

    private static String byProc(int pid, String command) {
        return pid + " by /proc alone (" + command + ")";
    }

    public final int pid() {
        return pid;
    }

    /** The sampled JVM, as far as it is known from outside. */
    public final Subject subject() {
        return subject;
    }

    /** Identifies the JVM to the user. */
    public final String label() {
        return subject.jvm();
    }

    /**
     * The next interval; empty if the JVM has ended. The first ends after 20 ms, to give the following ones,
     * a period each, a beginning.
     */
    public abstract Optional<Interval> next() throws IOException;

    /** Whether a Java thread is on a CPU or waits for one now. For any thread. */
    public boolean isRunnable(int tid) {
        return false;
    }

    /** Requests the top frames of a Java thread, which is stopped at a safepoint for that. For any thread. */
    public void askForStack(long javaId, int frames) throws IOException {
        // Without an agent, nothing can answer.
    }

    /**
     * The last answer to {@link #askForStack} if it is for this thread; none if there is none yet. For any
     * thread.
     */
    public Frames stack(long javaId) {
        return Frames.NONE;
    }

    /**
     * Requests the top frames of a Java thread and waits for them; none if the JVM has ended. For the reader
     * thread.
     */
    public Frames awaitStack(long javaId, int frames) throws IOException {
        return Frames.NONE;
    }

    @Override
    public void close() throws IOException {}
}
