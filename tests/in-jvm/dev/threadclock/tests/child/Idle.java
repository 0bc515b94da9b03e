// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.File;

/**
 * A child program that needs only java.base: waits until a file exists. Argument: the file. Prints {@code
 * ready} before and {@code there} afterwards.
 */
public final class Idle {
    private static final long LONGEST_NANOS = 300_000_000_000L;

    public static void main(String[] args) throws InterruptedException {
        untilThere(args[0]);
        System.out.println("there");
    }

    static void untilThere(String file) throws InterruptedException {
        System.out.println("ready");
        for (long began = System.nanoTime(); !new File(file).exists();) {
            if (System.nanoTime() - began > LONGEST_NANOS) {
                throw new IllegalStateException("no " + file);
            }
            Thread.sleep(20);
        }
    }
}
