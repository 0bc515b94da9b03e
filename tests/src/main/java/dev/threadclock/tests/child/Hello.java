// SPDX-License-Identifier: Apache-2.0
// A child's program: reads its user time and says nothing of it. What a JVM or an agent prints besides shows up.
package dev.threadclock.tests.child;

import java.lang.management.ManagementFactory;

public final class Hello {
    private Hello() {}

    public static void main(String[] args) {
        long user = ManagementFactory.getThreadMXBean().getCurrentThreadUserTime();
        System.out.println("hello" + (user < 0 ? ", no user time" : ""));
        System.err.println("this is stderr");
        System.exit(3);
    }
}
