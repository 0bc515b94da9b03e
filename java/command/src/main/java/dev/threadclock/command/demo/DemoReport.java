// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.measure.MeasuredJvm;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.command.machine.Machine;
import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.probe.Verdict;
import java.util.List;
import java.util.stream.Stream;

/**
 * All results of a run of the demo, in the form of its JSON file.
 *
 * @param threadclock version measured
 * @param measured when, ISO-8601 with zone
 * @param quick measured so briefly that the figures show the order of magnitude only
 */
record DemoReport(
        String threadclock,
        String measured,
        boolean quick,
        MeasuredJvm.Plan plan,
        Machine machine,
        List<JdkResult> jdks,
        List<Jdks.Skipped> skipped) {
    /**
     * One JDK alone and with threadclock. failure: null, or why results are missing; before and with may then
     * be null.
     */
    record JdkResult(
            String home, String version, String vendor, String failure, Measurement before,
            Measurement with) {
        JdkResult(Jdk jdk, String failure, Measurement before, Measurement with) {
            this(jdk.home().toString(), jdk.version(), jdk.vendor(), failure, before, with);
        }

        public boolean complete() {
            return failure == null;
        }

        public String label() {
            return "JDK " + version + " " + vendor;
        }

        /** How many times faster a read is with threadclock. */
        public double speedUp() {
            return before.user().medianNanos() / with.user().medianNanos();
        }
    }

    private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

    public List<JdkResult> complete() {
        return jdks.stream().filter(JdkResult::complete).toList();
    }

    public List<JdkResult> failed() {
        return jdks.stream().filter(jdk -> !jdk.complete()).toList();
    }

    /** A remark if it cannot be judged, or not safely, whether the values are right, otherwise "". */
    public String disturbance() {
        List<Measurement> all = complete().stream().flatMap(jdk -> Stream.of(jdk.before(), jdk.with()))
                .toList();
        if (all.stream().flatMap(Measurement::runs).anyMatch(TickRun::disturbed)) {
            return "The machine was busy, so the threads missed the ticks. Run it again when it is quiet.";
        }
        return all.stream().flatMap(Measurement::runs).anyMatch(run -> run.verdict() == Verdict.UNKNOWN)
                ? "Not judged: too little work for /proc's steps of 10 ms. Run it"
                        + (quick ? " without --quick." : " again.")
                : "";
    }

    /** What this machine cannot show if all of its JDKs report right times, otherwise "". */
    public String unseen() {
        boolean right = complete().stream().flatMap(jdk -> jdk.before().runs())
                .allMatch(run -> run.verdict() == Verdict.RIGHT);
        return !right || complete().isEmpty() || !disturbance().isEmpty() ? ""
                : """
                        All JDKs here report right times; 25.0.5 and 26 to 28 do not. To see that, run
                        'ci/jdks up 27' in a checkout of threadclock, which fetches one, and this again.
                        """;
    }

    public String toJson() {
        return GSON.toJson(this) + "\n";
    }
}
