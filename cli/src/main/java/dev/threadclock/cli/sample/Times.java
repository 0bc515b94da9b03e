// SPDX-License-Identifier: Apache-2.0
// CPU time since the start of a thread or a process.
package dev.threadclock.cli.sample;

/** user and system are the kernel's split of total: they are not more than it together. */
public record Times(long userNanos, long systemNanos, long totalNanos) {}
