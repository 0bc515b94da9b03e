// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Event;

/**
 * A Flight Recorder file not written by Flight Recorder: an event has the time and the thread that it is
 * about, not those of its writer, and the file is complete after each flush, even if this process is killed
 * then. It consists of chunks: a header, the types, then events and the threads that they refer to. The
 * format is version 2.1, as of JDK 11 (jdk.jfr.internal.consumer: ChunkHeader, ChunkParser).
 */
final class JfrFile implements Closeable {
    private static final int MAGIC = 0x464c5200; // "FLR\0"
    private static final short MAJOR = 2;
    private static final short MINOR = 1;
    private static final int COMPRESSED_NUMBERS = 1;
    private static final int HEADER_SIZE = 68;
    private static final long TICKS_PER_SECOND = 1_000_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Larger chunks are avoided: readers load a chunk's threads at once, and some the whole chunk. */
    private static final long LARGE_CHUNK = 16L << 20;

    private final FileChannel file;
    private final JfrTypes types;
    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    private long chunk; // offset of the current chunk
    private long end; // end of the flushed data
    private final long zeroMillis; // at tick 0
    private long startMillis; // of the chunk
    private long lastMillis;
    private int chunks;
    private long lastCheckpoint; // offset in the chunk; 0: none yet
    private JfrBytes events = new JfrBytes();
    private JfrBytes threads = new JfrBytes();
    private int newThreads;

    /** startMillis: not later than any event. */
    JfrFile(Path path, List<Class<? extends Event>> eventTypes, long startMillis) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING);
        types = new JfrTypes(eventTypes);
        eventTypes.forEach(type -> fields.put(type, JfrTypes.fields(type)));
        zeroMillis = startMillis;
        begin(startMillis);
    }

    private void begin(long millis) {
        chunk = end;
        startMillis = millis;
        lastMillis = millis;
        lastCheckpoint = 0;
        events.raw(new byte[HEADER_SIZE]).raw(types.toRecord(++chunks));
    }

    /** Introduces a thread, to which events in this chunk refer by the key. The key must not be 0. */
    void thread(long key, String name, long tid, long javaId) {
        threads.number(key).text(name).number(tid).text(javaId == 0 ? null : name).number(javaId);
        newThreads++;
    }

    /** thread: the key of a thread that has been introduced, or 0 for none. */
    void event(Event event, long millis, long thread) {
        JfrBytes bytes = new JfrBytes().number(types.id(event)).number(ticks(millis)).number(thread);
        try {
            for (Field field : fields.get(event.getClass())) {
                if (field.getType() == long.class) {
                    bytes.number(field.getLong(event));
                } else {
                    bytes.text((String) field.get(event));
                }
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
        events.raw(bytes.sized());
        lastMillis = Math.max(lastMillis, millis);
    }

    private long ticks(long millis) {
        return (millis - zeroMillis) * NANOS_PER_MILLI;
    }

    /**
     * Writes everything that has been added, and then the header, which makes it part of the chunk. True if a
     * new chunk has begun, to which threads have to be introduced again.
     */
    boolean flush() throws IOException {
        if (newThreads > 0) {
            long position = end - chunk + events.size();
            JfrBytes checkpoint = new JfrBytes().number(JfrTypes.CHECKPOINT).number(ticks(lastMillis))
                    .number(0)
                    .number(lastCheckpoint == 0 ? 0 : lastCheckpoint - position).number(0).number(1)
                    .number(types.threadType()).number(newThreads).raw(threads.toArray());
            events.raw(checkpoint.sized());
            lastCheckpoint = position;
        }
        byte[] bytes = events.toArray();
        write(ByteBuffer.wrap(bytes), end);
        end += bytes.length;
        write(header(), chunk);
        events = new JfrBytes();
        threads = new JfrBytes();
        newThreads = 0;
        boolean large = end - chunk > LARGE_CHUNK;
        if (large) {
            begin(lastMillis);
        }
        return large;
    }

    private ByteBuffer header() {
        return ByteBuffer.allocate(HEADER_SIZE).putInt(MAGIC).putShort(MAJOR).putShort(MINOR)
                .putLong(end - chunk)
                .putLong(lastCheckpoint).putLong(HEADER_SIZE).putLong(startMillis * NANOS_PER_MILLI)
                .putLong(ticks(lastMillis) - ticks(startMillis)).putLong(ticks(startMillis))
                .putLong(TICKS_PER_SECOND).putInt(COMPRESSED_NUMBERS).flip();
    }

    private void write(ByteBuffer bytes, long position) throws IOException {
        for (long at = position; bytes.hasRemaining();) {
            at += file.write(bytes, at);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
