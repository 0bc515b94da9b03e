// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.ThreadTable;
import dev.threadclock.internal.Throttling;
import dev.threadclock.internal.VirtualGroups;

/** Reads this process for {@link AccountKeeper}. Use it in one thread at a time. */
final class ProcessThreads implements AccountSource {
    private final ThreadTable table = new ThreadTable();
    private final VirtualGroups virtual = new VirtualGroups();
    private final Throttling throttling = Throttling.ofThisProcess();

    @Override
    public boolean process(CpuTimes times) {
        return Clocks.CLOCKS.processTimes(times.reading);
    }

    @Override
    public int pass() {
        table.read();
        return table.size();
    }

    @Override
    public long serial(int row) {
        return table.serial(row);
    }

    @Override
    public long userNanos(int row) {
        return table.userNanos(row);
    }

    @Override
    public long systemNanos(int row) {
        return table.systemNanos(row);
    }

    @Override
    public long totalNanos(int row) {
        return table.totalNanos(row);
    }

    @Override
    public boolean isJava(int row) {
        return table.javaId(row) != 0;
    }

    @Override
    public boolean isOfTopGroup(int row) {
        return table.isOfTopGroup(row);
    }

    @Override
    public boolean isCarrier(int row) {
        return table.isCarrier(row);
    }

    @Override
    public String name(int row) {
        return table.name(row);
    }

    @Override
    public long kernelNameHash(int row) {
        return table.kernelNameHash(row);
    }

    @Override
    public long waitedNanos(int row) {
        return Clocks.CLOCKS.waitedNanos(table.tid(row), table.totalNanos(row));
    }

    @Override
    public int virtualGroups() {
        virtual.read();
        return virtual.size();
    }

    @Override
    public String virtualName(int group) {
        return virtual.name(group);
    }

    @Override
    public int virtualThreads(int group) {
        return virtual.threads(group);
    }

    @Override
    public long virtualUserNanos(int group) {
        return virtual.userNanos(group);
    }

    @Override
    public long virtualTotalNanos(int group) {
        return virtual.totalNanos(group);
    }

    @Override
    public void readThrottling() {
        throttling.read();
    }

    @Override
    public long throttledPeriods() {
        return throttling.periods();
    }

    @Override
    public long throttledNanos() {
        return throttling.nanos();
    }
}
