// SPDX-License-Identifier: Apache-2.0
import dev.threadclock.CpuMeter;
/** The Java example of README.md, which a test compiles and runs. */
public class Example {
    public static void main(String[] args) {
        CpuMeter meter = new CpuMeter().start();
        double work = new java.util.Random(1).doubles(10_000_000).sum();
        System.out.println(work + ": " + meter.stop());
    }
}
