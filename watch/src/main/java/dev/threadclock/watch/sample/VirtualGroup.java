// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.CpuSnapshot;

/**
 * The virtual threads whose names differ only in numbers.
 *
 * @param name with * for each number
 * @param threads the number of living threads
 * @param mounted the number of these that are on a carrier
 * @param times of all threads, including ended ones, since they were first accounted for
 */
public record VirtualGroup(String name, int threads, int mounted, CpuSnapshot times) {
    VirtualGroup and(VirtualGroup other) {
        return new VirtualGroup(name, threads + other.threads, mounted + other.mounted,
                times.plus(other.times));
    }
}
