// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.pages;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Timeline;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.report.RecordingPage;
import java.util.ArrayList;
import java.util.List;

/** A recording of one minute with known figures and very long names. */
final class Recordings {
    static final int INTERVALS = 60;
    static final long START_MILLIS = 1_700_000_000_000L;
    static final int THREADS = 23;
    static final String HEADLINE = "50.0 % of a CPU over 60 s: 40.0 % user, 10.0 % system";
    static final String LONG_NAME = "org.springframework.kafka.KafkaListenerEndpointContainer#0-0-C-1-"
            + "x".repeat(120);

    private Recordings() {}

    static String page() {
        Timeline timeline = new Timeline();
        for (int i = 1; i <= INTERVALS; i++) {
            timeline.add(interval(i));
        }
        String classPath = "/opt/shop/lib/a-library.jar:".repeat(40);
        Subject subject = new Subject("4711 (java -jar shop.jar)",
                "17.0.15, OpenJDK 64-Bit Server VM, Debian",
                "java -Xmx2g -cp " + classPath + " -jar shop.jar", "1.2.3");
        return new RecordingPage(subject, timeline).toHtml();
    }

    /** 20 % of a CPU in user mode in the first half of the time, 60 % in the second; 10 % in system mode. */
    private static Interval interval(int i) {
        List<Use> uses = new ArrayList<>();
        uses.add(use("http-nio-8080-exec-1", 1, i <= INTERVALS / 2 ? 100 : 500, 0));
        uses.add(use("http-nio-8080-exec-2", 2, 20, 20).withWait(300_000_000));
        uses.add(use(LONG_NAME, 3, 40, 60));
        for (int k = 0; k < 20; k++) {
            uses.add(use("pool " + (char) ('a' + k), 10 + k, 2, 1));
        }
        CpuSnapshot process = uses.stream().map(Use::interval).reduce(CpuSnapshot.ZERO, CpuSnapshot::plus);
        return new Interval(START_MILLIS + 1000L * i, 1_000_000_000, process, process, uses, List.of());
    }

    private static Use use(String name, int id, long userMillis, long systemMillis) {
        return Use.recorded(id, name, id, id,
                new CpuSnapshot(userMillis * 1_000_000, systemMillis * 1_000_000,
                        (userMillis + systemMillis) * 1_000_000));
    }
}
