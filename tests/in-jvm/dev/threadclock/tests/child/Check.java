// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/** Ends a child program at its first wrong answer. */
final class Check {
    static void that(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
