// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import jdk.jfr.Category;
import jdk.jfr.ContentType;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;

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
    private final Types types;
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
        types = new Types(eventTypes);
        eventTypes.forEach(type -> fields.put(type, Types.fields(type)));
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
        if (newThreads > 0 || lastCheckpoint == 0) { // readers need one in each chunk
            long position = end - chunk + events.size();
            JfrBytes checkpoint = new JfrBytes().number(Types.CHECKPOINT).number(ticks(lastMillis)).number(0)
                    .number(lastCheckpoint == 0 ? 0 : lastCheckpoint - position).number(0);
            if (newThreads == 0) {
                checkpoint.number(0);
            } else {
                checkpoint.number(1).number(types.threadType()).number(newThreads).raw(threads.toArray());
            }
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

    /** What it will be after the next flush, except for the threads. */
    long size() {
        return end + events.size();
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

    /**
     * Encodes numbers and strings as in Flight Recorder's files (see
     * jdk.jfr.internal.consumer.RecordingInput).
     */
    private static final class JfrBytes {
        private static final int NULL = 0;
        private static final int UTF_8 = 3;
        /**
         * Each of the first eight bytes of a number holds seven bits; the ninth holds the last eight bits.
         */
        private static final int LAST = 8;

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        JfrBytes number(long number) {
            long left = number;
            for (int i = 0; i < LAST; i++) {
                if ((left & ~0x7fL) == 0) {
                    bytes.write((int) left);
                    return this;
                }
                bytes.write((int) (left & 0x7f | 0x80));
                left >>>= 7;
            }
            bytes.write((int) left);
            return this;
        }

        /** text: may be null. */
        JfrBytes text(String text) {
            if (text == null) {
                bytes.write(NULL);
                return this;
            }
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            bytes.write(UTF_8);
            number(encoded.length);
            bytes.writeBytes(encoded);
            return this;
        }

        JfrBytes raw(byte[] more) {
            bytes.writeBytes(more);
            return this;
        }

        int size() {
            return bytes.size();
        }

        byte[] toArray() {
            return bytes.toByteArray();
        }

        /** The bytes, preceded by the size of the whole, which includes the size field itself. */
        byte[] sized() {
            int size = bytes.size() + 1;
            while (new JfrBytes().number(size).size() + bytes.size() != size) {
                size++;
            }
            return new JfrBytes().number(size).raw(toArray()).toArray();
        }
    }

    /**
     * The types, by which the file describes itself: a tree of elements with attributes, derived from the
     * event classes and their annotations. The reader is jdk.jfr.internal.MetadataReader.
     */
    private static final class Types {
        /** Ids of the file's own records (jdk.jfr.internal.consumer.ChunkHeader). */
        static final int METADATA = 0;
        static final int CHECKPOINT = 1;

        private static final String THREAD = "java.lang.Thread";
        private static final List<Class<? extends Annotation>> SHOWN = List.of(Label.class, Description.class,
                Category.class, Timespan.class, Timestamp.class);

        private record Element(String name, Map<String, String> attributes, List<Element> children) {
            /** Adds a child with these attributes: name, value, and so on. */
            Element add(String child, String... attributes) {
                Element added = new Element(child, new LinkedHashMap<>(), new ArrayList<>());
                children.add(added);
                for (int i = 0; i < attributes.length; i += 2) {
                    added.attributes.put(attributes[i], attributes[i + 1]);
                }
                return added;
            }
        }

        private final Map<String, Integer> ids = new LinkedHashMap<>();
        private final Element root = new Element("root", new LinkedHashMap<>(), new ArrayList<>());
        private final Element metadata = root.add("metadata");

        Types(List<Class<? extends Event>> events) {
            root.add("region", "locale", "en_US", "gmtOffset", "0");
            type("long");
            type("java.lang.String");
            type(ContentType.class.getName(), Annotation.class);
            SHOWN.forEach(this::annotationType);
            Element thread = type(THREAD);
            field(thread, "osName", "java.lang.String");
            field(thread, "osThreadId", "long");
            field(thread, "javaName", "java.lang.String");
            field(thread, "javaThreadId", "long");
            events.forEach(this::eventType);
        }

        private Element type(String name) {
            ids.put(name, CHECKPOINT + 1 + ids.size());
            return metadata.add("class", "name", name, "id", ids.get(name).toString());
        }

        private Element type(String name, Class<?> superType) {
            Element type = type(name);
            type.attributes().put("superType", superType.getName());
            return type;
        }

        private Element field(Element type, String name, String fieldType) {
            return type.add("field", "name", name, "class", ids.get(fieldType).toString());
        }

        private void annotationType(Class<? extends Annotation> annotation) {
            Element type = type(annotation.getName(), Annotation.class);
            Element value = field(type, "value", "java.lang.String");
            if (annotation == Category.class) {
                value.attributes().put("dimension", "1");
            }
            if (annotation.isAnnotationPresent(ContentType.class)) { // tools show such values with units
                type.add("annotation", "class", id(ContentType.class));
            }
        }

        private void eventType(Class<? extends Event> event) {
            Element type = type(event.getAnnotation(Name.class).value(), Event.class);
            annotate(type, event.getAnnotations());
            Element start = field(type, "startTime", "long");
            start.add("annotation", "class", id(Label.class), "value", "Start Time");
            start.add("annotation", "class", id(Timestamp.class), "value", Timestamp.TICKS);
            Element thread = field(type, "eventThread", THREAD);
            thread.attributes().put("constantPool", "true");
            thread.add("annotation", "class", id(Label.class), "value", "Event Thread");
            fields(event).forEach(field -> annotate(field(type, field.getName(), field.getType().getName()),
                    field.getAnnotations()));
        }

        private void annotate(Element element, Annotation[] annotations) {
            for (Annotation annotation : annotations) {
                Class<? extends Annotation> shown = annotation.annotationType();
                if (SHOWN.contains(shown)) {
                    Map<String, String> attributes = element.add("annotation", "class", id(shown))
                            .attributes();
                    try {
                        Object value = shown.getMethod("value").invoke(annotation);
                        for (int i = 0; value instanceof String[] values && i < values.length; i++) {
                            attributes.put("value-" + i, values[i]);
                        }
                        if (value instanceof String text) {
                            attributes.put("value", text);
                        }
                    } catch (ReflectiveOperationException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }

        private String id(Class<?> type) {
            return ids.get(type.getName()).toString();
        }

        long threadType() {
            return ids.get(THREAD);
        }

        long id(Event event) {
            return ids.get(event.getClass().getAnnotation(Name.class).value());
        }

        /** The fields with a label. Flight Recorder adds fields without labels to an event class. */
        static List<Field> fields(Class<?> event) {
            List<Field> fields = new ArrayList<>();
            for (Class<?> type = event; type != Event.class; type = type.getSuperclass()) {
                Arrays.stream(type.getDeclaredFields())
                        .filter(field -> field.isAnnotationPresent(Label.class))
                        .forEach(fields::add);
            }
            fields.forEach(field -> field.setAccessible(true));
            return fields;
        }

        /** The types as a record. id: differs from chunk to chunk, because some readers cache by id. */
        byte[] toRecord(int id) {
            Map<String, Integer> strings = new LinkedHashMap<>();
            JfrBytes tree = new JfrBytes();
            put(tree, strings, root);
            JfrBytes record = new JfrBytes().number(METADATA).number(0).number(0).number(id)
                    .number(strings.size());
            strings.keySet().forEach(record::text);
            return record.raw(tree.toArray()).sized();
        }

        private static void put(JfrBytes tree, Map<String, Integer> strings, Element element) {
            ToIntFunction<String> index = text -> strings.computeIfAbsent(text, added -> strings.size());
            tree.number(index.applyAsInt(element.name())).number(element.attributes().size());
            element.attributes().forEach(
                    (key, value) -> tree.number(index.applyAsInt(key)).number(index.applyAsInt(value)));
            tree.number(element.children().size());
            element.children().forEach(child -> put(tree, strings, child));
        }
    }
}
