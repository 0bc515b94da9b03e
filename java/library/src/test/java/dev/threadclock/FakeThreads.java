// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.EndedThreads;
import dev.threadclock.internal.Reading;
import dev.threadclock.internal.ThreadTable;
import dev.threadclock.internal.VirtualGroups;
import java.util.ArrayList;
import java.util.List;

/** A simulated process and its threads. */
final class FakeThreads extends ThreadTable {
    /** A thread, or a group of virtual threads. */
    static final class Row {
        private final long serial;
        long id; // as a Java thread; a native one has another each time when it is attached
        int tid;
        String name;
        boolean java;
        boolean ofTopGroup;
        boolean carrier;
        long user;
        long system;
        long waited = -1;
        int waitsRead;
        int threads;
        private long userAttached;
        private long totalAttached;
        private long userRead;
        private long systemRead;

        private Row(long serial, String name, boolean java) {
            this.serial = serial;
            id = serial;
            tid = (int) serial;
            this.name = name;
            this.java = java;
        }

        Row uses(long moreUser, long moreSystem) {
            user += moreUser;
            system += moreSystem;
            return this;
        }

        /** A native thread attaches to the JVM. */
        Row attaches() {
            userAttached = user;
            totalAttached = user + system;
            return this;
        }

        /** What it has used by now, as the JVM reports it when it detaches from the JVM. */
        Row detached() {
            Row record = new Row(serial, name, true).uses(user, system);
            record.id = id++;
            record.tid = tid;
            record.userAttached = userAttached;
            record.totalAttached = totalAttached;
            return record;
        }

        private void read() {
            userRead = user;
            systemRead = system;
        }
    }

    final List<Row> rows = new ArrayList<>();
    private final List<Row> all = new ArrayList<>();
    final List<Row> virtual = new ArrayList<>();
    /** Threads that ended since the last reading, as the JVM reports them. */
    final List<Row> ended = new ArrayList<>();
    long processUser;
    long processSystem;
    int passes;
    /** Runs between the reading of the threads and that of the groups, whichever comes first. */
    Runnable meanwhile = () -> {
    };
    private boolean oneIsRead;
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
        all.add(row);
        return row;
    }

    /** A thread ends; one that detaches from the JVM stays in the rows. */
    void ends(Row row) {
        rows.remove(row);
        ended.add(row);
    }

    Row carrier() {
        Row row = java("ForkJoinPool-1-worker-1");
        row.carrier = true;
        return row;
    }

    Row virtual(String name) {
        Row group = new Row(++serials, name, false);
        virtual.add(group);
        return group;
    }

    /** Sets the process's clock to the sum of all rows that ever were. */
    FakeThreads inProcess() {
        processUser = all.stream().mapToLong(row -> row.user).sum();
        processSystem = all.stream().mapToLong(row -> row.system).sum();
        return this;
    }

    @Override
    public boolean readProcess(Reading times) {
        times.set(processUser, processSystem, processUser + processSystem);
        return true;
    }

    @Override
    public void read() {
        passes++;
        passTime();
        rows.forEach(Row::read);
    }

    private void passTime() {
        if (oneIsRead) {
            meanwhile.run();
        }
        oneIsRead = !oneIsRead;
    }

    @Override
    public int size() {
        return rows.size();
    }

    @Override
    public int tid(int row) {
        return rows.get(row).tid;
    }

    @Override
    public long serial(int row) {
        return rows.get(row).serial;
    }

    @Override
    public long userNanos(int row) {
        return rows.get(row).userRead;
    }

    @Override
    public long totalNanos(int row) {
        return rows.get(row).userRead + rows.get(row).systemRead;
    }

    @Override
    public long javaId(int row) {
        return rows.get(row).java ? rows.get(row).id : 0;
    }

    @Override
    public boolean isOfTopGroup(int row) {
        return rows.get(row).ofTopGroup;
    }

    @Override
    public boolean isCarrier(int row) {
        return rows.get(row).carrier;
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

    /** What has ended, one thread a batch. */
    final class Ended extends EndedThreads {
        @Override
        protected String[] take(long[] into) {
            if (ended.isEmpty()) {
                return new String[0];
            }
            Row row = ended.remove(0);
            write(into, 1, row.id, row.tid, row.user, row.user + row.system, row.carrier ? 1 : 0,
                    row.userAttached, row.totalAttached);
            return new String[]{row.name};
        }
    }

    /** The simulated groups of virtual threads. */
    final class Groups extends VirtualGroups {
        @Override
        protected String[] take(long[] into) {
            passTime();
            for (int i = 0; i < virtual.size(); i++) {
                Row row = virtual.get(i);
                write(into, 4 * i, row.threads, 0, row.user, row.user + row.system);
            }
            return virtual.stream().map(row -> row.name).toArray(String[]::new);
        }
    }

    private static void write(long[] into, int at, long... values) {
        System.arraycopy(values, 0, into, at, values.length);
    }
}
