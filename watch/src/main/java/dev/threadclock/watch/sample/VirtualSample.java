// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import java.util.List;

/**
 * The virtual threads of a JVM at one moment, shortly before its other threads were read.
 *
 * @param monotonicNanos CLOCK_MONOTONIC
 */
public record VirtualSample(long monotonicNanos, List<VirtualGroup> groups) {}
