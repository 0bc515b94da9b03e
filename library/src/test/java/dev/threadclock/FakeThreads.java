// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import java.util.ArrayList;
import java.util.List;

/** Threads of a process as a test makes them. */
final class FakeThreads implements AccountSource {
    static final class Row {
        private final long serial;
        String name;
        boolean java;
        boolean ofTopGroup;
        long user;
        long system;
        long waited = -1;
        int waitsRead;

        private Row(long serial, String name, boolean java) {
            this.serial = serial;
            this.name = name;
            this.java = java;
        }

        Row uses(long moreUser, long moreSystem) {
            user += moreUser;
            system += moreSystem;
            return this;
        }
    }

    final List<Row> rows = new ArrayList<>();
    long processUser;
    long processSystem;
    int passes;
    private long serials;

    Row java(String name) {
        return add(name, true);
    }

    Row kernel(String name) {
        return add(name, false);
    }

    private Row add(String name, boolean java) {
        Row row = new Row(++serials, name, java);
        rows.add(row);
        return row;
    }

    /** The process's clock has what the rows have. */
    FakeThreads inProcess() {
        processUser = rows.stream().mapToLong(row -> row.user).sum();
        processSystem = rows.stream().mapToLong(row -> row.system).sum();
        return this;
    }

    @Override
    public boolean process(CpuTimes times) {
        times.reading.set(processUser, processSystem, processUser + processSystem);
        return true;
    }

    @Override
    public int pass() {
        passes++;
        return rows.size();
    }

    @Override
    public long serial(int row) {
        return rows.get(row).serial;
    }

    @Override
    public long userNanos(int row) {
        return rows.get(row).user;
    }

    @Override
    public long systemNanos(int row) {
        return rows.get(row).system;
    }

    @Override
    public long totalNanos(int row) {
        return rows.get(row).user + rows.get(row).system;
    }

    @Override
    public boolean isJava(int row) {
        return rows.get(row).java;
    }

    @Override
    public boolean isOfTopGroup(int row) {
        return rows.get(row).ofTopGroup;
    }

    @Override
    public String name(int row) {
        return rows.get(row).name;
    }

    @Override
    public long kernelNameHash(int row) {
        return rows.get(row).name.hashCode();
    }

    @Override
    public long waitedNanos(int row) {
        rows.get(row).waitsRead++;
        return rows.get(row).waited;
    }

    @Override
    public void readThrottling() {}

    @Override
    public long throttledPeriods() {
        return 0;
    }

    @Override
    public long throttledNanos() {
        return 0;
    }
}
