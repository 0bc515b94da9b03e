// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.watch.interval.Interval;
import java.util.List;
import java.util.Optional;

/** A JVM of which nothing is known. Tests override what they need. */
public class NoSampling implements Sampling {
    @Override
    public String label() {
        return "1 (test)";
    }

    @Override
    public int pid() {
        return 1;
    }

    @Override
    public String jdk() {
        return "";
    }

    @Override
    public String commandLine() {
        return "";
    }

    @Override
    public Optional<Interval> next() {
        return Optional.empty();
    }

    @Override
    public Optional<RunQueue> runQueue(int tid) {
        return Optional.empty();
    }

    @Override
    public void askForStack(long javaId, int frames) {}

    @Override
    public List<String> stack(long javaId) {
        return List.of();
    }

    @Override
    public List<String> awaitStack(long javaId, int frames) {
        return List.of();
    }

    @Override
    public void close() {}
}
