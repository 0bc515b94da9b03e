// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.internal.CpuIntervals;
import dev.threadclock.internal.CpuIntervals.Counter;
import dev.threadclock.internal.Native;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Message.Event;
import dev.threadclock.command.sample.Message.Java;
import dev.threadclock.command.sample.Message.Moment;
import dev.threadclock.command.terminal.Failure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/**
 * Keeps track of all threads of a JVM: which kernel thread was which Java thread, and when. Each kernel
 * thread has a unique serial; each Java thread has its TID from its start to its end. The two are matched by
 * TID and time, because the kernel reuses TIDs.
 */
final class ThreadBook {
    /** Of threads, and of groups: the kernel's own limit of threads is rarely above it. */
    static final int MOST = 500_000;
    private static final String STARTING = "(starting)";
    private static final String ENDED_THREADS = "(ended threads)";

    /** The period in which a Java thread runs on a kernel thread. */
    private static final class Life {
        private final long id;
        private final int tid;
        private final boolean carrier;
        private final long startNanos;
        private String name;
        private char state = 'R';
        private Optional<CpuSnapshot> end = Optional.empty();
        private boolean joined;

        private Life(long id, int tid, boolean carrier, long startNanos, String name) {
            this.id = id;
            this.tid = tid;
            this.carrier = carrier;
            this.startNanos = startNanos;
            this.name = name;
        }

        private boolean hasEnded() {
            return end.isPresent();
        }
    }

    /** A kernel thread. */
    private static final class KernelThread extends CpuIntervals.Row {
        private final int tid;
        private String kernelName = "";
        private char kernelState = '?';
        private Life life;
        private int passes;
        private int passesSinceEnd;
        private long waitedNanos = Use.NOT_MEASURED; // since its start
        private long waitNanos; // in waits that ended in the interval

        private KernelThread(long serial, int tid) {
            super(serial);
            this.tid = tid;
        }

        private boolean ran() {
            return passes == 1 || usedTotalNanos() > 0;
        }

        /** The kernel counts a wait when it ends, so a thread that does not run in the interval has none. */
        private void beginInterval() {
            begin();
            waitNanos = waitedNanos >= 0 ? 0 : Use.NOT_MEASURED;
        }

        /** For a CPU. The wait may have begun before the interval. */
        private void waited(long nowNanos, boolean sinceStart) {
            long before = sinceStart ? 0 : waitedNanos;
            waitNanos = before >= 0 && nowNanos >= before ? nowNanos - before : Use.NOT_MEASURED;
            waitedNanos = nowNanos >= 0 ? nowNanos : waitedNanos;
        }
    }

