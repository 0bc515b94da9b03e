// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Category;
import jdk.jfr.ContentType;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;

/**
 * The types of a Flight Recorder file, which describes itself: a tree of elements with attributes, derived
 * from the event classes and their annotations. The reader is jdk.jfr.internal.MetadataReader.
 */
final class JfrTypes {
    /** Ids of the file's own records (jdk.jfr.internal.consumer.ChunkHeader). */
    static final int METADATA = 0;
    static final int CHECKPOINT = 1;

    private static final String THREAD = "java.lang.Thread";
    private static final List<Class<? extends Annotation>> SHOWN = List.of(Label.class, Description.class,
            Category.class, Timespan.class, Timestamp.class);

    private record Element(String name, Map<String, String> attributes, List<Element> children) {
        Element(String name, String... attributes) {
            this(name, new LinkedHashMap<>(), new ArrayList<>());
            for (int i = 0; i < attributes.length; i += 2) {
                this.attributes.put(attributes[i], attributes[i + 1]);
            }
        }

        Element add(Element child) {
            children.add(child);
            return child;
        }
    }

    private final Map<String, Integer> ids = new LinkedHashMap<>();
    private final Element metadata = new Element("metadata");

    JfrTypes(List<Class<? extends Event>> events) {
        List.of("long", "java.lang.String").forEach(this::type);
        type(ContentType.class.getName(), "superType", Annotation.class.getName());
        SHOWN.forEach(this::annotationType);
        Element thread = type(THREAD);
        field(thread, "osName", "java.lang.String");
        field(thread, "osThreadId", "long");
        field(thread, "javaName", "java.lang.String");
        field(thread, "javaThreadId", "long");
        events.forEach(this::eventType);
    }

    private Element type(String name, String... more) {
        ids.put(name, CHECKPOINT + 1 + ids.size());
        Element type = metadata.add(new Element("class", "name", name, "id", ids.get(name).toString()));
        type.attributes().putAll(new Element("", more).attributes());
        return type;
    }

    private Element field(Element type, String name, String fieldType) {
        return type.add(new Element("field", "name", name, "class", ids.get(fieldType).toString()));
    }

    private void annotationType(Class<? extends Annotation> annotation) {
        Element type = type(annotation.getName(), "superType", Annotation.class.getName());
        Element value = field(type, "value", "java.lang.String");
        if (annotation == Category.class) {
            value.attributes().put("dimension", "1");
        }
        if (annotation.isAnnotationPresent(ContentType.class)) { // so that tools show the values with units
            type.add(new Element("annotation", "class", id(ContentType.class)));
        }
    }

    private void eventType(Class<? extends Event> event) {
        Element type = type(event.getAnnotation(Name.class).value(), "superType", Event.class.getName());
        annotate(type, event.getAnnotations());
        Element start = field(type, "startTime", "long");
        start.add(new Element("annotation", "class", id(Label.class), "value", "Start Time"));
        start.add(new Element("annotation", "class", id(Timestamp.class), "value", Timestamp.TICKS));
        Element thread = field(type, "eventThread", THREAD);
        thread.attributes().put("constantPool", "true");
        thread.add(new Element("annotation", "class", id(Label.class), "value", "Event Thread"));
        fields(event).forEach(field -> annotate(field(type, field.getName(), field.getType().getName()),
                field.getAnnotations()));
    }

    private void annotate(Element element, Annotation[] annotations) {
        for (Annotation annotation : annotations) {
            if (SHOWN.contains(annotation.annotationType())) {
                Element added = element
                        .add(new Element("annotation", "class", id(annotation.annotationType())));
                Object value = value(annotation);
                if (value instanceof String[] values) {
                    Arrays.asList(values).forEach(
                            one -> added.attributes().put("value-" + (added.attributes().size() - 1), one));
                } else {
                    added.attributes().put("value", value.toString());
                }
            }
        }
    }

    private static Object value(Annotation annotation) {
        try {
            Method value = annotation.annotationType().getMethod("value");
            return value.invoke(annotation);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
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
            Arrays.stream(type.getDeclaredFields()).filter(field -> field.isAnnotationPresent(Label.class))
                    .forEach(fields::add);
        }
        fields.forEach(field -> field.setAccessible(true));
        return fields;
    }

    /** The types as a record. id: differs from chunk to chunk, because some readers cache by id. */
    byte[] toRecord(int id) {
        Element root = new Element("root");
        root.add(metadata);
        root.add(new Element("region", "locale", "en_US", "gmtOffset", "0"));
        Map<String, Integer> strings = new LinkedHashMap<>();
        JfrBytes tree = new JfrBytes();
        put(tree, strings, root);
        JfrBytes record = new JfrBytes().number(METADATA).number(0).number(0).number(id)
                .number(strings.size());
        strings.keySet().forEach(record::text);
        return record.raw(tree.toArray()).sized();
    }

    private static void put(JfrBytes tree, Map<String, Integer> strings, Element element) {
        string(tree, strings, element.name());
        tree.number(element.attributes().size());
        element.attributes().forEach((key, value) -> {
            string(tree, strings, key);
            string(tree, strings, value);
        });
        tree.number(element.children().size());
        element.children().forEach(child -> put(tree, strings, child));
    }

    private static void string(JfrBytes tree, Map<String, Integer> strings, String text) {
        Integer index = strings.putIfAbsent(text, strings.size());
        tree.number(index == null ? strings.size() - 1 : index);
    }
}
