// SPDX-License-Identifier: Apache-2.0
// The part of a process's CPU time that is no thread's that was seen: those that ended before, or unobserved.
package dev.threadclock.cli.sample;

import java.util.List;
import java.util.Optional;

/** Grows only: the process's clock is read a little after its threads', so that what is left of it jitters. */
final class Remainder {
    private static final String NAME = "(ended threads)";

    private Times times = Times.NONE;
    private Times allEnded = Times.NONE;

    /** Its row, if there is anything left. */
    Optional<ThreadSample> take(Times process, List<ThreadSample> living, List<ThreadSample> ended) {
        allEnded = allEnded.plus(sum(ended));
        Times left = process.minus(allEnded).minus(sum(living));
        times = grown(times, left.userNanos(), left.totalNanos());
        return times.totalNanos() == 0 ? Optional.empty() : Optional.of(new ThreadSample(0, 0, 0, NAME, "", 'X', times));
    }

    private static Times sum(List<ThreadSample> threads) {
        return threads.stream().map(ThreadSample::times).reduce(Times.NONE, Times::plus);
    }

    /** What times become when total is reached and, as far as it fits in, user: neither user nor system goes back. */
    static Times grown(Times times, long userNanos, long totalNanos) {
        long total = Math.max(times.totalNanos(), totalNanos);
        long mostUser = times.userNanos() + total - times.totalNanos();
        long user = Math.max(times.userNanos(), Math.min(userNanos, mostUser));
        return new Times(user, times.systemNanos() + mostUser - user, total);
    }
}
