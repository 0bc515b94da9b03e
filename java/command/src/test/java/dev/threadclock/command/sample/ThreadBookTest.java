// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Message.Group;
import dev.threadclock.command.sample.Message.Moment;
import dev.threadclock.command.sample.Message.Ran;
import dev.threadclock.command.sample.Message.Row;
import dev.threadclock.command.sample.Message.Virtual;
import dev.threadclock.command.terminal.Failure;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rows become intervals, in which no time is missing or counted twice. */
class ThreadBookTest {
    private static final int TID = 77;

    private final ThreadBook book = new ThreadBook(tid -> 'S');
    private long nanos = 1000;

    private static CpuSnapshot nanos(long total) {
        return new CpuSnapshot(total, 0, total);
    }

    private record Gone(long serial) {}

    private static Row nativeRow(long serial, String name) {
        return new Row(serial, TID, 0, false, '?', name);
    }

    private static Row java(long serial, long javaId, char state, String name) {
        return new Row(serial, TID, javaId, false, state, name);
    }

    private static Ran ran(long serial, long total) {
        return new Ran(serial, nanos(total), Use.NOT_MEASURED);
    }

    private static Message message(Object... records) {
        Message message = new Message();
        for (Object record : records) {
            if (record instanceof Row row) {
                message.rows.add(row);
            } else if (record instanceof Ran ran) {
                message.ran.add(ran);
            } else {
                message.gone.add(((Gone) record).serial());
            }
        }
        return message;
    }

    /** A pass 1000 ns after the previous one, and what the message has besides. */
    private Interval sample(long processNanos, Object... records) {
        nanos += 1000;
        Message message = message(records);
        message.moment = Optional.of(new Moment(0, nanos, nanos(processNanos)));
        return book.take(message).orElseThrow();
    }

    private static Use only(List<Use> threads) {
        assertThat(threads).hasSize(1);
        return threads.get(0);
    }

    @Test
    void aThreadHasItsLastRow() {
        Interval sample = sample(50, java(1, 9, 'W', "worker"), ran(1, 50));
        assertThat(only(sample.threads()))
                .isEqualTo(new Use("worker", TID, 1, 9, 'W', 1, nanos(50), nanos(50)));
        sample = sample(80, java(1, 9, 'R', "renamed"), ran(1, 80));
        assertThat(only(sample.threads()).name()).isEqualTo("renamed");
        assertThat(only(sample.threads()).life().totalNanos()).isEqualTo(80);
        assertThat(only(sample.threads()).state()).isEqualTo('R');
        assertThat(only(sample(80).threads()).state())
                .isEqualTo('I');
    }

    @Test
    void aReusedTidIsAnotherThread() {
        sample(50, java(1, 9, 'R', "old"), ran(1, 50));
        Interval sample = sample(100, java(1, 9, 'X', "old"), java(2, 10, 'R', "new"), ran(2, 40), ran(1, 60),
                new Gone(1));
        assertThat(only(sample.ended())).isEqualTo(new Use("old", TID, 1, 9, 'X', 1, nanos(10), nanos(60)));
        assertThat(only(sample.threads()))
                .isEqualTo(new Use("new", TID, 2, 10, 'R', 1, nanos(40), nanos(40)));
    }

    @Test
    void timesOfAThreadThatWasNeverAnnouncedAreIgnored() {
        Interval sample = sample(50, ran(7, 50), new Gone(8));
        assertThat(sample.life().totalNanos()).isEqualTo(50);
        assertThat(sample.threads()).extracting(Use::serial).doesNotContain(7L);
    }

    @Test
    void aThreadThatNoSampleHasSeenIsCountedAmongTheEnded() {
        sample(0);
        assertThat(book.take(message(java(-1, 9, 'X', "b"), ran(-1, 30), new Gone(-1)))).isEmpty();
        Interval sample = sample(30);
        assertThat(sample.threads()).isEmpty();
        assertThat(only(sample.ended()).name()).isEqualTo("b");
        assertThat(only(sample.ended()).interval()).isEqualTo(nanos(30));
        assertThat(sample(30).ended()).isEmpty();
    }

    @Test
    void aThreadThatHasNotSetItsNameYetHasNoWrongName() {
        sample(0);
        Interval sample = sample(5, nativeRow(3, "its maker's"), ran(3, 5));
        assertThat(only(sample.threads()).name()).isEqualTo("(starting)");
        sample = sample(9, java(3, 9, 'R', "itself"), ran(3, 9));
        assertThat(only(sample.threads()).name()).isEqualTo("itself");
    }

    @Test
    void aNativeThreadHasTheKernelsNameFromItsSecondSampleOn() {
        sample(0);
        sample(5, nativeRow(3, "java"), ran(3, 5));
        Interval sample = sample(5, nativeRow(3, "GC Thread#1"));
        assertThat(only(sample.threads()).name()).isEqualTo("GC Thread#1");
        assertThat(only(sample.threads()).javaId()).isZero();
        assertThat(only(sample.threads()).state()).isEqualTo('S');
        assertThat(only(sample(5, new Gone(3)).ended()).name())
                .isEqualTo("GC Thread#1");
    }

    @Test
    void timeOfNoKnownThreadIsShownAsThatOfEndedThreads() {
        Interval sample = sample(1000, nativeRow(1, "java"), ran(1, 400));
        assertThat(sample.threads()).extracting(Use::name).containsExactly("java",
                "(ended threads)");
        assertThat(sample.threads().stream().mapToLong(thread -> thread.life().totalNanos()).sum())
                .isEqualTo(1000);
        sample = sample(1005, ran(1, 410));
        assertThat(sample.threads().get(1).life().totalNanos()).as("does not go back").isEqualTo(600);
    }

    @Test
    void anIntervalHasTheDifferences() {
        Interval first = sample(1000, nativeRow(1, "a"),
                new Ran(1, new CpuSnapshot(100, 20, 120), Use.NOT_MEASURED), nativeRow(2, "idle"),
                ran(2, 50));
        assertThat(first.nanos()).as("nothing before it").isZero();
        Interval interval = sample(1500, new Ran(1, new CpuSnapshot(400, 30, 430), Use.NOT_MEASURED));
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
        Message message = message(new Row(1, TID, 9, true, 'R', "carrier"), ran(1, carrierNanos),
                java(2, 10, 'R', "other"), ran(2, nanos));
        message.moment = Optional.of(new Moment(0, nanos, CpuSnapshot.ZERO));
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

    /** Living ones, or ended ones of which no sample is made. */
    @Test
    void moreThreadsThanAKernelHasAreRefused() {
        for (boolean end : new boolean[]{false, true}) {
            ThreadBook full = new ThreadBook(tid -> 'S');
            Message message = new Message();
            for (int i = 1; i <= ThreadBook.MOST + 1; i++) {
                message.rows.add(nativeRow(i, ""));
                if (end) {
                    message.gone.add((long) i);
                }
            }
            assertThatExceptionOfType(Failure.class).isThrownBy(() -> full.take(message));
        }
    }
}
