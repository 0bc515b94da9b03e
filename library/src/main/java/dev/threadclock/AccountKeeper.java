// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.CpuGroup.Kind;
import dev.threadclock.internal.OneWarning;
import dev.threadclock.internal.ThreadNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps the account of a process. Each pass adds what every thread has used since the last one to its group.
 * So no counted time is lost when a thread ends, and no time decreases when a thread changes its group. A
 * pass allocates for new threads and for the result, but not for each thread.
 */
final class AccountKeeper {
    private static final String OTHER = "(other)";

    private final AccountSource source;
    private final int maxPools;
    private final OneWarning tooManyPools;

    private final Map<Kind, Sums> ofJvm = new EnumMap<>(Kind.class);
    private final Map<String, Sums> pools = new LinkedHashMap<>();
    private final Map<String, VirtualSums> virtual = new LinkedHashMap<>();
    private final Sums unseen;
    private final Sums carriers = new Sums(Kind.CARRIER, "carriers of virtual threads");
    private final Part ofCarriers = new Part();
    private final Part ofUnseen = new Part();
    private boolean hasCarriers;
    private final CpuTimes process = new CpuTimes();
    private Seen[] seen = new Seen[0]; // row by row
    private boolean countsWaits;
    private boolean isOverfull;

    private volatile Reading last;

    AccountKeeper(AccountSource source, int maxPools) {
        this.source = source;
        this.maxPools = maxPools;
        tooManyPools = new OneWarning("the CPU account has " + maxPools + " pools of threads: the time of"
                + " further ones goes to the pool " + OTHER + ". Threads of one pool should have names that"
                + " differ in nothing but numbers");
        for (Kind kind : new Kind[]{Kind.GC, Kind.JIT, Kind.JVM, Kind.NATIVE, Kind.UNSEEN}) {
            ofJvm.put(kind, new Sums(kind, nameOf(kind)));
        }
        unseen = ofJvm.get(Kind.UNSEEN);
    }

    private static String nameOf(Kind kind) {
        switch (kind) {
            case GC :
                return "garbage collector";
            case JIT :
                return "compilers";
            case JVM :
                return "JVM";
            case NATIVE :
                return "native threads";
            default :
                return "(unseen)";
        }
    }

    private static final class Reading {
        private final CpuAccount account;
        private final long atNanos;

        Reading(CpuAccount account, long atNanos) {
            this.account = account;
            this.atNanos = atNanos;
        }

        boolean isYoung(long maxAgeNanos) {
            return System.nanoTime() - atNanos < maxAgeNanos;
        }
    }

    /** What the threads of a group have used. */
    private static class Sums {
        final Kind kind;
        final String name;
        long user;
        long system;
        long total;
        long waited;
        int threads;

        Sums(Kind kind, String name) {
            this.kind = kind;
            this.name = name;
        }

        void add(long moreUser, long moreSystem, long moreTotal) {
            user += moreUser;
            system += moreSystem;
            total += moreTotal;
        }

        CpuGroup group(boolean waitIsKnown) {
            return new CpuGroup(kind, name, threads, new CpuSnapshot(user, system, total),
                    waitIsKnown ? waited : -1);
        }
    }

    /** Time that this pass has found and has not yet given to groups. */
    private static final class Part {
        private long user;
        private long total;

        void set(long newUser, long newTotal) {
            user = newUser;
            total = newTotal;
        }

        void add(long moreUser, long moreTotal) {
            user += moreUser;
            total += moreTotal;
        }

        /** Gives at most what is wanted and what there is. In the rest, user never exceeds total. */
        void give(Sums group, long wantedUser, long wantedTotal) {
            long givenTotal = Math.min(wantedTotal, total);
            long givenUser = Math.max(Math.min(Math.min(wantedUser, givenTotal), user),
                    user - (total - givenTotal));
            group.add(givenUser, givenTotal - givenUser, givenTotal);
            user -= givenUser;
            total -= givenTotal;
        }

        void giveAll(Sums group) {
            give(group, user, total);
        }
    }

    /** A group of virtual threads; its sums include only what was found in their carriers' time. */
    private static final class VirtualSums extends Sums {
        private long userSeen;
        private long totalSeen;
        private long increase; // in the last pass
        private long userWanted; // not found yet
        private long wanted;

        VirtualSums(String name) {
            super(Kind.VIRTUAL, name);
        }

        /** Time that neither this pass nor the last has found is given up: it is on other carriers. */
        void want(long userNow, long totalNow) {
            wanted = Math.min(wanted, increase);
            increase = Math.max(0, totalNow - totalSeen);
            wanted += increase;
            userWanted = Math.min(userWanted + Math.max(0, userNow - userSeen), wanted);
            userSeen = userNow;
            totalSeen = totalNow;
        }

        void take(Part part) {
            long userBefore = user;
            long before = total;
            part.give(this, userWanted, wanted);
            wanted -= total - before;
            userWanted = Math.max(0, Math.min(userWanted - (user - userBefore), wanted));
        }
    }

    /** A thread, and the part of its times that is in the account. */
    private static final class Seen {
        private final long serial;
        private Sums group;
        private String javaName; // null: not a Java thread so far
        private long kernelNameHash;
        private long user;
        private long system;
        private long total;
        private long waited;
        private long totalAtWait = -1;

        Seen(long serial) {
            this.serial = serial;
        }
    }

    /** Returns a pass that is no older than this; for any number of callers. */
    CpuAccount read(long maxAgeNanos) {
        Reading reading = last;
        if (reading == null || !reading.isYoung(maxAgeNanos)) {
            reading = readAnew(reading, maxAgeNanos);
        }
        if (isOverfull) {
            tooManyPools.log();
        }
        return reading.account;
    }

