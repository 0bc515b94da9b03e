// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.CpuGroup.Kind;
import dev.threadclock.internal.CpuIntervals;
import dev.threadclock.internal.CpuIntervals.Counter;
import dev.threadclock.internal.EndedThreads;
import dev.threadclock.internal.Reading;
import dev.threadclock.internal.ThreadTable;
import dev.threadclock.internal.Throttling;
import dev.threadclock.internal.VirtualGroups;
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
    private final ThreadTable table;
    private final EndedThreads ended;
    private final VirtualGroups virtualGroups;
    private final Throttling throttling = Throttling.ofThisProcess();

    private final Map<Kind, Sums> ofJvm = new EnumMap<>(Kind.class);
    private final Pools pools;
    private final Map<String, VirtualSums> virtual = new LinkedHashMap<>();
    private final Sums unseen;
    private final Sums carriers = new Sums(Kind.CARRIER, "carriers of virtual threads");
    private final Part ofCarriers = new Part();
    private final Part ofUnseen = new Part();
    private boolean hasCarriers;
    private final Reading process = new Reading();
    private final CpuIntervals<Member> intervals = new CpuIntervals<>();
    private List<Member> members = Collections.emptyList(); // of the last pass
    private boolean countsWaits;

    private volatile Result last;

    AccountKeeper(ThreadTable table, EndedThreads ended, VirtualGroups virtualGroups, Pools pools) {
        this.table = table;
        this.ended = ended;
        this.virtualGroups = virtualGroups;
        this.pools = pools;
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

    private static final class Result {
        private final CpuAccount account;
        private final long atNanos;

        Result(CpuAccount account, long atNanos) {
            this.account = account;
            this.atNanos = atNanos;
        }

        boolean isYoung(long maxAgeNanos) {
            return System.nanoTime() - atNanos < maxAgeNanos;
        }
    }

    /** What the threads of a group have used. */
    static class Sums extends Counter {
        final Kind kind;
        final String name;
        long waited;
        int threads;

        Sums(Kind kind, String name) {
            this.kind = kind;
            this.name = name;
        }

        CpuSnapshot snapshot() {
            return new CpuSnapshot(userNanos(), systemNanos(), totalNanos());
        }

        CpuGroup group(boolean waitIsKnown) {
            return new CpuGroup(kind, name, threads, snapshot(), waitIsKnown ? waited : -1);
        }
    }

    /** Time that this pass has found and has not yet given to groups. */
    private static final class Part {
        private long user;
        private long total;

        void add(long moreUser, long moreTotal) {
            user += moreUser;
            total += moreTotal;
        }

        /** Gives at most what is wanted and what there is. In the rest, user never exceeds total. */
        void give(Sums group, long wantedUser, long wantedTotal) {
            long givenTotal = Math.min(wantedTotal, total);
            long givenUser = Math.max(Math.min(Math.min(wantedUser, givenTotal), user),
                    user - (total - givenTotal));
            group.add(givenUser, givenTotal);
            user -= givenUser;
            total -= givenTotal;
        }

        void giveAll(Sums group) {
            give(group, user, total);
        }
    }

    /** A group of virtual threads; its sums include only what was found in their carriers' time. */
    private static final class VirtualSums extends Sums {
        private final Counter all = new Counter(); // found or not
        private long userWanted; // not found yet
        private long wanted;

        VirtualSums(String name) {
            super(Kind.VIRTUAL, name);
        }

        /** Time that neither this pass nor the last has found is given up: it is on other carriers. */
        void want(long userNow, long totalNow) {
            wanted = Math.min(wanted, all.usedTotalNanos());
            all.begin();
            all.raise(userNow, totalNow);
            wanted += all.usedTotalNanos();
            userWanted = Math.min(userWanted + all.usedUserNanos(), wanted);
        }

        void take(Part part) {
            begin();
            part.give(this, userWanted, wanted);
            wanted -= usedTotalNanos();
            userWanted = Math.max(0, Math.min(userWanted - usedUserNanos(), wanted));
        }
    }

    /** A thread, and the group to which its time goes. */
    private static final class Member extends CpuIntervals.Row {
        private Sums group;
        private int tid;
        private long javaId; // 0: not a Java thread so far
        private String javaName;
        private long kernelNameHash;
        private long waited;
        private long totalAtWait = -1;

        Member(long serial) {
            super(serial);
        }
    }

    /** Returns a pass that is no older than this; for any number of callers. */
    CpuAccount read(long maxAgeNanos) {
        Result result = last;
        if (result == null || !result.isYoung(maxAgeNanos)) {
            result = readAnew(result, maxAgeNanos);
        }
        pools.warn();
        return result.account;
    }

    /** A caller that waited while another thread read gets that reading, if it is young enough. */
    private synchronized Result readAnew(Result before, long maxAgeNanos) {
        if (last == before || !last.isYoung(maxAgeNanos)) {
            long at = System.nanoTime();
            pass();
            last = new Result(account(), at);
        }
        return last;
    }

    /**
     * The process's clock is read first, so that the rest never includes what a listed thread uses during
     * the pass. Ended threads are taken after the listing: one that is in neither has not begun. Groups of
     * virtual threads are read last: what they use in between is found with their carriers in the next pass,
     * and has not gone to another group by then.
     */
    private void pass() {
        boolean isProcessKnown = table.readProcess(process);
        List<Member> before = members;
        members = intervals.read(table, Member::new);
        virtualGroups.read();
        pools.begin(); // while the last pass's numbers of threads are there
        all().forEach(sums -> sums.threads = 0);
        if (ended.read()) {
            countEnded(before);
        }
        for (int i = 0; i < members.size(); i++) {
            count(i, members.get(i));
        }
        if (isProcessKnown) {
            Counter rest = intervals.rest(process.userNanos, process.totalNanos);
            ofUnseen.add(rest.usedUserNanos(), rest.usedTotalNanos());
        }
        for (int i = 0; i < virtualGroups.size(); i++) {
            countVirtual(i);
        }
        ofCarriers.giveAll(carriers);
        ofUnseen.giveAll(unseen);
        throttling.read();
    }

    private void count(int row, Member thread) {
        thread.tid = table.tid(row);
        groupOf(row, thread).threads++;
        countUsed(thread);
        long total = thread.totalNanos();
        if (total != thread.totalAtWait) { // otherwise it has not run, so none of its waits has ended
            long waited = table.waitedNanos(row);
            if (waited >= 0) {
                countsWaits = true;
                thread.group.waited += Math.max(0, waited - thread.waited);
                thread.waited = Math.max(waited, thread.waited);
                thread.totalAtWait = total;
            }
        }
    }

    /** Adds to its group what a thread has used and no call before has added. */
    private void countUsed(Member thread) {
        countUntil(thread.userNanos(), thread.totalNanos(), thread, thread.group);
    }

    /** Adds to a group what of this the thread had used by an earlier reading. */
    private void countUntil(long user, long total, Member thread, Sums group) {
        long usedUser = thread.usedUserNanos();
        long usedTotal = thread.usedTotalNanos();
        thread.beginAt(user, total);
        usedUser -= thread.usedUserNanos();
        usedTotal -= thread.usedTotalNanos();
        if (usedTotal != 0) {
            pools.works(group);
        }
        if (group == carriers) {
            ofCarriers.add(usedUser, usedTotal);
        } else {
            group.add(usedUser, usedTotal);
        }
    }

    /**
     * Counts what ended threads have used since they were last seen. A native thread that detaches from the
     * JVM ends for Java each time, with another id and with all that it has used since its start. So a record
     * belongs to the thread with its id, otherwise to the one that had its TID before this pass, has it in
     * this pass and is native, or had it in an earlier record. A Java thread with another id that has the TID
     * now may be the same thread, too, if it has used more by now; then its row has all. Of a thread that was
     * native so far, because it was starting or not attached, only what it used as a Java thread is its
     * pool's. Where TIDs are reused within a pass, time may be left for the rest, but none is counted twice.
     */
    private void countEnded(List<Member> before) {
        Map<Long, Member> byId = new HashMap<>();
        Map<Integer, Member> byTid = new HashMap<>();
        Map<Integer, Member> attached = new HashMap<>();
        for (Member thread : before) {
            byId.put(thread.javaId, thread);
            byTid.put(thread.tid, thread);
        }
        for (int i = 0; i < members.size(); i++) {
            byId.put(table.javaId(i), members.get(i));
            (table.javaId(i) == 0 ? byTid : attached).put(table.tid(i), members.get(i));
        }
        do {
            for (int i = 0; i < ended.size(); i++) {
                Member thread = byId.getOrDefault(ended.javaId(i), byTid.get(ended.tid(i)));
                Member now = attached.get(ended.tid(i));
                if (thread == null && now != null && now.totalNanos() >= ended.totalNanos(i)) {
                    continue;
                }
                if (thread == null) {
                    thread = new Member(0);
                    byTid.put(ended.tid(i), thread);
                }
                countEnded(i, thread);
            }
        } while (ended.read());
    }

    private void countEnded(int index, Member thread) {
        String name = ended.name(index);
        if (thread.group != null && thread.javaName == null) { // all readings so far found it native
            intervals.raise(thread, ended.userNanos(index), ended.totalNanos(index));
            countUntil(ended.userBegunNanos(index), ended.totalBegunNanos(index), thread, thread.group);
            countUntil(ended.userNanos(index), ended.totalNanos(index), thread, endedGroup(index));
            return;
        }
        if (thread.group != null && ended.totalNanos(index) <= thread.totalNanos()) {
            return; // its row of this pass has all
        }
        if (thread.javaId != ended.javaId(index) || !name.equals(thread.javaName)
                || pools.isUnsettled(thread.group)) {
            thread.group = endedGroup(index);
            thread.javaName = name;
        }
        intervals.raise(thread, ended.userNanos(index), ended.totalNanos(index));
        countUsed(thread);
    }

    private Sums endedGroup(int index) {
        hasCarriers |= ended.isCarrier(index);
        return ended.isCarrier(index) ? carriers : pools.of(ended.name(index));
    }

    /**
     * Determines the group again only if the thread's name has changed, or its pool has lost its place. Most
     * threads sleep: the name of a Java thread that has not run is not looked at. Remembers the Java id.
     */
    private Sums groupOf(int row, Member thread) {
        long javaId = table.javaId(row);
        if (javaId != 0) {
            if (javaId != thread.javaId || thread.usedTotalNanos() != 0) {
                String name = table.name(row);
                if (!name.equals(thread.javaName) || pools.isUnsettled(thread.group)) {
                    thread.group = javaGroup(row, name);
                    thread.javaName = name;
                }
            }
        } else if (thread.group == null || thread.javaName != null
                || thread.kernelNameHash != table.kernelNameHash(row) || pools.isUnsettled(thread.group)) {
            String name = table.name(row);
            thread.group = JvmThreads.isAgents(name) ? pools.of("threadclock")
                    : ofJvm.get(JvmThreads.kind(name));
            thread.javaName = null;
            thread.kernelNameHash = table.kernelNameHash(row);
        }
        thread.javaId = javaId;
        return thread.group;
    }

    private Sums javaGroup(int row, String name) {
        if (table.isCarrier(row)) {
            hasCarriers = true;
            return carriers;
        }
        Kind kind = table.isOfTopGroup(row) ? JvmThreads.kind(name) : Kind.NATIVE;
        return kind == Kind.NATIVE ? pools.of(name) : ofJvm.get(kind);
    }

    /**
     * Moves the time of virtual threads from their carriers to the group. Some carriers may have ended, so
     * their time is unseen. Time that is found in neither, for example that of another scheduler's carriers,
     * is not added, because it is counted in their pool.
     */
    private void countVirtual(int group) {
        VirtualSums sums = virtual.computeIfAbsent(virtualGroups.name(group), VirtualSums::new);
        sums.threads = virtualGroups.threads(group);
        sums.want(virtualGroups.userNanos(group), virtualGroups.totalNanos(group));
        sums.take(ofCarriers);
        sums.take(ofUnseen);
    }

    private List<Sums> all() {
        List<Sums> all = new ArrayList<>(ofJvm.values());
        if (hasCarriers) {
            all.add(carriers);
        }
        all.addAll(pools.shown());
        all.addAll(virtual.values());
        return all;
    }

    private CpuAccount account() {
        List<CpuGroup> groups = new ArrayList<>();
        CpuSnapshot sum = CpuSnapshot.ZERO;
        for (Sums sums : all()) {
            CpuGroup group = sums.group(countsWaits && sums != unseen && sums.kind != Kind.VIRTUAL);
            groups.add(group);
            sum = sum.plus(group.times());
        }
        return new CpuAccount(Collections.unmodifiableList(groups), sum, throttling.periods(),
                throttling.nanos());
    }
}
