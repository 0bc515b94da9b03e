// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/**
 * Internal: CPU time of which neither user nor system ever decreases, and whose sum is the total; and the
 * part of it that belongs to the current interval.
 */
public class Counter {
    private long user;
    private long total;
    private long userBefore;
    private long totalBefore;

    /** Begins an interval. */
    public final void begin() {
        userBefore = user;
        totalBefore = total;
    }

    /** Raises total to a newer reading, and user as far as possible. An older reading changes nothing. */
    public final void raise(long newUser, long newTotal) {
        long more = Math.max(0, newTotal - total);
        user = Math.max(user, Math.min(newUser, user + more));
        total += more;
    }

    /** Raises it by what was used elsewhere. */
    public final void add(long moreUser, long moreTotal) {
        raise(user + moreUser, total + moreTotal);
    }

    public final long userNanos() {
        return user;
    }

    public final long systemNanos() {
        return total - user;
    }

    public final long totalNanos() {
        return total;
    }

    /** User time in the interval. */
    public final long usedUserNanos() {
        return user - userBefore;
    }

    /** System time in the interval. */
    public final long usedSystemNanos() {
        return usedTotalNanos() - usedUserNanos();
    }

    /** Total time in the interval. */
    public final long usedTotalNanos() {
        return total - totalBefore;
    }
}