    private final IntFunction<Character> kernelState;
    private final Map<Long, KernelThread> rows = new LinkedHashMap<>();
    private final Map<Long, Life> running = new HashMap<>();
    /** Java threads that have not been matched with a row yet. */
    private final List<Life> unjoined = new ArrayList<>();
    private final CpuIntervals intervals = new CpuIntervals();
    private final Counter process = new Counter();
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
        message.java.stream().filter(thread -> thread.tid() != 0) // it was there before
                .forEach(thread -> start(
                        new Life(thread.id(), thread.tid(), thread.carrier(), 0, thread.name())));
        message.events.forEach(this::take);
        message.java.forEach(this::describe);
        Optional<Interval> interval = message.moment.map(moment -> interval(message, moment));
        int most = Math.max(Math.max(rows.size(), groups.size()), Math.max(running.size(), unjoined.size()));
        if (most > MOST) {
            throw new Failure("the JVM claims to have more than " + MOST + " threads or groups of them");
        }
        return interval;
    }

    private void start(Life life) {
        running.put(life.id, life);
        unjoined.add(life);
    }

    private void take(Event event) {
        if (event.end().isEmpty()) {
            // A thread that is listed while it starts is reported twice.
            if (!running.containsKey(event.id())) {
                start(new Life(event.id(), event.tid(), event.carrier(), event.nanos(), event.name()));
            }
            return;
        }
        Life life = running.remove(event.id());
        if (life == null) {
            life = new Life(event.id(), event.tid(), event.carrier(), 0, event.name());
            unjoined.add(life);
        }
        life.end = event.end();
        life.name = event.name();
    }

    private void describe(Java thread) {
        Life life = running.get(thread.id());
        if (life != null) {
            life.name = thread.name();
            life.state = thread.state();
        }
    }

    private Interval interval(Message message, Moment moment) {
        rows.values().forEach(KernelThread::beginInterval);
        List<KernelThread> gone = message.gone.stream().map(rows::remove).filter(Objects::nonNull).toList();
        message.threads.forEach(thread -> {
            KernelThread row = rows.computeIfAbsent(thread.serial(),
                    serial -> new KernelThread(serial, thread.tid()));
            row.kernelName = thread.name();
            raise(row, thread.times());
            row.waited(thread.waitedNanos(), row.passes == 0 && lastNanos.isPresent());
        });
        message.ran.forEach(ran -> {
            KernelThread row = rows.get(ran.serial());
            if (row != null) { // otherwise its start was never reported, which our sampler does not do
                raise(row, ran.times());
                row.waited(ran.waitedNanos(), false);
            }
        });
        join(rows.values(), moment.nanos());
        join(gone, Long.MAX_VALUE);
        List<Use> ended = new ArrayList<>();
        gone.forEach(row -> ended.add(ended(row)));
        ended.addAll(endedUnseen());
        rows.values().forEach(this::pass);
        long nanos = moment.nanos() - lastNanos.orElse(moment.nanos());
        List<Use> living = new ArrayList<>(rows.values().stream()
                .map(row -> living(row).withWait(row.waitNanos)).toList());
        process.begin();
        process.raise(moment.process().userNanos(), moment.process().totalNanos());
        Counter rest = intervals.rest(process.userNanos(), process.totalNanos());
        if (rest.totalNanos() > 0) {
            living.add(new Use(ENDED_THREADS, 0, 0, 0, Use.ENDED, 1, used(rest), life(rest)));
        }
        lastNanos = OptionalLong.of(moment.nanos());
        return new Interval(moment.wallMillis(), nanos, used(process), life(process), living, ended,
                message.virtual.flatMap(this::virtual));
    }

    private void raise(KernelThread row, CpuSnapshot times) {
        intervals.raise(row, times.userNanos(), times.totalNanos());
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

    /** Matches each row with the youngest Java thread that had started on its TID by this time. */
    private void join(Iterable<KernelThread> rowsToJoin, long byNanos) {
        Map<Integer, Life> youngest = new HashMap<>();
        for (Life life : unjoined) {
            if (life.startNanos <= byNanos) {
                youngest.merge(life.tid, life, (a, b) -> a.startNanos > b.startNanos ? a : b);
            }
        }
        for (KernelThread row : rowsToJoin) {
            Life life = row.life == null ? youngest.get(row.tid) : null;
            if (life != null) {
                row.life = life;
                life.joined = true;
            }
        }
        unjoined.removeIf(life -> life.joined);
    }

    /** Threads that started and ended since the last pass. The first list may contain earlier ones. */
    private List<Use> endedUnseen() {
        List<Use> ended = new ArrayList<>();
        for (Life life : unjoined) {
            if (life.hasEnded() && lastNanos.isPresent()) {
                KernelThread row = new KernelThread(-life.id, life.tid);
                row.life = life;
                ended.add(ended(row));
            }
        }
        unjoined.removeIf(life -> life.hasEnded() || life.startNanos == 0 && running.remove(life.id) != null);
        return ended;
    }

    /** A Java thread ends just before its kernel thread. If that continues, it has only left the JVM. */
    private void pass(KernelThread row) {
        row.passes++;
        row.passesSinceEnd = row.life != null && row.life.hasEnded() ? row.passesSinceEnd + 1 : 0;
        if (row.passesSinceEnd > 2) {
            row.life = null;
            row.kernelState = '?';
        }
    }

    private Use living(KernelThread row) {
        if (row.life != null) {
            return use(row, row.life.name, javaState(row));
        }
        if (row.ran() || row.kernelState == '?') {
            row.kernelState = kernelState.apply(row.tid);
        }
        // A new thread has its creator's name until it sets its own.
        boolean starting = lastNanos.isPresent() && row.passes == 1;
        return use(row, starting ? STARTING : Native.fullName(row.kernelName), row.kernelState);
    }

    /** X only if the times here include the thread's end, which may be reported before. */
    private static char javaState(KernelThread row) {
        Optional<CpuSnapshot> end = row.life.end;
        if (end.isPresent() && row.totalNanos() >= end.get().totalNanos()) {
            return Use.ENDED;
        }
        return row.life.state == 'R' && !row.ran() ? 'I' : row.life.state;
    }

    private Use ended(KernelThread row) {
        if (row.life != null) {
            row.life.end.ifPresent(times -> raise(row, times));
        }
        return use(row, row.life != null ? row.life.name : Native.fullName(row.kernelName), Use.ENDED);
    }

    private Use use(KernelThread row, String name, char state) {
        if (row.life != null && row.life.carrier) {
            carriers.add(row.usedUserNanos(), row.usedTotalNanos());
        }
        return new Use(name, row.tid, row.serial, row.life != null ? row.life.id : 0, state, 1, used(row),
                life(row));
    }
}
