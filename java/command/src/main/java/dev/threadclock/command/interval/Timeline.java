// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.interval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * A whole recording in bounded memory: columns of time, and the use of each thread and pool in each column. A
 * column is one interval at first; when there are too many columns, pairs are merged. An interval much
 * shorter than the one before, which ended late, is a part of that one's column.
 */
public final class Timeline {
    public static final int MOST_COLUMNS = 1200;
    /** The most threads shown by name. A program that numbers its threads without end has more. */
    private static final int MOST_THREADS = 1000;
    /** The most series in all; the threads of further pools share one. */
    private static final int MOST_SERIES = 2 * MOST_THREADS;
    /** A share of the previous interval: a shorter one has no column of its own. */
    private static final double SHORTEST = 0.25;
    private static final String OTHERS = "(other threads)";
    private static final String OTHER_POOLS = "(further pools)";

    private final List<Long> endMillis = new ArrayList<>();
    private final List<Long> nanos = new ArrayList<>();
    private final Map<String, Series> threads = new LinkedHashMap<>(); // by name
    private final Map<String, Integer> threadsOfPool = new HashMap<>();
    /** By serial, the series and pools in which a thread has been counted. Forgets ended threads. */
    private final Map<Long, Set<Object>> counted = new HashMap<>();
    private final Map<String, Series> virtual = new LinkedHashMap<>(); // by group; there are few groups
    private final Series process = new Series("", "process");
    private int perColumn = 1; // intervals per column
    private int inLast; // intervals in the last column so far
    private long lastNanos; // the length of the last interval
    private long allNanos;
    private boolean waits;

    public void add(Interval interval) {
        int column = column(interval);
        process.add(column, interval.process().userNanos(), interval.process().systemNanos(), 0);
        for (Use use : interval.ran()) {
            Series series = series(use);
            add(series, column, use);
            process.add(column, 0, 0, Math.max(0, use.waitNanos()));
            waits |= use.waitNanos() != Use.NOT_MEASURED;
            count(use, series);
        }
        for (Use use : interval.groups()) {
            if (use.interval().totalNanos() > 0) {
                String group = virtual.size() < MOST_THREADS || virtual.containsKey(use.name()) ? use.name()
                        : OTHER_POOLS;
                add(virtual.computeIfAbsent(group, name -> new Series(name, name)), column, use);
            }
        }
        interval.ended().forEach(use -> counted.remove(use.serial()));
    }

    /** The kernel's user and system may not add up to total. All that is not user is shown as system. */
    private static void add(Series series, int column, Use use) {
        long user = use.interval().userNanos();
        series.add(column, user, use.interval().totalNanos() - user, Math.max(0, use.waitNanos()));
    }

    /** Counts a thread once per series and pool, although it may change its name. */
    private void count(Use use, Series series) {
        if (use.serial() == 0) {
            return;
        }
        Set<Object> before = counted.computeIfAbsent(use.serial(), serial -> new HashSet<>(2));
        if (before.add(series)) {
            series.count(1);
        }
        if (before.add(series.pool())) {
            threadsOfPool.merge(series.pool(), 1, Integer::sum);
        }
    }

    private int column(Interval interval) {
        boolean tooShort = interval.nanos() < SHORTEST * lastNanos;
        lastNanos = interval.nanos();
        allNanos += interval.nanos();
        if (endMillis.isEmpty() || inLast == perColumn && !tooShort) {
            if (endMillis.size() == MOST_COLUMNS) {
                halve();
            }
            endMillis.add(interval.endMillis());
            nanos.add(0L);
            inLast = 0;
        }
        int column = endMillis.size() - 1;
        inLast = Math.min(perColumn, inLast + 1);
        endMillis.set(column, interval.endMillis());
        nanos.set(column, nanos.get(column) + interval.nanos());
        return column;
    }

    private void halve() {
        process.halve();
        threads.values().forEach(Series::halve);
        virtual.values().forEach(Series::halve);
        for (int i = 0; i < MOST_COLUMNS / 2; i++) {
            endMillis.set(i, endMillis.get(2 * i + 1));
            nanos.set(i, nanos.get(2 * i) + nanos.get(2 * i + 1));
        }
        endMillis.subList(MOST_COLUMNS / 2, MOST_COLUMNS).clear();
        nanos.subList(MOST_COLUMNS / 2, MOST_COLUMNS).clear();
        perColumn *= 2;
    }

