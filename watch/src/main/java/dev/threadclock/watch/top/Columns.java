// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

/**
 * The columns of a table. On a narrow screen, a thread's name is more useful than the division of its time.
 */
enum Columns {
    ALL,
    /** Without user and system. */
    TOTAL,
    /** Without the time since the start as well. */
    FEWEST;

    private static final int ENOUGH_FOR_ALL = 76;
    private static final int ENOUGH_FOR_TIME = 56;

    static Columns of(int width) {
        return width >= ENOUGH_FOR_ALL ? ALL : width >= ENOUGH_FOR_TIME ? TOTAL : FEWEST;
    }
}
