// SPDX-License-Identifier: Apache-2.0
// The part of a process's CPU time that is no thread's that was seen: those that ended before, or unobserved.
package dev.threadclock.cli.sample;

import java.util.List;
import java.util.Optional;

/** Grows only: the process's clock is read a little after its threads', so that what is left of it jitters. */
final class Remainder {
    private static final String NAME = "(ended threads)";

    private Times times = new Times(0, 0, 0);
    private long endedUserNanos;
    private long endedTotalNanos;

    /** Its row, if there is anything left. */
    Optional<ThreadSample> take(Times process, List<ThreadSample> living, List<ThreadSample> ended) {
        endedUserNanos += ended.stream().mapToLong(ThreadSample::userNanos).sum();
        endedTotalNanos += ended.stream().mapToLong(ThreadSample::totalNanos).sum();
        long user = process.userNanos() - endedUserNanos - living.stream().mapToLong(ThreadSample::userNanos).sum();
        long total = process.totalNanos() - endedTotalNanos - living.stream().mapToLong(ThreadSample::totalNanos).sum();
        times = grown(times, user, total);
        return times.totalNanos() == 0 ? Optional.empty()
                : Optional.of(new ThreadSample(0, 0, 0, NAME, "", 'X', times.userNanos(), times.systemNanos(), times.totalNanos()));
    }

    /** What times become when total is reached and, as far as it fits in, user: neither user nor system goes back. */
    static Times grown(Times times, long userNanos, long totalNanos) {
        long total = Math.max(times.totalNanos(), totalNanos);
        long mostUser = times.userNanos() + total - times.totalNanos();
        long user = Math.max(times.userNanos(), Math.min(userNanos, mostUser));
        return new Times(user, times.systemNanos() + mostUser - user, total);
    }
}
