// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

/**
 * Which columns a table has: on a narrow screen, the name of a thread says more than how its time is
 * divided.
 */
enum Columns {
    ALL,
    /** Without user and system. */
    TOTAL,
    /** Without the time since the start, too. */
    FEWEST;

    private static final int ENOUGH_FOR_ALL = 76;
    private static final int ENOUGH_FOR_TIME = 56;

    static Columns of(int width) {
        return width >= ENOUGH_FOR_ALL ? ALL : width >= ENOUGH_FOR_TIME ? TOTAL : FEWEST;
    }
}
