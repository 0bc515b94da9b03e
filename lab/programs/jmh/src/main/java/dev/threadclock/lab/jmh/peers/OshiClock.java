// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh.peers;

import oshi.SystemInfo;
import oshi.software.os.OSThread;

/** OSHI's OSThread, updated for each reading: it parses files of /proc. */
final class OshiClock implements OwnThreadClock {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final ThreadLocal<OSThread> OWN = ThreadLocal
            .withInitial(() -> new SystemInfo().getOperatingSystem().getCurrentThread());

    private static OSThread current() {
        OSThread thread = OWN.get();
        if (!thread.updateAttributes()) {
            throw new IllegalStateException("OSHI cannot read the calling thread");
        }
        return thread;
    }

    @Override
    public long userNanos() {
        return current().getUserTime() * NANOS_PER_MILLI;
    }

    @Override
    public long totalNanos() {
        OSThread thread = current();
        return (thread.getUserTime() + thread.getKernelTime()) * NANOS_PER_MILLI;
    }
}
