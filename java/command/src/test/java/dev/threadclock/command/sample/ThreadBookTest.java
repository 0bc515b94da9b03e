// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Message.Event;
import dev.threadclock.command.sample.Message.Group;
import dev.threadclock.command.sample.Message.Java;
import dev.threadclock.command.sample.Message.Kernel;
import dev.threadclock.command.sample.Message.Moment;
import dev.threadclock.command.sample.Message.Ran;
import dev.threadclock.command.sample.Message.Virtual;
import dev.threadclock.command.terminal.Failure;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Kernel and Java threads are matched, even if TIDs are reused or threads live between two samples. */
class ThreadBookTest {
    private static final int TID = 77;

    private final ThreadBook book = new ThreadBook(tid -> 'S');
    private long nanos = 1000;

    private static CpuSnapshot nanos(long total) {
        return new CpuSnapshot(total, 0, total);
    }

    private record Gone(long serial) {}

    private static Kernel thread(long serial, int tid, CpuSnapshot times, String name) {
        return new Kernel(serial, tid, times, Use.NOT_MEASURED, name);
    }

    private static Ran ran(long serial, CpuSnapshot times) {
        return new Ran(serial, times, Use.NOT_MEASURED);
    }

    /** A pass 1000 ns after the previous one, and what the message has besides. */
    private Interval sample(long processNanos, Object... records) {
        nanos += 1000;
        Message message = new Message();
        message.moment = Optional.of(new Moment(0, nanos, nanos(processNanos)));
        for (Object record : records) {
            if (record instanceof Java java) {
                message.java.add(java);
            } else if (record instanceof Event event) {
                message.events.add(event);
            } else if (record instanceof Kernel thread) {
                message.threads.add(thread);
            } else if (record instanceof Ran ran) {
                message.ran.add(ran);
            } else {
                message.gone.add(((Gone) record).serial());
            }
        }
        return book.take(message).orElseThrow();
    }

    private static Event start(long id, int tid, long nanos, String name) {
        return new Event(id, tid, false, nanos, Optional.empty(), name);
    }

    private static Event end(long id, int tid, long nanos, String name, long total) {
        return new Event(id, tid, false, nanos, Optional.of(nanos(total)), name);
    }

    private static Use only(List<Use> threads) {
        assertThat(threads).hasSize(1);
        return threads.get(0);
    }

    @Test
    void aThreadFromBeforeTheSamplingHasItsJavaName() {
        Interval sample = sample(50, new Java(9, TID, false, 'W', "worker"),
                thread(1, TID, nanos(50), "work"));
        assertThat(only(sample.threads()))
                .isEqualTo(new Use("worker", TID, 1, 9, 'W', 1, nanos(50), nanos(50)));
        sample = sample(80, new Java(9, 0, false, 'R', "renamed"), ran(1, nanos(80)));
        assertThat(only(sample.threads()).name()).isEqualTo("renamed");
        assertThat(only(sample.threads()).life().totalNanos()).isEqualTo(80);
        assertThat(only(sample.threads()).state()).isEqualTo('R');
        assertThat(only(sample(80).threads()).state())
                .isEqualTo('I');
    }

    @Test
    void aReusedTidIsAnotherThread() {
        sample(50, new Java(9, TID, false, 'R', "old"), thread(1, TID, nanos(50), "old"));
        Interval sample = sample(100, end(9, TID, 2100, "old", 60), start(10, TID, 2200, "new"),
                thread(2, TID, nanos(40), "new"), new Gone(1));
        assertThat(only(sample.ended())).isEqualTo(new Use("old", TID, 1, 9, 'X', 1, nanos(10), nanos(60)));
        assertThat(only(sample.threads()))
                .isEqualTo(new Use("new", TID, 2, 10, 'R', 1, nanos(40), nanos(40)));
    }

    @Test
    void timesOfAThreadThatWasNeverAnnouncedAreIgnored() {
        Interval sample = sample(50, ran(7, nanos(50)), new Gone(8));
        assertThat(sample.life().totalNanos()).isEqualTo(50);
        assertThat(sample.threads()).extracting(Use::serial).doesNotContain(7L);
    }

    @Test
    void aThreadThatNoSampleHasSeenIsCountedAmongTheEnded() {
        sample(0);
        Interval sample = sample(30, start(9, TID, 2100, "a"), end(9, TID, 2200, "b", 30));
        assertThat(sample.threads()).isEmpty();
        assertThat(only(sample.ended()).name()).isEqualTo("b");
        assertThat(only(sample.ended()).interval()).isEqualTo(nanos(30));
        assertThat(sample(30).ended()).isEmpty();
    }

    @Test
    void aThreadThatHasNotSetItsNameYetHasNoWrongName() {
        sample(0);
        Interval sample = sample(5, thread(3, TID, nanos(5), "its maker's"));
        assertThat(only(sample.threads()).name()).isEqualTo("(starting)");
        sample = sample(9, start(9, TID, 3100, "itself"), ran(3, nanos(9)));
        assertThat(only(sample.threads()).name()).isEqualTo("itself");
    }

    @Test
    void aNativeThreadHasTheKernelsNameFromItsSecondSampleOn() {
        sample(0);
        sample(5, thread(3, TID, nanos(5), "java"));
        Interval sample = sample(5, thread(3, TID, nanos(5), "GC Thread#1"));
        assertThat(only(sample.threads()).name()).isEqualTo("GC Thread#1");
        assertThat(only(sample.threads()).javaId()).isZero();
        assertThat(only(sample(5, new Gone(3)).ended()).name())
                .isEqualTo("GC Thread#1");
    }

