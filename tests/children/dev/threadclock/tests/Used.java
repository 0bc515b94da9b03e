// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** The CPU time of threads by pool that a recording shows, to compare with what they reported. */
record Used(Map<String, Long> pools, long allNanos, long processNanos, List<String> types) {
    /** The kernel's user and system times of a process have steps of 1 us: one step for each. */
    private static final long STEPS_NANOS = 2_000;
    /** The kernel's name of a thread that was seen when it had started and not yet set its name. */
    private static final String NOT_YET_NAMED = "java";
    private static final Pattern SAID = Pattern.compile("worker=(\\d+) brief=(\\d+)");

    /** The events of one type in a Flight Recorder file. */
    static List<RecordedEvent> events(Path file, String type) throws IOException {
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(type)).toList();
    }

    /** A file of settings in this folder: for events of this type alone. */
    static Path settings(Path folder, String type, boolean enabled, String period) throws IOException {
        return Files.writeString(folder.resolve("settings.jfc"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <configuration version="2.0"><event name="%s"><setting name="enabled">%s</setting>
                <setting name="period">%s</setting></event></configuration>
                """.formatted(type, enabled, period));
    }

    /** Reads and checks the events in a Flight Recorder file. */
    static Used inJfr(Path file) throws IOException {
        Map<String, Long> pools = new HashMap<>();
        long all = 0;
        long process = 0;
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        for (RecordedEvent event : events) {
            String type = event.getEventType().getName();
            if (type.startsWith("dev.threadclock.") && event.hasField("total")) {
                long total = event.getLong("total");
                long user = event.getLong("user");
                assertThat(user).as("%s", event).isBetween(0L, total + STEPS_NANOS);
                assertThat(event.getLong("system")).as("%s", event).isBetween(0L, total + STEPS_NANOS - user);
                assertThat(event.getLong("interval")).isPositive();
                if (type.endsWith("ThreadCpuTime")) {
                    pools.merge(event.getString("pool"), total, Long::sum);
                    all += total;
                } else {
                    process += total;
                }
            }
        }
        return new Used(pools, all, process,
                events.stream().map(event -> event.getEventType().getName()).distinct().toList());
    }

    /** The pool's threads agree to 2 %. Brief threads have all their time, under any name. */
    void assertAsSaid(String output) {
        Matcher said = SAID.matcher(output);
        assertThat(said.find()).as(output).isTrue();
        long worker = Long.parseLong(said.group(1));
        assertThat(pools.get("pool-*-worker-*")).as("%s", pools).isCloseTo(worker, within(worker / 50));
        long brief = 0;
        for (String name : List.of("brief-*", "(ended threads)", NOT_YET_NAMED)) {
            brief += pools.getOrDefault(name, 0L);
        }
        assertThat(brief).as("%s", pools)
                .isGreaterThan(Long.parseLong(said.group(2)) * 98 / 100);
    }
}
