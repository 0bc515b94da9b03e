// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.lang.management.ManagementFactory;

/**
 * A child program: reads its user time silently, so that everything that a JVM or an agent prints is seen.
 */
public final class Hello {
    public static void main(String[] args) {
        long user = ManagementFactory.getThreadMXBean().getCurrentThreadUserTime();
        System.out.println("hello" + (user < 0 ? ", no user time" : ""));
        System.err.println("this is stderr");
        System.exit(3);
    }
}
