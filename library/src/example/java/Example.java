// SPDX-License-Identifier: Apache-2.0
// The Java example of README.md, which is what follows; a test compiles and runs it.
import dev.threadclock.CpuMeter;
public class Example {
    public static void main(String[] args) {
        CpuMeter meter = new CpuMeter().start();
        double work = new java.util.Random(1).doubles(10_000_000).sum();
        System.out.println(work + ": " + meter.stop());
    }
}
