// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.page.Figures;
import java.util.List;

/**
 * The result of one subject, and the rule for claims of "N times faster": every subject must reach at least
 * the published factor, allowing for noise.
 *
 * @param before nanoseconds without threadclock
 * @param after nanoseconds with it
 * @param spread the spread of the ratio, as a share of it: 0.1 is 10 %
 */
record Speedup(String subject, double before, double after, double spread) {
    /** Confirmed if all reach the factor, too noisy if one misses it by no more than its spread. */
    static Verdict judge(List<Speedup> all, double factor) {
        boolean reached = all.stream().allMatch(one -> one.ratio() >= factor);
        boolean possible = all.stream().allMatch(one -> one.ratio() * (1 + one.spread) >= factor);
        return reached ? Verdict.CONFIRMED : possible ? Verdict.TOO_NOISY : Verdict.NOT_CONFIRMED;
    }

    double ratio() {
        return before / after;
    }

    /** "JDK 17.0.21 Debian 8.12 µs to 47.0 ns, 173×". */
    String words() {
        return subject + " " + Figures.duration(before) + " to " + Figures.duration(after) + ", "
                + Figures.times(ratio());
    }
}
