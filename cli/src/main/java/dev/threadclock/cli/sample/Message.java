// SPDX-License-Identifier: Apache-2.0
// One message of the agent's sampler, taken apart (agent/src/main/c/sample_wire.h).
package dev.threadclock.cli.sample;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The records of each kind, in their order. */
record Message(
        Optional<Moment> moment, List<Java> java, List<Event> events, List<Kernel> threads, List<Ran> ran, List<Long> gone,
        Optional<Stack> stack) {
    /** The first eight bytes of a channel. */
    static final long MAGIC = 0x3150_534b_434f_4c43L;

    private static final int MOMENT = 1;
    private static final int JAVA = 2;
    private static final int START = 3;
    private static final int END = 4;
    private static final int THREAD = 5;
    private static final int TIMES = 6;
    private static final int GONE = 7;
    private static final int STACK = 8;

    /** The pass over the kernel's threads: from when to when, by the monotonic clock. */
    record Moment(long wallMillis, long beginNanos, long endNanos, Times process) {}

    /** A Java thread as it is; tid 0: told before, or not known. */
    record Java(long id, int tid, char state, String name) {}

    /** A Java thread starts, or ends and then has its times. */
    record Event(long id, int tid, long nanos, Optional<Times> end, String name) {}

    /** A thread that is new, or has a new name. */
    record Kernel(long serial, int tid, Times times, String name) {}

    record Ran(long serial, Times times) {}

    /** The top frames of a Java thread; none: it has none, or is gone. */
    record Stack(long id, List<String> frames) {}

    /** IOException: these are not the bytes of a message. */
    static Message parse(byte[] bytes) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        Optional<Moment> moment = Optional.empty();
        Optional<Stack> stack = Optional.empty();
        Message message = new Message(moment, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(),
                new ArrayList<>(), stack);
        try {
            while (in.hasRemaining()) {
                int kind = in.get();
                switch (kind) {
                    case MOMENT -> moment = Optional.of(new Moment(in.getLong(), in.getLong(), in.getLong(), times(in)));
                    case JAVA -> message.java.add(new Java(in.getLong(), in.getInt(), (char) in.getInt(), text(in)));
                    case START -> message.events.add(new Event(in.getLong(), in.getInt(), in.getLong(), Optional.empty(), text(in)));
                    case END -> message.events.add(new Event(in.getLong(), in.getInt(), in.getLong(), Optional.of(times(in)), text(in)));
                    case THREAD -> message.threads.add(new Kernel(in.getLong(), in.getInt(), times(in), kernelText(in)));
                    case TIMES -> message.ran.add(new Ran(in.getLong(), times(in)));
                    case GONE -> message.gone.add(in.getLong());
                    case STACK -> stack = Optional.of(new Stack(in.getLong(), text(in).lines().toList()));
                    default -> throw new IOException("a record of kind " + kind);
                }
            }
        } catch (BufferUnderflowException e) {
            throw new IOException("a record that is cut off", e);
        }
        return new Message(moment, message.java, message.events, message.threads, message.ran, message.gone, stack);
    }

    private static Times times(ByteBuffer in) {
        return new Times(in.getLong(), in.getLong(), in.getLong());
    }

    private static byte[] bytes(ByteBuffer in) {
        byte[] bytes = new byte[in.getShort() & 0xffff];
        in.get(bytes);
        return bytes;
    }

    /** A name out of prctl(PR_SET_NAME) may have any bytes. */
    private static String kernelText(ByteBuffer in) {
        return shown(new String(bytes(in), StandardCharsets.UTF_8));
    }

    /** The JVM's modified UTF-8. */
    private static String text(ByteBuffer in) throws IOException {
        byte[] bytes = bytes(in);
        byte[] withLength = ByteBuffer.allocate(bytes.length + 2).putShort((short) bytes.length).put(bytes).array();
        return shown(new DataInputStream(new ByteArrayInputStream(withLength)).readUTF());
    }

    /** A name is the application's: no control characters on somebody's terminal, but for the ends of lines. */
    private static String shown(String text) {
        return text.replaceAll("[\\p{Cntrl}&&[^\\n]]", "?");
    }
}
