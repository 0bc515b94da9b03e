// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

/** The cost of one call in nanoseconds: quartiles and mean over many short batches. */
record Cost(
        double lowerQuartileNanos, double medianNanos, double upperQuartileNanos, double meanNanos,
        int batches, int readsPerBatch) {}