    @Test
    void aThreadThatIsAboutToEndIsNotCountedTwice() {
        sample(0);
        Interval sample = sample(30, start(9, TID, 2100, "a"), end(9, TID, 2200, "a", 30),
                thread(4, TID, nanos(30), "a"));
        assertThat(sample.ended()).isEmpty();
        assertThat(only(sample.threads()).javaId()).isEqualTo(9);
        sample = sample(35, new Gone(4));
        assertThat(only(sample.ended()).life().totalNanos()).isEqualTo(30);
        assertThat(only(sample.threads()).name()).isEqualTo("(ended threads)");
        assertThat(only(sample.threads()).life().totalNanos()).isEqualTo(5);
    }

    /** The thread starts and ends between the pass over the threads and the taking of the events. */
    @Test
    void aThreadThatEndsAfterThePassIsAliveInTheSample() {
        sample(0);
        Interval sample = sample(0, start(9, TID, 2995, "a"), end(9, TID, 3100, "a", 30),
                thread(1, TID, nanos(0), "a"));
        assertThat(only(sample.threads()).state()).isEqualTo('R');
        sample = sample(30, new Gone(1));
        assertThat(only(sample.ended()).state()).isEqualTo('X');
        assertThat(only(sample.ended()).life().totalNanos()).isEqualTo(30);
    }

    @Test
    void aThreadThatDetachesFromTheJvmBecomesNative() {
        sample(9, new Java(9, TID, false, 'R', "attached"), thread(1, TID, nanos(9), "pool"));
        sample(9, end(9, TID, 2100, "attached", 9));
        sample(9);
        sample(9);
        Interval sample = sample(9);
        assertThat(only(sample.threads()).name()).isEqualTo("pool");
        assertThat(only(sample.threads()).javaId()).isZero();
    }

    @Test
    void timeOfNoKnownThreadIsShownAsThatOfEndedThreads() {
        Interval sample = sample(1000, thread(1, TID, nanos(400), "java"));
        assertThat(sample.threads()).extracting(Use::name).containsExactly("java",
                "(ended threads)");
        assertThat(sample.threads().stream().mapToLong(thread -> thread.life().totalNanos()).sum())
                .isEqualTo(1000);
        sample = sample(1005, ran(1, nanos(410)));
        assertThat(sample.threads().get(1).life().totalNanos()).as("does not go back").isEqualTo(600);
    }

    @Test
    void anIntervalHasTheDifferences() {
        Interval first = sample(1000, thread(1, TID, new CpuSnapshot(100, 20, 120), "a"),
                thread(2, 78, nanos(50), "idle"));
        assertThat(first.nanos()).as("nothing before it").isZero();
        Interval interval = sample(1500, ran(1, new CpuSnapshot(400, 30, 430)));
        assertThat(interval.nanos()).isEqualTo(1000);
        assertThat(interval.process()).isEqualTo(nanos(500));
        assertThat(interval.life()).isEqualTo(nanos(1500));
        assertThat(interval.ran()).extracting(Use::name).containsExactly("a", "(ended threads)");
        assertThat(interval.ran().get(0).interval()).isEqualTo(new CpuSnapshot(300, 10, 310));
        assertThat(interval.ran().get(0).life()).isEqualTo(new CpuSnapshot(400, 30, 430));
    }

    /** epoch: 0 if virtual threads were not read. */
    private Interval virtual(int epoch, long carrierNanos, Group... groups) {
        nanos += 1000;
        Message message = new Message();
        message.moment = Optional.of(new Moment(0, nanos, CpuSnapshot.ZERO));
        message.java.add(new Java(9, TID, true, 'R', "carrier"));
        message.threads.add(thread(1, TID, nanos(carrierNanos), "carrier"));
        message.threads.add(thread(2, 78, nanos(nanos), "other"));
        message.virtual = epoch == 0 ? Optional.empty()
                : Optional.of(new Virtual(nanos - 7, epoch, List.of(groups)));
        return book.take(message).orElseThrow();
    }

    private static Group group(String name, long nanos) {
        return new Group(3, 1, new CpuSnapshot(nanos, 1, nanos + 1), name);
    }

    @Test
    void virtualThreadsAreComparedWithTheLastThatWereRead() {
        virtual(1, 100, group("a", 50));
        assertThat(virtual(0, 130).virtual()).isEmpty();
        Interval.Virtual use = virtual(1, 170, group("a", 110), group("b", 4)).virtual().orElseThrow();
        assertThat(use.nanos()).isEqualTo(2000);
        assertThat(use.groups()).extracting(Use::interval).containsExactly(nanos(60),
                new CpuSnapshot(4, 1, 5));
        assertThat(use.carriers()).isEqualTo(nanos(70));
        assertThat(use.threads()).isEqualTo(6);
        assertThat(use.mounted()).isEqualTo(2);
        assertThat(virtual(1, 171, group("a", 110)).virtual().orElseThrow().carriers()).isEqualTo(nanos(1));
    }

    @Test
    void accountingThatHasJustBegunHasNoInterval() {
        virtual(0, 100);
        assertThat(virtual(1, 110, group("a", 50)).virtual()).isEmpty();
    }

    @Test
    void accountingThatWasOffMeanwhileHasNoInterval() {
        virtual(1, 100, group("a", 50));
        virtual(0, 200);
        assertThat(virtual(3, 300, group("a", 60)).virtual()).isEmpty();
        assertThat(virtual(3, 310, group("a", 65)).virtual().orElseThrow().carriers()).isEqualTo(nanos(10));
    }

    @Test
    void moreThreadsThanAKernelHasAreRefused() {
        Message message = new Message();
        for (int i = 1; i <= ThreadBook.MOST + 1; i++) {
            message.events.add(start(i, i, 1, ""));
        }
        assertThatExceptionOfType(Failure.class).isThrownBy(() -> book.take(message));
    }
}
