// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.internal.Counter;
import dev.threadclock.internal.Native;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Message.Moment;
import dev.threadclock.command.sample.Message.Ran;
import dev.threadclock.command.sample.Message.Row;
import dev.threadclock.command.terminal.Failure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/** The threads of a JVM by the last rows that it sent, and what each has used since the last sample. */
final class ThreadBook {
    /** Of threads, and of groups: the kernel's own limit of threads is rarely above it. */
    static final int MOST = 500_000;
    private static final String STARTING = "(starting)";
    private static final String ENDED_THREADS = "(ended threads)";

    private static final class Known extends Counter {
        private Row row;
        private char kernelState = '?';
        private boolean isNew = true; // no sample has had it
        private long waitedNanos = Use.NOT_MEASURED; // since its start
        private long waitedBefore = Use.NOT_MEASURED; // by the beginning of the interval
        private long waitNanos = Use.NOT_MEASURED; // in waits that ended in the interval

        private boolean ran() {
            return isNew || usedTotalNanos() > 0;
        }

        private boolean isNative() {
            return row.javaId() == 0;
        }

        /** The kernel counts a wait when it ends, so a thread that does not run in the interval has none. */
        private void beginInterval() {
            begin();
            isNew = false;
            waitedBefore = waitedNanos;
            waitNanos = waitedNanos >= 0 ? 0 : Use.NOT_MEASURED;
        }

        /** For a CPU. The wait may have begun before the interval. */
        private void waited(long nowNanos, boolean sinceStart) {
            long before = sinceStart ? 0 : waitedBefore;
            waitNanos = before >= 0 && nowNanos >= before ? nowNanos - before : Use.NOT_MEASURED;
            waitedNanos = nowNanos >= 0 ? nowNanos : waitedNanos;
        }
    }

    private final IntFunction<Character> kernelState;
    private final Map<Long, Known> threads = new LinkedHashMap<>(); // by serial
    private final List<Known> ended = new ArrayList<>(); // since the last sample
    private final Counter shown = new Counter(); // what any thread has used so far
    private final Counter process = new Counter();
    private final Counter rest = new Counter(); // what the process has used and no thread
    private final Map<String, Counter> groups = new HashMap<>(); // of virtual threads
    private final Counter carriers = new Counter(); // its interval began when the groups were read
    private Optional<Message.Virtual> lastVirtual = Optional.empty();
    private OptionalLong lastNanos = OptionalLong.empty();

    /** kernelState: returns the state of a native thread with this TID. */
    ThreadBook(IntFunction<Character> kernelState) {
        this.kernelState = kernelState;
    }

    /** Returns the interval since the last sample if the message is one. That of the first has no length. */
    Optional<Interval> take(Message message) {
        message.rows.forEach(row -> threads.computeIfAbsent(row.serial(), serial -> new Known()).row = row);
        message.ran.forEach(this::raise);
        for (long serial : message.gone) {
            Known gone = threads.remove(serial);
            if (gone != null) {
                ended.add(gone);
            }
        }
        Optional<Interval> interval = message.moment.map(moment -> interval(message, moment));
        if (Math.max(threads.size(), Math.max(ended.size(), groups.size())) > MOST) {
            throw new Failure("the JVM claims to have more than " + MOST + " threads or groups of them");
        }
        return interval;
    }

    private void raise(Ran ran) {
        Known thread = threads.get(ran.serial());
        if (thread == null) {
            return; // no row was sent, which our sampler does not do
        }
        long user = thread.userNanos();
        long total = thread.totalNanos();
        thread.raise(ran.times().userNanos(), ran.times().totalNanos());
        shown.add(thread.userNanos() - user, thread.totalNanos() - total);
        thread.waited(ran.waitedNanos(), thread.isNew && lastNanos.isPresent());
    }

    /** The clocks are not read at once, so the rest is what exceeds all earlier differences. */
    private Interval interval(Message message, Moment moment) {
        List<Use> living = new ArrayList<>(threads.values().stream().map(this::living).toList());
        List<Use> gone = ended.stream().map(thread -> use(thread, name(thread), Use.ENDED)).toList();
        process.begin();
        process.raise(moment.process().userNanos(), moment.process().totalNanos());
        rest.begin();
        rest.raise(process.userNanos() - shown.userNanos(), process.totalNanos() - shown.totalNanos());
        if (rest.totalNanos() > 0) {
            living.add(new Use(ENDED_THREADS, 0, 0, 0, Use.ENDED, 1, used(rest), life(rest)));
        }
        long nanos = moment.nanos() - lastNanos.orElse(moment.nanos());
        lastNanos = OptionalLong.of(moment.nanos());
        threads.values().forEach(Known::beginInterval);
        ended.clear();
        return new Interval(moment.wallMillis(), nanos, used(process), life(process), living, gone,
                message.virtual.flatMap(this::virtual));
    }

    private static CpuSnapshot used(Counter counter) {
        return new CpuSnapshot(counter.usedUserNanos(), counter.usedSystemNanos(), counter.usedTotalNanos());
    }

    private static CpuSnapshot life(Counter counter) {
        return new CpuSnapshot(counter.userNanos(), counter.systemNanos(), counter.totalNanos());
    }

    /** What virtual threads have used since they were last read; empty if accounting has begun since. */
    private Optional<Interval.Virtual> virtual(Message.Virtual now) {
        boolean continues = lastVirtual.isPresent() && lastVirtual.get().epoch() == now.epoch();
        if (!continues) {
            groups.clear();
        }
        List<Use> uses = new ArrayList<>();
        for (Message.Group group : now.groups()) {
            Counter counter = groups.computeIfAbsent(group.name(), name -> new Counter());
            counter.begin();
            counter.raise(group.times().userNanos(), group.times().totalNanos());
            uses.add(Use.group(group.name(), group.threads(), group.mounted(), used(counter), life(counter)));
        }
        Optional<Interval.Virtual> virtual = lastVirtual.filter(last -> continues)
                .map(last -> new Interval.Virtual(now.monotonicNanos() - last.monotonicNanos(), uses,
                        used(carriers)));
        lastVirtual = Optional.of(now);
        carriers.begin();
        return virtual;
    }

    private Use living(Known thread) {
        if (thread.isNative() && (thread.ran() || thread.kernelState == '?')) {
            thread.kernelState = kernelState.apply(thread.row.tid());
        }
        // A new thread has its creator's name until it sets its own.
        boolean starting = thread.isNative() && thread.isNew && lastNanos.isPresent();
        return use(thread, starting ? STARTING : name(thread), state(thread)).withWait(thread.waitNanos);
    }

    private static char state(Known thread) {
        char state = thread.isNative() ? thread.kernelState : thread.row.state();
        return state == 'R' && !thread.isNative() && !thread.ran() ? 'I' : state;
    }

    private static String name(Known thread) {
        return thread.isNative() ? Native.fullName(thread.row.name()) : thread.row.name();
    }

    private Use use(Known thread, String name, char state) {
        if (thread.row.carrier()) {
            carriers.add(thread.usedUserNanos(), thread.usedTotalNanos());
        }
        return new Use(name, thread.row.tid(), thread.row.serial(), thread.row.javaId(), state, 1,
                used(thread), life(thread));
    }
}
