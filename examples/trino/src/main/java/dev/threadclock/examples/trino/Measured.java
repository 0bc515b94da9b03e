// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import dev.threadclock.examples.trino.Turns.Way;
import java.util.Map;

/**
 * What was measured of one version of Trino on one JDK; the last four are null after a quick run.
 *
 * @param logLines lines of the log without the agent
 * @param logDifference what differs in that with the agent; empty if nothing does
 * @param unchanged turns of the unchanged engine
 * @param prices picoseconds a user read and a total read, without and with the agent
 * @param operations as Reads counts them: operations, those with user above total, user and total nanoseconds
 * @param user turns of the engine whose operators read user time as well
 */
record Measured(String name, int logLines, String logDifference, Turns unchanged, Counts counts,
        Map<Way, long[]> prices, Map<Way, long[]> operations, Turns user) {}
