// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Transcript.THREADS;
import static dev.threadclock.tests.child.Transcript.own;

import java.io.File;

/**
 * A child program: works mostly in the kernel, then reads its user time in each way. Prints {@code
 * current=NANOS id=NANOS one=NANOS two=NANOS again=NANOS cpu=NANOS}, read in this order; one and two are
 * arrays.
 */
public final class SystemWork {
    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(() -> {
            File file = new File("/proc/self/smaps");
            File folder = new File("/proc/self/task");
            while (THREADS.getCurrentThreadCpuTime() < 500_000_000) {
                Burn.sink += file.length() + folder.list().length;
            }
            System.out.println("current=" + THREADS.getCurrentThreadUserTime() + " id="
                    + THREADS.getThreadUserTime(own())
                    + " one=" + THREADS.getThreadUserTime(new long[]{own()})[0]
                    + " two=" + THREADS.getThreadUserTime(new long[]{own(), own()})[1]
                    + " again=" + THREADS.getCurrentThreadUserTime() + " cpu="
                    + THREADS.getCurrentThreadCpuTime());
        });
        thread.start();
        thread.join();
    }
}
