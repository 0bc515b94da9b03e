// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Experiment;
import java.util.List;

/** All experiments of the lab, in the order of their rows. */
public final class Experiments {
    private Experiments() {}

    public static List<Experiment> all() {
        return List.of(
                SampledReads.sixteenThreads(),
                new CallerAsZero(),
                SampledReads.oneThread(),
                SampledReads.of25(),
                new NativeLatency(),
                new KernelAllocation(),
                new SystemCalls(),
                new FlameGraphs(),
                new UserAgainstTotal(),
                new BoundNatives(),
                new InvariantsHold(),
                new Consumers(),
                new ClockDetection(),
                new Rightness(),
                new TickFreshness(),
                new ReadCostExperiment(),
                new ManyThreads(),
                new ObserverEffect(),
                new FlightRecorder(),
                new VirtualAccounting());
    }
}
