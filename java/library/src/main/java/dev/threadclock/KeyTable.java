// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Counter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What all threads have used by key, and which keys have a place in the readings. For one thread at a time,
 * except for {@link #find}.
 *
 * <p>Each reading adds what a key has used since the last one to that key if it has a place, and otherwise to
 * the others. A key that gives up its place leaves what it showed to the past keys. One that gets a place
 * takes back what the others have of it, in each reading from what these would get. So nothing that readings
 * report ever decreases, and nothing is in two of them. When no more keys can be remembered, new ones are
 * others until a reading has forgotten half of them, and so is what a forgotten one still uses.
 */
final class KeyTable {
    private static final int KNOWN_TO_A_PLACE = 100;
    private static final int MOST_KNOWN = 20_000;
    private static final double HALF_LIFE_NANOS = 600e9;

    private final int places;
    private final int most;
    private final ConcurrentHashMap<String, Key> known; // of a size that it need not grow
    private final Key other = new Key(CpuAttribution.OTHER); // of names that are not kept, and forgotten keys
    private final Amount past = new Amount();
    private final Counter others = new Counter();
    private final Counter nobody = new Counter();
    private long readNanos;

    KeyTable(int places) {
        this.places = places;
        most = Math.min(KNOWN_TO_A_PLACE * places, MOST_KNOWN);
        known = new ConcurrentHashMap<>(2 * most);
        for (String name : new String[]{CpuAttribution.OTHER, CpuAttribution.PAST,
            CpuAttribution.UNATTRIBUTED}) {
            known.put(name, other);
        }
    }

    /** A change happens at once or not at all, because it calls nothing. */
    private static final class Amount {
        private long user;
        private long total;

        void add(long moreUser, long moreTotal) {
            user += moreUser;
            total += moreTotal;
        }

        void takeAll(Amount from) {
            user += from.user;
            total += from.total;
            from.user = from.total = 0;
        }
    }

    /** What was used for a key; guarded by the lock of its scopes. */
    static final class Key {
        final String name;
        private final Amount used = new Amount(); // in intervals that are over
        private final Amount seen = new Amount(); // by a reading, in open ones
        private final Counter read = new Counter(); // both together
        private final Amount fresh = new Amount(); // the part of that which is not reported yet
        private final Amount shown = new Amount(); // since it has its place
        private final Amount hidden = new Amount(); // with the others, since it has none
        private double recentNanos; // lately used; earlier use weighs less
        private boolean hasPlace;
        boolean isForgotten; // the others get what it uses

        Key(String name) {
            this.name = name;
        }

        void read(double weight) {
            long user = read.userNanos();
            long total = read.totalNanos();
            read.raise(used.user + seen.user, used.total + seen.total);
            fresh.add(read.userNanos() - user, read.totalNanos() - total);
            recentNanos = recentNanos * weight + read.totalNanos() - total;
        }
    }

    /** Null: it is not known yet. */
    Key find(String name) {
        Key key = known.get(name);
        return key == null && (name.length() > CpuAttribution.LONGEST_KEY || known.size() >= most) ? other
                : key;
    }

    Key add(String name) {
        Key key = known.get(name);
        if (key == null) {
            key = new Key(name);
            known.put(name, key);
        }
        return key;
    }

    private Key living(Key key) {
        return key.isForgotten ? other : key;
    }

    /** Adds an interval that is over. */
    void use(Key key, long user, long total) {
        living(key).used.add(user, total);
    }

    /** Adds what a reading has seen of an open interval. */
    void see(Key key, long user, long total) {
        living(key).seen.add(user, total);
    }

    void beginReading() {
        known.values().forEach(key -> key.seen.user = key.seen.total = 0);
    }

    /** The reading, after everything was seen. */
    Map<String, CpuSnapshot> read(long processUser, long processTotal, long nowNanos) {
        double weight = Math.min(1, Math.pow(0.5, (nowNanos - readNanos) / HALF_LIFE_NANOS));
        readNanos = nowNanos;
        List<Key> keys = new ArrayList<>(known.values());
        keys.removeIf(key -> key == other);
        keys.forEach(key -> key.read(weight));
        keys.sort(Comparator.comparingDouble(key -> key.hasPlace ? -2 * key.recentNanos : -key.recentNanos));
        List<Key> shown = giveOutPlaces(keys);
        keys.add(other);
        other.read(weight);
        report(keys);
        if (known.size() >= most) {
            forget(keys.subList(keys.size() / 2, keys.size()));
        }
        shown.sort(Comparator.comparingLong(key -> -key.shown.total));
        Map<String, CpuSnapshot> reading = new LinkedHashMap<>();
        long user = past.user + others.userNanos();
        long total = past.total + others.totalNanos();
        for (Key key : shown) {
            reading.put(key.name, snapshot(key.shown.user, key.shown.total));
            user += key.shown.user;
            total += key.shown.total;
        }
        nobody.raise(processUser - user, processTotal - total);
        reading.put(CpuAttribution.PAST, snapshot(past.user, past.total));
        reading.put(CpuAttribution.OTHER, snapshot(others.userNanos(), others.totalNanos()));
        reading.put(CpuAttribution.UNATTRIBUTED, snapshot(nobody.userNanos(), nobody.totalNanos()));
        return reading;
    }

    /** Keys come dearest first, those with a place before those which are not twice as dear. */
    private List<Key> giveOutPlaces(List<Key> keys) {
        List<Key> shown = new ArrayList<>(places);
        for (Key key : keys) {
            if (shown.size() < places && (key.hasPlace || key.recentNanos > 0)) {
                key.hasPlace = true;
                shown.add(key);
            } else if (key.hasPlace) {
                past.takeAll(key.shown);
                key.hasPlace = false;
            }
        }
        return shown;
    }

    private void report(List<Key> keys) {
        Amount rest = new Amount(); // what the others get
        for (Key key : keys) {
            if (!key.hasPlace) {
                rest.add(key.fresh.user, key.fresh.total);
            }
            (key.hasPlace ? key.shown : key.hidden).takeAll(key.fresh);
        }
        for (Key key : keys) {
            if (key.hasPlace && key.hidden.total > 0) {
                long taken = Math.min(key.hidden.total, rest.total);
                long takenUser = Math.max(key.hidden.user - (key.hidden.total - taken),
                        (long) (key.hidden.user * ((double) taken / key.hidden.total)));
                key.shown.add(takenUser, taken);
                key.hidden.add(-takenUser, -taken);
                rest.add(-takenUser, -taken);
            }
        }
        others.add(rest.user, rest.total);
    }

    /** Of intervals that are still open, the others get what was not read yet. */
    private void forget(List<Key> keys) {
        for (Key key : keys) {
            if (!key.hasPlace && key != other) {
                key.isForgotten = true; // first: the rest may find no stack
                known.remove(key.name);
                other.used.add(key.used.user - key.read.userNanos(), key.used.total - key.read.totalNanos());
            }
        }
    }

    private static CpuSnapshot snapshot(long user, long total) {
        return new CpuSnapshot(user, total - user, total);
    }
}
