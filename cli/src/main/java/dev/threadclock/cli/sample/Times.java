// SPDX-License-Identifier: Apache-2.0
// CPU time of a thread or a process: since its start, or in an interval.
package dev.threadclock.cli.sample;

/** user and system are the kernel's split of total: they are not more than it together. */
public record Times(long userNanos, long systemNanos, long totalNanos) {
    public static final Times NONE = new Times(0, 0, 0);

    public Times minus(Times other) {
        return new Times(userNanos - other.userNanos, systemNanos - other.systemNanos, totalNanos - other.totalNanos);
    }

    public Times plus(Times other) {
        return new Times(userNanos + other.userNanos, systemNanos + other.systemNanos, totalNanos + other.totalNanos);
    }
}
