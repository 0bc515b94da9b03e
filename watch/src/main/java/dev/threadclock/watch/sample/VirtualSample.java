// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import java.util.List;

/**
 * The virtual threads of a JVM at one moment, shortly before its other threads were read.
 *
 * @param monotonicNanos CLOCK_MONOTONIC
 * @param epoch changes if accounting was off in between, because the groups' times then lack that period
 */
public record VirtualSample(long monotonicNanos, int epoch, List<VirtualGroup> groups) {}
