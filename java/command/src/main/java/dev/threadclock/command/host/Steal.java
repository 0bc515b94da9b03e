// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.host;

import java.util.Arrays;
import java.util.Optional;

/**
 * Time that the hypervisor gave to others while this machine wanted to run: in hundredths of a second, and as
 * a share of all CPU time.
 */
public record Steal(long hundredths, double share) {
    private static final int STEAL_FIELD = 7;
    private static final int GUEST_FIELD = 8;

    /** Parses /proc/stat: "cpu user nice system idle iowait irq softirq steal ..."; user includes guest. */
    public static Optional<Steal> of(String stat) {
        String[] words = stat.split("\n")[0].strip().split("\\s+");
        if (!words[0].equals("cpu") || words.length <= STEAL_FIELD + 1) {
            return Optional.empty();
        }
        long[] times = Arrays.stream(words).skip(1).limit(GUEST_FIELD).mapToLong(Long::parseLong).toArray();
        long all = Math.max(1, Arrays.stream(times).sum());
        return Optional.of(new Steal(times[STEAL_FIELD], (double) times[STEAL_FIELD] / all));
    }
}
