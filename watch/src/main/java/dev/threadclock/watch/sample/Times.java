// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

/**
 * The CPU time of a thread or a process, since its start or in an interval. user and system are the kernel's
 * split of total, and their sum does not exceed it.
 */
public record Times(long userNanos, long systemNanos, long totalNanos) {
    public static final Times NONE = new Times(0, 0, 0);

    public Times minus(Times other) {
        return new Times(userNanos - other.userNanos, systemNanos - other.systemNanos,
                totalNanos - other.totalNanos);
    }

    public Times plus(Times other) {
        return new Times(userNanos + other.userNanos, systemNanos + other.systemNanos,
                totalNanos + other.totalNanos);
    }
}
