// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.jdk.Jdk;

/**
 * One JDK alone and with threadclock. failure: null, or why results are missing; before and with may then be
 * null.
 */
record JdkResult(
        String home, String version, String vendor, String failure, Measurement before, Measurement with) {
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
