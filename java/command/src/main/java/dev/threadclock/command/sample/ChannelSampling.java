// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.attach.internal.Target;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.sample.Message.Stack;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Receives samples over the channel from the agent in the JVM. */
final class ChannelSampling extends Sampling {
    /** Of 100,000 threads with long names, or of all ends that the agent keeps. */
    private static final int LONGEST_MESSAGE = 1 << 25;
    /** That may come at once. Beyond that, the agent sends at most one a period and one a second. */
    private static final int MOST_MESSAGES = 20;
    private static final double MOST_TIMES_AS_OFTEN = 1.5;
    private static final long PATIENCE_MILLIS = 20_000;

    private final ByteChannel connection;
    private final ThreadBook book;
    private final TaskFiles files;
    private final long beganNanos;
    private final double messagesPerNano;
    private long messages;
    private final AtomicLong asked = new AtomicLong(); // for stacks
    private volatile Stack stack = new Stack(0, Frames.NONE);
    /** Samples that arrived while a stack was awaited. */
    private final Deque<Interval> early = new ArrayDeque<>();

    private ChannelSampling(int pid, Subject subject, Duration period, long beganNanos,
            ByteChannel connection, TaskFiles files) {
        super(pid, subject);
        this.beganNanos = beganNanos;
        messagesPerNano = MOST_TIMES_AS_OFTEN * (1e-9 + 1.0 / period.toNanos());
        this.connection = connection;
        this.files = files;
        book = new ThreadBook(tid -> files.stat(tid).map(TaskFiles.Stat::state).orElse('?'));
    }

    /**
     * Makes the JVM sample itself. The first sample, which lists the threads that already exist, is not
     * returned by next().
     */
    static Sampling open(Target jvm, Duration period) throws IOException {
        long beganNanos = System.nanoTime(); // it samples before it has answered
        return over(jvm.pid(), subject(jvm, jvm.toString()), period, beganNanos, jvm.sample(period),
                new TaskFiles(jvm.pid(), jvm.namespacePid() != jvm.pid()), PATIENCE_MILLIS);
    }

    /**
     * @param beganNanos when it was asked to begin, by System.nanoTime()
     * @param files the kernel's of its threads, by their TIDs in its own namespace
     * @param patienceMillis how long the first sample may take
     */
    static Sampling over(int pid, Subject subject, Duration period, long beganNanos, ByteChannel connection,
            TaskFiles files, long patienceMillis) throws IOException {
        ChannelSampling sampling = new ChannelSampling(pid, subject, period, beganNanos, connection, files);
        Thread limit = new Thread(() -> closeAfter(patienceMillis, connection),
                "time limit of the first sample");
        limit.setDaemon(true);
        limit.start();
        try {
            if (sampling.read(Long.BYTES).getLong() == Message.MAGIC) {
                byte[] first = sampling.message();
                limit.interrupt(); // parsing may take longer, and does not depend on the JVM
                if (connection.isOpen()) {
                    sampling.take(first);
                    if (sampling.early.poll() != null) { // what was used before
                        return sampling;
                    }
                }
            }
        } catch (EOFException | SocketException | ClosedChannelException e) {
            // Handled like any other failure to start.
        } catch (IOException | RuntimeException | Error e) {
            sampling.close();
            throw e;
        } finally {
            limit.interrupt();
        }
        sampling.close();
        throw new Failure("the sampler in the JVM " + sampling.label() + " ended, or sent nothing for "
                + patienceMillis + " ms: the JVM is ending, was stopped, or has no memory left;"
                + " try again");
    }

    private static void closeAfter(long millis, ByteChannel connection) {
        try {
            Thread.sleep(millis);
            connection.close();
        } catch (IOException | InterruptedException e) {
            // The first sample has come, or the connection is closed anyway.
        }
    }

    @Override
    public Optional<Interval> next() throws IOException {
        try {
            while (early.isEmpty()) {
                take();
            }
            return Optional.of(early.remove());
        } catch (EOFException | SocketException e) {
            return Optional.empty();
        }
    }

    /** Handles the next message. True if it was a stack. */
    private boolean take() throws IOException {
        return take(message());
    }

    private boolean take(byte[] bytes) throws IOException {
        try {
            if (++messages > MOST_MESSAGES + asked.get()
                    + messagesPerNano * (System.nanoTime() - beganNanos)) {
                throw new IOException("more messages than were asked for");
            }
            Message message = Message.parse(bytes);
            message.stack.ifPresent(answer -> stack = answer);
            book.take(message).ifPresent(early::add);
            return message.stack.isPresent();
        } catch (IOException e) {
            throw noSample(e.getMessage());
        }
    }

    private Failure noSample(String why) {
        return new Failure("the sampler in the JVM " + label() + " sent what is no sample (" + why
                + "); restart that JVM with this version of threadclock");
    }

    private byte[] message() throws IOException {
        int length = read(Integer.BYTES).getInt();
        if (length < 0 || length > LONGEST_MESSAGE) {
            throw noSample("a message of " + Integer.toUnsignedString(length) + " bytes");
        }
        return read(length).array();
    }

    private ByteBuffer read(int size) throws IOException {
        ByteBuffer in = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            if (connection.read(in) < 0) {
                throw new EOFException();
            }
        }
        return in.flip();
    }

    @Override
    public void askForStack(long javaId, int frames) throws IOException {
        asked.incrementAndGet();
        ByteBuffer request = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        connection.write(request.putLong(javaId).putLong(frames).flip());
    }

    @Override
    public Frames stack(long javaId) {
        Stack last = stack;
        return last.id() == javaId ? last.frames() : Frames.NONE;
    }

    @Override
    public Frames awaitStack(long javaId, int frames) throws IOException {
        try {
            askForStack(javaId, frames);
            long began = System.nanoTime();
            while (System.nanoTime() - began < PATIENCE_MILLIS * 1_000_000) {
                // Otherwise it is a sample, or the answer to an earlier request.
                if (take() && stack.id() == javaId) {
                    return stack.frames();
                }
            }
            return Frames.NONE;
        } catch (EOFException | SocketException e) {
            return Frames.NONE;
        }
    }

    @Override
    public boolean isRunnable(int tid) {
        return files.stat(tid).filter(stat -> stat.state() == 'R').isPresent();
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
