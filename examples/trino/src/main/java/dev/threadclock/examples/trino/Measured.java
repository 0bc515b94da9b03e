// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import dev.threadclock.examples.trino.Turns.Way;
import java.util.Map;

/**
 * The measurements of one version of Trino on one JDK. The last four are null after a quick run.
 *
 * @param logLines lines of the log without the agent
 * @param logDifference how the log with the agent differs; empty if it does not
 * @param unchanged turns of the unchanged engine
 * @param prices picoseconds per user read and per total read, without and with the agent
 * @param operations the values of Reads.operations()
 * @param user turns of the engine whose operators read user time as well
 */
record Measured(String name, int logLines, String logDifference, Turns unchanged, Counts counts,
        Map<Way, long[]> prices, Map<Way, long[]> operations, Turns user) {}