    private Series series(Use use) {
        Series known = threads.get(use.name());
        if (known != null) {
            return known;
        }
        boolean full = threads.size() >= MOST_THREADS;
        String others = use.pool() + " " + OTHERS;
        boolean overfull = threads.size() >= MOST_SERIES && !threads.containsKey(others);
        String pool = overfull ? OTHER_POOLS : use.pool();
        return threads.computeIfAbsent(overfull ? OTHER_POOLS : full ? others : use.name(),
                name -> new Series(pool, full ? OTHERS : name));
    }

    public int columns() {
        return endMillis.size();
    }

    public long endMillis(int column) {
        return endMillis.get(column);
    }

    public long nanos(int column) {
        return nanos.get(column);
    }

    public long startMillis() {
        return endMillis.get(0) - nanos.get(0) / 1_000_000;
    }

    /** The total length of all columns. */
    public long nanos() {
        return allNanos;
    }

    /** Whether any wait is known: not in a recording that the JVM made itself. */
    public boolean hasWaits() {
        return waits;
    }

    public Series process() {
        return process;
    }

    /** The threads, the busiest first. */
    public List<Series> threads() {
        return busiestFirst(threads.values());
    }

    /** The pools, the busiest first. The series of a pool has its name and is the sum over its threads. */
    public List<Series> pools() {
        Map<String, Series> pools = new LinkedHashMap<>();
        for (Series thread : threads.values()) {
            pools.computeIfAbsent(thread.pool(), pool -> new Series(pool, pool)).add(thread, columns());
        }
        pools.values().forEach(pool -> pool.count(threadsOfPool.getOrDefault(pool.pool(), 0)));
        return busiestFirst(pools.values());
    }

    /** The groups of virtual threads that ran, the busiest first. Their time is part of their carriers'. */
    public List<Series> virtual() {
        return busiestFirst(virtual.values());
    }

    private static List<Series> busiestFirst(Collection<Series> all) {
        return all.stream().sorted(Comparator.comparingLong(Series::nanos).reversed()).toList();
    }

    /**
     * The CPU time of one thread, or of several with the same name, as a growing list of columns in
     * nanoseconds.
     */
    public static final class Series {
        private final String pool;
        private final String name;
        private int threads;
        private long[] user = new long[0];
        private long[] system = new long[0];
        private long[] waited = new long[0];

        Series(String pool, String name) {
            this.pool = pool;
            this.name = name;
        }

        public String pool() {
            return pool;
        }

        public String name() {
            return name;
        }

        /** The number of threads that have run. A group of unknown size counts as one. */
        public int threads() {
            return Math.max(1, threads);
        }

        public long userNanos(int column) {
            return column < user.length ? user[column] : 0;
        }

        public long systemNanos(int column) {
            return column < system.length ? system[column] : 0;
        }

        /** The time in which its threads were runnable but had no CPU, summed, as far as known. */
        public long waitNanos(int column) {
            return column < waited.length ? waited[column] : 0;
        }

        public long waitNanos() {
            return LongStream.of(waited).sum();
        }

        public long userNanos() {
            return LongStream.of(user).sum();
        }

        public long systemNanos() {
            return LongStream.of(system).sum();
        }

        public long nanos() {
            return userNanos() + systemNanos();
        }

        void count(int more) {
            threads += more;
        }

        void add(int column, long userNanos, long systemNanos, long waitNanos) {
            if (column >= user.length) {
                int length = Math.max(column + 1, 2 * user.length);
                user = Arrays.copyOf(user, length);
                system = Arrays.copyOf(system, length);
                waited = Arrays.copyOf(waited, length);
            }
            user[column] += userNanos;
            system[column] += systemNanos;
            waited[column] += waitNanos;
        }

        void add(Series other, int columns) {
            for (int i = 0; i < columns; i++) {
                add(i, other.userNanos(i), other.systemNanos(i), other.waitNanos(i));
            }
        }

        /** Merges each pair of columns into one. */
        void halve() {
            user = halved(user);
            system = halved(system);
            waited = halved(waited);
        }

        private static long[] halved(long[] nanos) {
            long[] half = new long[(nanos.length + 1) / 2];
            for (int i = 0; i < nanos.length; i++) {
                half[i / 2] += nanos[i];
            }
            return half;
        }
    }
}
