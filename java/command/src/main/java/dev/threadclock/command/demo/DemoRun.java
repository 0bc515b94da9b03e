// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.measure.MeasuredJvm;
import dev.threadclock.command.measure.MeasurementPlan;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.command.machine.Machine;
import dev.threadclock.command.machine.TickClock;
import dev.threadclock.command.terminal.Progress;
import dev.threadclock.command.terminal.SelfJar;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Measures every JDK, without and with threadclock, one child after the other. */
final class DemoRun {
    private final Jdks jdks;
    private final boolean quick;
    private final Path jar;

    DemoRun(Jdks jdks, boolean quick, Path jar) {
        this.jdks = jdks;
        this.quick = quick;
        this.jar = jar;
    }

    DemoReport run(Progress progress) {
        String begun = OffsetDateTime.now().truncatedTo(ChronoUnit.SECONDS).toString();
        MeasurementPlan plan = quick ? MeasurementPlan.QUICK : MeasurementPlan.FULL;
        Machine machine = null;
        List<JdkResult> results = new ArrayList<>();
        for (Jdk jdk : jdks.jdks()) {
            String count = "[" + (results.size() + 1) + "/" + jdks.jdks().size() + "] " + jdk.label();
            progress.say(count + ": finding the timer ticks");
            // Anew for each JDK, because the clock is being disciplined meanwhile.
            TickClock ticks = TickClock.learn();
            machine = machine == null ? Machine.describe(ticks.hertz()) : machine;
            results.add(measure(jdk, new MeasuredJvm(jar, plan, ticks), count, progress));
        }
        return new DemoReport(SelfJar.version(), begun, quick, plan, machine, results, jdks.skipped());
    }

    private static JdkResult measure(Jdk jdk, MeasuredJvm child, String count, Progress progress) {
        Measurement before = null;
        try {
            before = child.run(jdk, false, step -> progress.say(count + " as it is: " + inWords(step)));
            Measurement with = child.run(jdk, true,
                    step -> progress.say(count + " with threadclock: " + inWords(step)));
            return JdkResult.measured(jdk, before, with);
        } catch (MeasuredJvm.Failed e) {
            return JdkResult.failed(jdk, before,
                    (before == null ? "as it is: " : "with threadclock: ") + e.getMessage());
        }
    }

    private static String inWords(String step) {
        return switch (step) {
            case "cost" -> "cost of a read";
            case "latency" -> "tail of single reads";
            case "around" -> "a thread that works around ticks";
            case "between" -> "a thread that works between ticks";
            default -> step;
        };
    }
}
