// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import dev.threadclock.internal.Cgroups.Place;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Internal: how often and how long a process was stopped because of its control group's CPU limit. Neither
 * value decreases, even if the process moves to another group. For one thread at a time.
 */
public final class Throttling {
    private final Path groupsFile;
    private final Path mountsFile;
    private final Counter periods = new Counter();
    private final Counter nanos = new Counter();
    private String groups = "";
    private List<Place> places = Collections.emptyList();
    private Path tightest;

    /** The files are /proc/self/cgroup and /proc/thread-self/mountinfo, which a first thread has no more. */
    Throttling(Path groupsFile, Path mountsFile) {
        this.groupsFile = groupsFile;
        this.mountsFile = mountsFile;
    }

    public static Throttling ofThisProcess() {
        return new Throttling(Paths.get("/proc/self/cgroup"), Paths.get("/proc/thread-self/mountinfo"));
    }

    /** If the files cannot be read or understood, nothing changes. */
    public void read() {
        try {
            Optional<String> now = Cgroups.text(groupsFile);
            if (now.isPresent() && !now.get().equals(groups)) {
                Optional<String> mounts = Cgroups.text(mountsFile);
                if (!mounts.isPresent()) {
                    return;
                }
                groups = now.get();
                places = Cgroups.places(groups, mounts.get());
            }
            Cgroups.tightest(places).ifPresent(this::count);
        } catch (IllegalArgumentException | SecurityException e) {
            // In an unexpected form, or hidden by a security manager.
        }
    }

    /**
     * What another group counted before is left out: it did not throttle this process, or was not its
     * tightest limit.
     */
    private void count(CgroupCpu group) {
        if (tightest != null && !tightest.equals(group.folder)) {
            periods.last = group.throttledPeriods();
            nanos.last = group.throttledNanos();
        }
        tightest = group.folder;
        periods.at(group.throttledPeriods());
        nanos.at(group.throttledNanos());
    }

    /** The number of periods; -1 if it is not known. */
    public long periods() {
        return periods.sum;
    }

    /** Total time throttled, summed over CPUs; -1 if it is not known. */
    public long nanos() {
        return nanos.sum;
    }

    private static final class Counter {
        private long last;
        private long sum = -1;

        void at(long now) {
            sum = Math.max(0, sum) + Math.max(0, now - last);
            last = now;
        }
    }
}
