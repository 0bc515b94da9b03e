// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuGroup.Kind;
import dev.threadclock.FakeThreads.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The account of a process whose threads are simulated. */
class AccountKeeperTest {
    private static final long LONG = 1_000_000_000_000L;

    private final FakeThreads threads = new FakeThreads();
    private final AccountKeeper keeper = new AccountKeeper(threads, threads.new Ended(),
            threads.new Groups(), new Pools(3, LONG));

    private CpuAccount read() {
        return keeper.read(0);
    }

    /** While the process's clock shows the sum of all threads, and nothing else. */
    private CpuAccount readInProcess() {
        threads.inProcess();
        return read();
    }

    private static CpuGroup group(CpuAccount account, Kind kind, String name) {
        return account.groups().stream()
                .filter(group -> group.kind() == kind && (name == null || name.equals(group.name())))
                .findFirst().orElseThrow();
    }

    private static CpuSnapshot times(CpuAccount account, Kind kind, String name) {
        return group(account, kind, name).times();
    }

    private static CpuSnapshot of(long user, long system) {
        return new CpuSnapshot(user, system, user + system);
    }

    @Test
    void threadsOfOnePoolAreOneGroup() {
        threads.java("http-1").uses(10, 1);
        threads.java("http-2").uses(20, 2);
        threads.java("other").uses(5, 0);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.JAVA, "http-*")).isEqualTo(of(30, 3));
        assertThat(group(account, Kind.JAVA, "http-*").threads()).isEqualTo(2);
        assertThat(group(account, Kind.JAVA, "http-*").waitedNanos()).isEqualTo(-1);
        assertThat(times(account, Kind.JAVA, "other")).isEqualTo(of(5, 0));
        assertThat(times(account, Kind.UNSEEN, null)).isEqualTo(of(0, 0));
        assertThat(account.process()).isEqualTo(of(35, 3));
    }

    @Test
    void theTimeOfAnEndedThreadStays() {
        Row ending = threads.java("job-1").uses(10, 1);
        threads.java("job-2").uses(20, 2);
        readInProcess();
        threads.rows.remove(ending);
        threads.java("job-3").uses(100, 0); // perhaps with the same TID
        threads.processUser += 104; // 4 of them were used by the ended thread after the pass
        CpuAccount account = read();
        assertThat(times(account, Kind.JAVA, "job-*")).isEqualTo(of(130, 3));
        assertThat(group(account, Kind.JAVA, "job-*").threads()).isEqualTo(2);
        assertThat(times(account, Kind.UNSEEN, null)).isEqualTo(of(4, 0));
        assertThat(account.process()).isEqualTo(of(134, 3));
    }

    @Test
    void anEndedThreadsTimeIsItsPoolsUpToItsEnd() {
        Row seen = threads.java("job-1").uses(10, 1);
        Row seenAsNative = threads.kernel("java").uses(5, 0);
        Row carrier = threads.carrier().uses(1, 0);
        readInProcess();
        threads.ends(seen.uses(3, 1));
        threads.ends(threads.java("job-2").uses(20, 2)); // no reading has seen it
        threads.ends(carrier.uses(6, 0));
        threads.ended.add(threads.java("job-4").uses(100, 0)); // still in the listing
        Row exiting = threads.kernel("job-5").uses(200, 0); // and no longer known as Java's
        threads.ended.add(exiting);
        seenAsNative.name = "job-3";
        threads.ends(seenAsNative.uses(4, 0));
        threads.inProcess().processUser += 2; // after the ends
        CpuAccount account = read();
        assertThat(times(account, Kind.JAVA, "job-*")).isEqualTo(of(337, 4));
        assertThat(group(account, Kind.JAVA, "job-*").threads()).isOne();
        assertThat(times(account, Kind.NATIVE, null)).isEqualTo(of(5, 0));
        assertThat(times(account, Kind.CARRIER, null)).isEqualTo(of(7, 0));
        assertThat(times(account, Kind.UNSEEN, null)).isEqualTo(of(2, 0));
        assertThat(account.process()).isEqualTo(of(351, 4));
        assertThat(read().process()).isEqualTo(of(351, 4));
    }

    @Test
    void aThreadThatDetachesFromTheJvmIsNotCountedTwice() {
        Row thread = threads.kernel("native").uses(10, 0);
        read();
        threads.ended.add(thread.uses(5, 0).attaches()); // attached and detached between two readings
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.NATIVE, null)).isEqualTo(of(15, 0));
        assertThat(account.process()).isEqualTo(of(15, 0));
        thread.uses(1, 0);
        assertThat(times(readInProcess(), Kind.NATIVE, null)).isEqualTo(of(16, 0));
    }

    /** Its ThreadEnd event comes before the kernel's end, which may take long. */
    @Test
    void aThreadThatIsSeenStartingAndEndingIsNotNative() {
        Row starting = threads.kernel("java").uses(5, 0);
        Row attaching = threads.kernel("native").uses(10, 0);
        readInProcess();
        threads.ended.add(starting.uses(90, 10).detached());
        threads.ended.get(0).name = "job-1";
        threads.ended.add(attaching.uses(1, 0).attaches().uses(30, 0).detached());
        threads.ended.add(attaching.uses(4, 0).attaches().uses(20, 5).detached());
        starting.uses(2, 0);
        attaching.uses(0, 3);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.JAVA, "job-*")).isEqualTo(of(90, 10));
        assertThat(times(account, Kind.JAVA, "native")).isEqualTo(of(50, 5));
        assertThat(times(account, Kind.NATIVE, null)).isEqualTo(of(22, 3));
        assertThat(account.process()).isEqualTo(of(162, 18));
        starting.uses(1, 0);
        assertThat(times(readInProcess(), Kind.NATIVE, null)).isEqualTo(of(23, 3));
    }

    @Test
    void theAgentsThreadsAreAPoolOfTheirOwn() {
        threads.kernel("threadclock-pro").uses(3, 0);
        threads.kernel("threadc..etheus").uses(4, 0); // by new JDKs
        threads.kernel("threadcount").uses(1, 0);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.JAVA, "threadclock")).isEqualTo(of(7, 0));
        assertThat(times(account, Kind.NATIVE, null)).isEqualTo(of(1, 0));
    }

    /** Each time, with another id and with all that it has used since its start. */
    @Test
    void aThreadThatAttachesAgainAndAgainIsCountedOnce() {
        Row known = threads.java("callback").uses(100, 0);
        read();
        Row between = threads.java("callback").uses(1000, 0);
        for (int i = 0; i < 3; i++) {
            threads.ended.add(known.uses(1, 0).detached());
            threads.ended.add(between.uses(1, 0).detached());
        }
        Row alive = threads.java("callback").uses(10, 0);
        threads.ended.add(alive.detached());
        threads.ended.add(alive.detached());
        alive.uses(5, 0);
        threads.rows.removeAll(List.of(known, between)); // the third one is still attached
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.JAVA, "callback")).isEqualTo(of(1121, 0));
        assertThat(account.process()).isEqualTo(of(1121, 0));
    }

    @Test
    void aThreadWithAnEndedOnesTidKeepsItsTime() {
        read();
        threads.ends(threads.java("short").uses(1000, 0));
        Row worker = threads.java("worker").uses(10, 0);
        worker.tid = threads.ended.get(0).tid;
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.JAVA, "worker")).isEqualTo(of(10, 0));
        assertThat(times(account, Kind.JAVA, "short")).isEqualTo(of(1000, 0));
    }

    @Test
    void aPoolOfShortThreadsKeepsItsPlace() {
        for (String name : List.of("a", "b", "c", "d", "e")) {
            threads.ends(threads.java(name).uses(1, 0));
        }
        read();
        threads.ends(threads.java("d").uses(1, 0));
        threads.ends(threads.java("a").uses(1, 0));
        threads.ends(threads.java("b").uses(1, 0));
        assertThat(pools(read())).containsExactly("a", "b", "c", "(other)");
    }

    @Test
    void anEmptyPoolDoesNotDisappear() {
        Row only = threads.java("gone").uses(7, 0);
        readInProcess();
        threads.rows.remove(only);
        assertThat(times(read(), Kind.JAVA, "gone")).isEqualTo(of(7, 0));
        assertThat(group(read(), Kind.JAVA, "gone").threads()).isZero();
    }

    @Test
    void aRenamedThreadsEarlierTimeStaysInItsOldGroup() {
        Row thread = threads.java("old").uses(10, 0);
        readInProcess();
        thread.name = "new";
        thread.uses(5, 0);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.JAVA, "old")).isEqualTo(of(10, 0));
        assertThat(times(account, Kind.JAVA, "new")).isEqualTo(of(5, 0));
        assertThat(account.process()).isEqualTo(of(15, 0));
    }

    @Test
    void aStartingThreadIsNativeUntilItIsKnown() {
        Row thread = threads.kernel("java").uses(1, 0);
        readInProcess();
        thread.java = true;
        thread.name = "worker-1";
        thread.uses(9, 0);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.NATIVE, null)).isEqualTo(of(1, 0));
        assertThat(times(account, Kind.JAVA, "worker-*")).isEqualTo(of(9, 0));
    }

    @Test
    void theKernelsNameMayChangeAfterTheStart() {
        Row thread = threads.kernel("java").uses(1, 0);
        read();
        thread.name = "GC Thread#1";
        thread.uses(9, 0);
        assertThat(times(read(), Kind.GC, null)).isEqualTo(of(9, 0));
    }

    @Test
    void aSplitThatDiffersFromThatOfTheProcessDecreasesNoTime() {
        threads.java("a").uses(60, 40);
        threads.processUser = 50;
        threads.processSystem = 70;
        CpuAccount account = read();
        assertThat(times(account, Kind.UNSEEN, null)).isEqualTo(of(0, 20));
        assertThat(account.process()).isEqualTo(of(60, 60));
    }

    @Test
    void waitsAndNamesAreReadOnlyOfThreadsThatHaveRun() {
        Row busy = threads.java("busy").uses(10, 0);
        Row idle = threads.java("idle").uses(10, 0);
        busy.waited = 100;
        idle.waited = 7;
        read();
        busy.uses(1, 0).waited = 150;
        idle.name = "renamed";
        CpuAccount account = read();
        assertThat(group(account, Kind.JAVA, "idle").threads()).isOne();
        assertThat(group(account, Kind.JAVA, "busy").waitedNanos()).isEqualTo(150);
        assertThat(group(account, Kind.JAVA, "idle").waitedNanos()).isEqualTo(7);
        assertThat(busy.waitsRead).isEqualTo(2);
        assertThat(idle.waitsRead).isEqualTo(1);
        idle.uses(1, 0);
        assertThat(times(read(), Kind.JAVA, "renamed")).isEqualTo(of(1, 0));
        idle.name = "ends";
        read();
        threads.ends(idle.uses(5, 0));
        assertThat(times(read(), Kind.JAVA, "ends")).isEqualTo(of(5, 0));
        assertThat(group(account, Kind.UNSEEN, null).waitedNanos()).isEqualTo(-1);
    }

    @Test
    void aWaitThatCannotBeReadIsReadLater() {
        Row thread = threads.java("a").uses(10, 0);
        thread.waited = 100;
        read();
        thread.uses(1, 0).waited = -1;
        assertThat(group(read(), Kind.JAVA, "a").waitedNanos()).isEqualTo(100);
        thread.waited = 120;
        assertThat(group(read(), Kind.JAVA, "a").waitedNanos()).isEqualTo(120);
    }

    @Test
    void virtualThreadsAreNotCountedTwice() {
        Row carrier = threads.carrier().uses(100, 10);
        threads.virtual("request-*").uses(60, 5).threads = 7;
        threads.virtual("query").uses(20, 0);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.VIRTUAL, "request-*")).isEqualTo(of(60, 5));
        assertThat(group(account, Kind.VIRTUAL, "request-*").threads()).isEqualTo(7);
        assertThat(group(account, Kind.VIRTUAL, "request-*").waitedNanos()).isEqualTo(-1);
        assertThat(times(account, Kind.VIRTUAL, "query")).isEqualTo(of(20, 0));
        assertThat(times(account, Kind.CARRIER, null)).isEqualTo(of(20, 5));
        assertThat(group(account, Kind.CARRIER, null).threads()).isEqualTo(1);
        assertThat(account.process()).isEqualTo(of(100, 10));
        carrier.uses(8, 0);
        threads.virtual.get(1).uses(7, 0);
        account = readInProcess();
        assertThat(times(account, Kind.VIRTUAL, "query")).isEqualTo(of(27, 0));
        assertThat(times(account, Kind.CARRIER, null)).isEqualTo(of(21, 5));
        assertThat(account.process()).isEqualTo(of(108, 10));
    }

    @Test
    void aGroupThatIsAheadOfItsCarriersWaitsForThem() {
        Row carrier = threads.carrier().uses(10, 0);
        threads.virtual("v").uses(15, 0);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.VIRTUAL, "v")).isEqualTo(of(10, 0));
        assertThat(times(account, Kind.CARRIER, null)).isEqualTo(of(0, 0));
        carrier.uses(20, 0);
        account = readInProcess();
        assertThat(times(account, Kind.VIRTUAL, "v")).isEqualTo(of(15, 0));
        assertThat(times(account, Kind.CARRIER, null)).isEqualTo(of(15, 0));
        assertThat(account.process()).isEqualTo(of(30, 0));
    }

    @Test
    void allTimeOfAGroupIsFoundHoweverLongPassesTake() {
        Row carrier = threads.carrier();
        Row group = threads.virtual("v");
        for (int nanos : new int[]{5, 50, 0, 1, 700, 0, 0, 3, 20, 0}) {
            carrier.uses(10, 0);
            group.uses(10, 0);
            threads.meanwhile = () -> {
                carrier.uses(nanos, 0);
                group.uses(nanos, 0);
            };
            readInProcess();
        }
        assertThat(times(readInProcess(), Kind.VIRTUAL, "v")).isEqualTo(of(group.user, 0));
    }

    @Test
    void virtualThreadsOfEndedCarriersAreNotUnseen() {
        threads.carrier().uses(10, 0);
        threads.virtual("v").uses(50, 5);
        threads.processUser = 70;
        threads.processSystem = 7;
        CpuAccount account = read();
        assertThat(times(account, Kind.VIRTUAL, "v")).isEqualTo(of(50, 5));
        assertThat(times(account, Kind.UNSEEN, null)).isEqualTo(of(20, 2));
        assertThat(account.process()).isEqualTo(of(70, 7));
    }

    @Test
    void anotherSchedulersCarriersAreAPool() {
        threads.java("mine-1").uses(50, 0);
        threads.virtual("v").uses(40, 0);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.JAVA, "mine-*")).isEqualTo(of(50, 0));
        assertThat(times(account, Kind.VIRTUAL, "v")).isEqualTo(of(0, 0));
        assertThat(account.process()).isEqualTo(of(50, 0));
    }

    @Test
    void timeOnAnotherSchedulersCarriersIsNotTakenFromTheJvmsLater() {
        threads.java("mine-1").uses(50, 0);
        threads.virtual("v").uses(40, 0);
        Row carrier = threads.carrier();
        readInProcess();
        read();
        carrier.uses(30, 0);
        threads.virtual("w").uses(25, 0);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.VIRTUAL, "v")).isEqualTo(of(0, 0));
        assertThat(times(account, Kind.VIRTUAL, "w")).isEqualTo(of(25, 0));
        assertThat(times(account, Kind.CARRIER, null)).isEqualTo(of(5, 0));
        assertThat(account.process()).isEqualTo(of(80, 0));
    }

    @Test
    void aGroupSplitDifferentlyThanItsCarriersDecreasesNoTime() {
        Row carrier = threads.carrier().uses(10, 90);
        threads.virtual("v").uses(80, 0);
        CpuAccount account = readInProcess();
        assertThat(times(account, Kind.VIRTUAL, "v")).isEqualTo(of(10, 70));
        assertThat(times(account, Kind.CARRIER, null)).isEqualTo(of(0, 20));
        carrier.uses(100, 0);
        threads.virtual.get(0).uses(0, 30);
        account = readInProcess();
        assertThat(times(account, Kind.VIRTUAL, "v")).isEqualTo(of(40, 70));
        assertThat(account.process()).isEqualTo(of(110, 90));
    }

    @Test
    void poolsAboveTheLimitShareOneWithOneWarning() {
        List<LogRecord> records = new ArrayList<>();
        Logger logger = Logger.getLogger("dev.threadclock");
        logger.setFilter(logged -> !records.add(logged)); // and none is printed
        try {
            for (String name : List.of("a", "b", "c", "d", "e")) {
                threads.java(name).uses(1, 0);
            }
            CpuAccount account = readInProcess();
            read();
            assertThat(pools(account)).containsExactly("a", "b", "c", "(other)");
            assertThat(times(account, Kind.JAVA, "(other)")).isEqualTo(of(2, 0));
            assertThat(account.process()).isEqualTo(of(5, 0));
            assertThat(records).hasSize(1);
            assertThat(records.get(0).getMessage()).contains("3 pools");
        } finally {
            logger.setFilter(null);
        }
    }

    private static List<String> pools(CpuAccount account) {
        return account.groups().stream().filter(group -> group.kind() == Kind.JAVA).map(CpuGroup::name)
                .collect(Collectors.toList());
    }

    @Test
    void aPoolWithoutThreadsGivesItsPlaceAndLeavesItsTime() {
        Row first = threads.java("first").uses(7, 1);
        first.waited = 3;
        threads.java("a").uses(1, 0);
        threads.java("b").uses(1, 0);
        readInProcess();
        threads.rows.remove(first);
        read();
        Row next = threads.java("next").uses(5, 0);
        CpuAccount account = readInProcess();
        assertThat(pools(account)).containsExactly("a", "b", "(past pools)", "next");
        assertThat(times(account, Kind.JAVA, "(past pools)")).isEqualTo(of(7, 1));
        assertThat(group(account, Kind.JAVA, "(past pools)").waitedNanos()).isEqualTo(3);
        assertThat(group(account, Kind.JAVA, "(past pools)").threads()).isZero();
        assertThat(account.process()).isEqualTo(of(14, 1));
        threads.rows.remove(next);
        read();
        threads.java("first").uses(100, 0);
        account = readInProcess();
        assertThat(pools(account)).containsExactly("a", "b", "(past pools)", "first");
        assertThat(times(account, Kind.JAVA, "first")).isEqualTo(of(100, 0));
        assertThat(times(account, Kind.JAVA, "(past pools)")).isEqualTo(of(12, 1));
        assertThat(group(account, Kind.JAVA, "first").threads()).isEqualTo(1);
        assertThat(account.process()).isEqualTo(of(114, 1));
    }

    /** Hundreds of pools come and go: what is shown adds up, and what stays never decreases. */
    @Test
    void theGroupsAddUpHoweverManyPoolsHaveLived() {
        CpuSnapshot past = CpuSnapshot.ZERO;
        for (int i = 0; i < 300; i++) {
            threads.ends(
                    threads.java("pool-" + (char) ('a' + i % 26) + (char) ('a' + i / 26)).uses(50, i % 3));
            CpuAccount account = readInProcess();
            CpuSnapshot sum = account.groups().stream().map(CpuGroup::times)
                    .reduce(CpuSnapshot.ZERO, CpuSnapshot::plus);
            assertThat(sum).isEqualTo(of(threads.processUser, threads.processSystem));
            assertThat(account.process()).isEqualTo(sum);
            if (pools(account).contains("(past pools)")) {
                CpuSnapshot now = times(account, Kind.JAVA, "(past pools)");
                assertThat(now.userNanos()).isGreaterThanOrEqualTo(past.userNanos());
                assertThat(now.systemNanos()).isGreaterThanOrEqualTo(past.systemNanos());
                past = now;
            }
        }
        assertThat(past.userNanos()).isPositive();
    }

    /** The listing may have a new thread before those of the pools that have the places. */
    @Test
    void aPoolWhoseThreadsComeLaterInAPassKeepsItsPlace() {
        for (String name : List.of("a", "b", "c")) {
            threads.java(name).uses(1, 0);
        }
        read();
        Row next = threads.java("next").uses(5, 0);
        threads.rows.remove(next);
        threads.rows.add(0, next);
        CpuAccount account = read();
        assertThat(pools(account)).containsExactly("a", "b", "c", "(other)");
        assertThat(times(account, Kind.JAVA, "(other)")).isEqualTo(of(5, 0));
    }

    @Test
    void anIdlePoolGivesItsPlaceToOneThatWorks() {
        AccountKeeper impatient = new AccountKeeper(threads, threads.new Ended(), threads.new Groups(),
                new Pools(2, 0));
        Row idle = threads.java("idle").uses(1, 0);
        Row busy = threads.java("busy").uses(1, 0);
        impatient.read(0);
        threads.java("next").uses(1, 0);
        busy.uses(1, 0);
        CpuAccount account = impatient.read(0);
        assertThat(pools(account)).containsExactlyInAnyOrder("busy", "next", "(past pools)");
        idle.uses(10, 0);
        busy.uses(1, 0);
        account = impatient.read(0);
        assertThat(pools(account)).containsExactlyInAnyOrder("busy", "idle", "(past pools)");
        assertThat(times(account, Kind.JAVA, "idle")).isEqualTo(of(10, 0));
        assertThat(group(account, Kind.JAVA, "idle").threads()).isEqualTo(1);
    }

    @Test
    void aThreadOfTheCommonPoolGetsAPlaceWhenThereIsOne() {
        threads.java("a").uses(1, 0);
        Row ending = threads.java("b").uses(1, 0);
        threads.java("c").uses(1, 0);
        Row late = threads.java("late").uses(1, 0);
        assertThat(pools(readInProcess())).containsExactly("a", "b", "c", "(other)");
        threads.rows.remove(ending);
        read();
        late.uses(10, 0);
        CpuAccount account = readInProcess();
        assertThat(pools(account)).containsExactly("a", "c", "(other)", "(past pools)", "late");
        assertThat(times(account, Kind.JAVA, "late")).isEqualTo(of(10, 0));
        assertThat(times(account, Kind.JAVA, "(other)")).isEqualTo(of(1, 0));
        assertThat(account.process()).isEqualTo(of(14, 0));
    }

    @Test
    void aJavaThreadWithTheNameOfAJvmThreadIsJava() {
        threads.java("GC Thread#0").uses(1, 0);
        Row compiler = threads.java("C2 CompilerThread0").uses(2, 0);
        compiler.ofTopGroup = true;
        CpuAccount account = read();
        assertThat(times(account, Kind.JAVA, "GC Thread#*")).isEqualTo(of(1, 0));
        assertThat(times(account, Kind.JIT, null)).isEqualTo(of(2, 0));
    }

    @Test
    void aYoungReadingServesAllCallers() throws Exception {
        threads.java("a").uses(1, 0);
        CpuAccount first = keeper.read(LONG);
        ExecutorService callers = Executors.newFixedThreadPool(8);
        List<Callable<CpuAccount>> reads = Collections.nCopies(100, () -> keeper.read(LONG));
        assertThat(callers.invokeAll(reads)).allSatisfy(read -> assertThat(read.get()).isSameAs(first));
        callers.shutdown();
        assertThat(threads.passes).isEqualTo(1);
        assertThat(read()).isNotSameAs(first);
        assertThat(threads.passes).isEqualTo(2);
    }

    @Test
    void eachKindHasItsNameInMetrics() {
        assertThat(CpuGroup.Kind.values()).extracting(CpuGroup.Kind::label)
                .containsExactly("java", "virtual", "carrier", "gc", "jit", "jvm", "native", "unseen");
    }
}
