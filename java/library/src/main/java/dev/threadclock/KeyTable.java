// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.CpuIntervals.Counter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What all threads have used by key, and which keys have a place in the readings; for one thread at a time.
 *
 * <p>What a reading says of a key, of all others, or of nobody is a counter that is only raised. All others
 * is the difference between everything and the keys with a place. So when a key gets a place, the time that
 * it had without one leaves the others; of this, it takes only so much that they stay where they were: what
 * they have got since the last reading, and from the key that gives up its place. The rest stays theirs for
 * good.
 */
final class KeyTable {
    private static final int KNOWN_TO_A_PLACE = 100;
    private static final double HALF_LIFE_NANOS = 600e9;
    private static final int FORGOTTEN = 1 << 20;

    private final int places;
    private final int most;
    private final Map<String, Entry> known = new HashMap<>();
    private final Amount everything = new Amount();
    private final Counter others = new Counter();
    private final Counter nobody = new Counter();
    private BitSet forgotten; // hash codes of keys that must not come back; null: none
    private long readNanos;

    KeyTable(int places) {
        this.places = places;
        most = KNOWN_TO_A_PLACE * places;
    }

    /** What has been passed on, and what a reading sees elsewhere. */
    private static final class Amount {
        private long user;
        private long total;
        private long seenUser;
        private long seenTotal;

        void add(long userNanos, long systemNanos) {
            user += userNanos;
            total += userNanos + systemNanos;
        }

        void see(long userNanos, long systemNanos) {
            seenUser += userNanos;
            seenTotal += userNanos + systemNanos;
        }

        void unsee() {
            seenUser = seenTotal = 0;
        }

        long userNanos() {
            return user + seenUser;
        }

        long totalNanos() {
            return total + seenTotal;
        }
    }

    private static final class Entry {
        private final String key;
        private final Amount amount = new Amount();
        private final Counter shown = new Counter();
        private boolean hasPlace;
        private boolean hadPlace;
        private long given; // to the others, for good
        private long lastNanos;
        private double recentNanos; // lately used; earlier use weighs less

        Entry(String key) {
            this.key = key;
        }

        void age(double weight) {
            recentNanos = recentNanos * weight + Math.max(0, amount.totalNanos() - lastNanos);
            lastNanos = amount.totalNanos();
        }

        void show() {
            shown.raise(amount.userNanos(), amount.totalNanos() - given);
        }

        /** Since the last reading it may have used more. */
        double recentNanos() {
            return recentNanos + Math.max(0, amount.totalNanos() - lastNanos);
        }
    }

    /** A full heap leaves the time with the others. */
    void add(String key, long user, long system) {
        everything.add(user, system);
        Entry entry = entry(key);
        if (entry != null) {
            entry.amount.add(user, system);
        }
    }

    void see(String key, long user, long system) {
        everything.see(user, system);
        Entry entry = entry(key);
        if (entry != null) {
            entry.amount.see(user, system);
        }
    }

    /** Null: it counts with the others. */
    private Entry entry(String key) {
        Entry entry = known.get(key);
        if (entry != null || key.equals(CpuAttribution.OTHER)
                || forgotten != null && forgotten.get(bit(key))) {
            return entry;
        }
        try {
            if (known.size() >= most) {
                forget();
            }
            entry = new Entry(key);
            known.put(key, entry);
            return entry;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    private static int bit(String key) {
        return key.hashCode() * 0x9e3779b1 >>> 12 & FORGOTTEN - 1;
    }

    /** Half of the keys without a place; first those which never had one: others must not come back. */
    private void forget() {
        List<Entry> hidden = new ArrayList<>(known.size());
        known.values().forEach(entry -> {
            if (!entry.hasPlace) {
                hidden.add(entry);
            }
        });
        hidden.sort(Comparator.<Entry>comparingInt(entry -> entry.hadPlace ? 1 : 0)
                .thenComparingDouble(Entry::recentNanos));
        for (Entry entry : hidden.subList(0, (hidden.size() + 1) / 2)) {
            known.remove(entry.key);
            if (entry.hadPlace) {
                forgotten = forgotten == null ? new BitSet(FORGOTTEN) : forgotten;
                forgotten.set(bit(entry.key));
            }
        }
    }

    void beginReading() {
        everything.unsee();
        known.values().forEach(entry -> entry.amount.unsee());
    }

    /** The reading, after everything was seen. */
    Map<String, CpuSnapshot> read(long processUser, long processTotal, long nowNanos) {
        double weight = Math.pow(0.5, (nowNanos - readNanos) / HALF_LIFE_NANOS);
        readNanos = nowNanos;
        List<Entry> shown = new ArrayList<>();
        List<Entry> hidden = new ArrayList<>();
        for (Entry entry : known.values()) {
            entry.age(weight);
            (entry.hasPlace ? shown : hidden).add(entry);
        }
        giveOutPlaces(shown, hidden);
        shown.sort(Comparator.comparingLong(entry -> -entry.shown.totalNanos()));
        Map<String, CpuSnapshot> reading = new LinkedHashMap<>();
        long user = 0;
        long total = 0;
        for (Entry entry : shown) {
            reading.put(entry.key, snapshot(entry.shown));
            user += entry.shown.userNanos();
            total += entry.shown.totalNanos();
        }
        others.raise(everything.userNanos() - user, everything.totalNanos() - total);
        nobody.raise(processUser - user - others.userNanos(),
                processTotal - total - others.totalNanos());
        reading.put(CpuAttribution.OTHER, snapshot(others));
        reading.put(CpuAttribution.UNATTRIBUTED, snapshot(nobody));
        return reading;
    }

    private void giveOutPlaces(List<Entry> shown, List<Entry> hidden) {
        long spare = everything.totalNanos() - others.totalNanos();
        for (Entry entry : shown) {
            entry.show();
            spare -= entry.shown.totalNanos();
        }
        hidden.sort(Comparator.comparingDouble(entry -> -entry.recentNanos));
        shown.sort(Comparator.comparingDouble(entry -> entry.recentNanos));
        List<Entry> come = new ArrayList<>();
        int gone = 0; // of those shown, the first
        long least = 0; // what they must show, because they did before
        for (Entry entry : hidden) {
            if (shown.size() - gone + come.size() == places) {
                if (gone == shown.size() || entry.recentNanos <= 2 * shown.get(gone).recentNanos) {
                    break;
                }
                spare += shown.get(gone++).shown.totalNanos();
            }
            come.add(entry);
            least += entry.shown.totalNanos();
        }
        while (!come.isEmpty() && spare < least) {
            Entry most = Collections.max(come, Comparator.comparingLong(entry -> entry.shown.totalNanos()));
            come.remove(most);
            least -= most.shown.totalNanos();
            spare -= gone == 0 ? 0 : shown.get(--gone).shown.totalNanos();
        }
        spare -= least;
        shown.subList(0, gone).forEach(entry -> entry.hasPlace = false);
        shown.subList(0, gone).clear();
        for (Entry entry : come) {
            long more = entry.amount.totalNanos() - entry.given - entry.shown.totalNanos();
            entry.given += Math.max(0, more - spare);
            spare -= Math.min(more, spare);
            entry.hasPlace = entry.hadPlace = true;
            entry.show();
            shown.add(entry);
        }
    }

    private static CpuSnapshot snapshot(Counter counter) {
        return new CpuSnapshot(counter.userNanos(), counter.systemNanos(), counter.totalNanos());
    }
}
