// SPDX-License-Identifier: Apache-2.0
// What one call costs, over many short batches.
package dev.threadclock.cli.demo;

/** Nanoseconds a call: quartiles and mean of the batches. */
public record Cost(
        double lowerQuartileNanos, double medianNanos, double upperQuartileNanos, double meanNanos, int batches, int readsPerBatch) {}
