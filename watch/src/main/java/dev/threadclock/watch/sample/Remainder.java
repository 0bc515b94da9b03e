// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.CpuSnapshot;
import java.util.List;
import java.util.Optional;

/**
 * The part of a process's CPU time that belongs to no observed thread: of threads that ended before the
 * sampling began, or that were missed. It never decreases here. The raw difference jitters, because the
 * process's clock is read slightly after its threads' clocks.
 */
final class Remainder {
    private static final String NAME = "(ended threads)";

    private CpuSnapshot times = CpuSnapshot.ZERO;
    private CpuSnapshot allEnded = CpuSnapshot.ZERO;

    /** A row for the remainder, if it is not zero. */
    Optional<ThreadSample> take(CpuSnapshot process, List<ThreadSample> living, List<ThreadSample> ended) {
        allEnded = allEnded.plus(sum(ended));
        CpuSnapshot left = process.minus(allEnded).minus(sum(living));
        times = grown(times, left.userNanos(), left.totalNanos());
        return times.totalNanos() == 0 ? Optional.empty()
                : Optional.of(new ThreadSample(0, 0, 0, NAME, "", 'X', times));
    }

    private static CpuSnapshot sum(List<ThreadSample> threads) {
        return threads.stream().map(ThreadSample::times).reduce(CpuSnapshot.ZERO, CpuSnapshot::plus);
    }

    /** Increases the times to total, and user as far as possible. Neither user nor system decreases. */
    static CpuSnapshot grown(CpuSnapshot times, long userNanos, long totalNanos) {
        long total = Math.max(times.totalNanos(), totalNanos);
        long mostUser = times.userNanos() + total - times.totalNanos();
        long user = Math.max(times.userNanos(), Math.min(userNanos, mostUser));
        return new CpuSnapshot(user, times.systemNanos() + mostUser - user, total);
    }
}