    /** A caller that waited while another thread read gets that reading, if it is young enough. */
    private synchronized Reading readAnew(Reading before, long maxAgeNanos) {
        if (last == before || !last.isYoung(maxAgeNanos)) {
            long at = System.nanoTime();
            pass();
            last = new Reading(account(), at);
        }
        return last;
    }

    private void pass() {
        boolean isProcessKnown = source.process(process);
        int rows = source.pass();
        int virtualGroups = source.virtualGroups();
        alignWith(rows);
        all().forEach(sums -> sums.threads = 0);
        for (int i = 0; i < rows; i++) {
            count(i, seen[i]);
        }
        if (isProcessKnown) {
            findUnseen();
        }
        for (int i = 0; i < virtualGroups; i++) {
            countVirtual(i);
        }
        ofCarriers.giveAll(carriers);
        ofUnseen.giveAll(unseen);
        source.readThrottling();
    }

    private void alignWith(int rows) {
        boolean same = rows == seen.length;
        for (int i = 0; same && i < rows; i++) {
            same = seen[i].serial == source.serial(i);
        }
        if (same) {
            return;
        }
        Map<Long, Seen> bySerial = new HashMap<>();
        for (Seen thread : seen) {
            bySerial.put(thread.serial, thread);
        }
        Seen[] aligned = new Seen[rows];
        for (int i = 0; i < rows; i++) {
            Seen known = bySerial.get(source.serial(i));
            aligned[i] = known != null ? known : new Seen(source.serial(i));
        }
        seen = aligned; // set last, so that nothing changes if memory runs out
    }

    private void count(int row, Seen thread) {
        Sums group = groupOf(row, thread);
        group.threads++;
        long total = source.totalNanos(row);
        if (total != thread.total) {
            long user = source.userNanos(row);
            long system = source.systemNanos(row);
            long moreUser = Math.max(0, user - thread.user);
            long moreTotal = Math.max(0, total - thread.total);
            if (group == carriers) {
                ofCarriers.add(Math.min(moreUser, moreTotal), moreTotal);
            } else {
                group.add(moreUser, Math.max(0, system - thread.system), moreTotal);
            }
            thread.user = user;
            thread.system = system;
            thread.total = total;
        }
        if (total != thread.totalAtWait) { // otherwise it has not run, so none of its waits has ended
            long waited = source.waitedNanos(row);
            if (waited >= 0) {
                countsWaits = true;
                group.waited += Math.max(0, waited - thread.waited);
                thread.waited = Math.max(waited, thread.waited);
                thread.totalAtWait = total;
            }
        }
    }

    /** Determines the group again only if the thread's name has changed. */
    private Sums groupOf(int row, Seen thread) {
        if (source.isJava(row)) {
            String name = source.name(row);
            if (!name.equals(thread.javaName)) {
                thread.group = javaGroup(row, name);
                thread.javaName = name;
            }
        } else if (thread.group == null || thread.javaName != null
                || thread.kernelNameHash != source.kernelNameHash(row)) {
            thread.group = ofJvm.get(JvmThreads.kind(source.name(row)));
            thread.javaName = null;
            thread.kernelNameHash = source.kernelNameHash(row);
        }
        return thread.group;
    }

    private Sums javaGroup(int row, String name) {
        if (source.isCarrier(row)) {
            hasCarriers = true;
            return carriers;
        }
        Kind kind = source.isOfTopGroup(row) ? JvmThreads.kind(name) : Kind.NATIVE;
        return kind == Kind.NATIVE ? pool(name) : ofJvm.get(kind);
    }

    private Sums pool(String threadName) {
        String name = ThreadNames.pool(threadName);
        Sums sums = pools.get(name);
        if (sums == null && pools.size() >= maxPools) {
            isOverfull = true;
            name = OTHER;
            sums = pools.get(name);
        }
        if (sums == null) {
            sums = new Sums(Kind.JAVA, name);
            pools.put(name, sums);
        }
        return sums;
    }

    /**
     * Finds the time that is in the process's clock but in no thread's. The process's clock was read before
     * the threads', so the difference never includes what a listed thread has used during the pass.
     */
    private void findUnseen() {
        long user = process.userNanos() - ofCarriers.user;
        long total = process.totalNanos() - ofCarriers.total;
        for (Sums sums : all()) {
            user -= sums.user;
            total -= sums.total;
        }
        long more = Math.max(0, total);
        ofUnseen.set(Math.max(0, Math.min(user, more)), more);
    }

    /**
     * Moves the time of virtual threads from their carriers to the group. Some carriers may have ended, so
     * their time is unseen. Time that is found in neither, for example that of another scheduler's carriers,
     * is not added, because it is counted in their pool.
     */
    private void countVirtual(int group) {
        VirtualSums sums = virtual.computeIfAbsent(source.virtualName(group), VirtualSums::new);
        sums.threads = source.virtualThreads(group);
        sums.want(source.virtualUserNanos(group), source.virtualTotalNanos(group));
        sums.take(ofCarriers);
        sums.take(ofUnseen);
    }

    private List<Sums> all() {
        List<Sums> all = new ArrayList<>(ofJvm.values());
        if (hasCarriers) {
            all.add(carriers);
        }
        all.addAll(pools.values());
        all.addAll(virtual.values());
        return all;
    }

    private CpuAccount account() {
        List<CpuGroup> groups = new ArrayList<>();
        CpuSnapshot sum = new CpuSnapshot(0, 0, 0);
        for (Sums sums : all()) {
            CpuGroup group = sums.group(countsWaits && sums != unseen && sums.kind != Kind.VIRTUAL);
            groups.add(group);
            sum = sum.plus(group.times());
        }
        return new CpuAccount(Collections.unmodifiableList(groups), sum, source.throttledPeriods(),
                source.throttledNanos());
    }
}
