// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.attach.internal.Printable;
import dev.threadclock.command.sample.Sampling.Frames;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A parsed message of the agent's sampler (native/agent/sample_wire.h): records by kind, in order. */
final class Message {
    /** The first eight bytes of a channel. */
    static final long MAGIC = 0x3550_534b_434f_4c43L;

    /** java_threads.h has this number of bytes. */
    private static final int LONGEST_NAME = 1024;
    private static final int MOST_FRAMES = 64; // FRAMES_MAX of sampler.c
    private static final String STATES = "RWSBX"; // of sample_wire.h

    private static final int MOMENT = 1;
    private static final int ROW = 2;
    private static final int TIMES = 3;
    private static final int GONE = 4;
    private static final int STACK = 5;
    private static final int VIRTUAL = 6;
    private static final int GROUP = 7;
    private static final int RAN_MEANWHILE = 8;

    Optional<Moment> moment = Optional.empty();
    final List<Row> rows = new ArrayList<>();
    final List<Ran> ran = new ArrayList<>();
    final List<Long> gone = new ArrayList<>();
    Optional<Stack> stack = Optional.empty();
    Optional<Virtual> virtual = Optional.empty();

    /** The beginning of the pass over the threads; nanos: by the monotonic clock. */
    record Moment(long wallMillis, long nanos, CpuSnapshot process) {}

    /**
     * A thread that is new or has changed.
     *
     * @param serial unique, even if the TID is reused
     * @param javaId 0 for a native thread
     * @param carrier whether it carries virtual threads
     * @param state of a Java thread
     * @param name the kernel's for a native thread
     */
    record Row(long serial, int tid, long javaId, boolean carrier, char state, String name) {}

    /** waitedNanos: for a CPU, since the thread's start; negative if unknown. */
    record Ran(long serial, CpuSnapshot times, long waitedNanos) {}

    /** The top frames of a Java thread. */
    record Stack(long id, Frames frames) {}

    /**
     * The groups of virtual threads, read shortly before the other threads.
     *
     * @param monotonicNanos CLOCK_MONOTONIC
     * @param epoch changes if accounting was off in between, because the groups' times then lack that period
     */
    record Virtual(long monotonicNanos, int epoch, List<Group> groups) {}

    /**
     * The virtual threads whose names differ only in numbers.
     *
     * @param threads the number of living threads
     * @param mounted the number of these that are on a carrier
     * @param times of all threads, including ended ones, since they were first accounted for
     * @param name with * for each number
     */
    record Group(int threads, int mounted, CpuSnapshot times, String name) {
        private Group and(Group other) {
            return new Group(threads + other.threads, mounted + other.mounted, times.plus(other.times), name);
        }
    }

    /** Throws an IOException if the bytes are not a valid message. */
    static Message parse(byte[] bytes) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        Message all = new Message();
        boolean ranMeanwhile = true; // unless the sampler knows better
        Map<String, Group> groups = new LinkedHashMap<>(); // by what is printable of their names
        try {
            while (in.hasRemaining()) {
                int kind = in.get();
                switch (kind) {
                    case MOMENT ->
                        all.moment = Optional
                                .of(new Moment(in.getLong(), in.getLong(), times(in)));
                    case ROW -> all.rows.add(row(in));
                    case TIMES -> all.ran.add(new Ran(in.getLong(), times(in), in.getLong()));
                    case GONE -> all.gone.add(in.getLong());
                    case RAN_MEANWHILE -> ranMeanwhile = in.getLong() > 0;
                    case STACK -> all.stack = Optional.of(new Stack(in.getLong(), new Frames(
                            text(in).lines().limit(MOST_FRAMES)
                                    .map(line -> Printable.line(line, LONGEST_NAME)).toList(),
                            ranMeanwhile)));
                    case VIRTUAL ->
                        all.virtual = Optional.of(new Virtual(in.getLong(), in.getInt(), List.of()));
                    case GROUP -> {
                        Group group = new Group(in.getInt(), in.getInt(), times(in), name(in));
                        groups.merge(group.name, group, Group::and);
                    }
                    default -> throw new IOException("a record of kind " + kind);
                }
            }
        } catch (BufferUnderflowException e) {
            throw new IOException("a record that is cut off", e);
        }
        all.virtual = all.virtual.map(moment -> new Virtual(moment.monotonicNanos, moment.epoch,
                List.copyOf(groups.values())));
        return all;
    }

    private static Row row(ByteBuffer in) throws IOException {
        long serial = in.getLong();
        int tid = in.getInt();
        long javaId = in.getLong();
        return new Row(serial, tid, javaId, in.getInt() != 0, state(in.getInt()),
                javaId == 0 ? kernelText(in) : name(in));
    }

    private static char state(int letter) {
        return letter >= 0 && STATES.indexOf(letter) >= 0 ? (char) letter : '?';
    }

    private static CpuSnapshot times(ByteBuffer in) {
        return new CpuSnapshot(in.getLong(), in.getLong(), in.getLong());
    }

    private static byte[] bytes(ByteBuffer in) {
        byte[] bytes = new byte[in.getShort() & 0xffff];
        in.get(bytes);
        return bytes;
    }

    /** A name set with prctl(PR_SET_NAME), which may contain any bytes. */
    private static String kernelText(ByteBuffer in) {
        return Printable.line(new String(bytes(in), StandardCharsets.UTF_8), LONGEST_NAME);
    }

    /** Text in the JVM's modified UTF-8. */
    private static String text(ByteBuffer in) throws IOException {
        byte[] bytes = bytes(in);
        byte[] withLength = ByteBuffer.allocate(bytes.length + 2).putShort((short) bytes.length).put(bytes)
                .array();
        return new DataInputStream(new ByteArrayInputStream(withLength)).readUTF();
    }

    private static String name(ByteBuffer in) throws IOException {
        return Printable.line(text(in), LONGEST_NAME);
    }
}
