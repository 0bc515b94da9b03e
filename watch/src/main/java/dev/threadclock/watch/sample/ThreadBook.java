// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.internal.ThreadNames;
import dev.threadclock.watch.sample.Message.Event;
import dev.threadclock.watch.sample.Message.Java;
import dev.threadclock.watch.sample.Message.Moment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Keeps track of all threads of a JVM: which kernel thread was which Java thread, and when. Each kernel
 * thread has a unique serial; each Java thread has its TID from its start to its end. The two are matched by
 * TID and time, because the kernel reuses TIDs.
 */
final class ThreadBook {
    private static final String STARTING = "(starting)";

    /** The period in which a Java thread runs on a kernel thread. */
    private static final class Life {
        private final long id;
        private final int tid;
        private final long startNanos;
        private String name;
        private char state = 'R';
        private Optional<CpuSnapshot> end = Optional.empty();
        private boolean joined;
        private boolean carrier;

        private Life(long id, int tid, long startNanos, String name) {
            this.id = id;
            this.tid = tid;
            this.startNanos = startNanos;
            this.name = name;
        }

        private boolean hasEnded() {
            return end.isPresent();
        }
    }

    /** A kernel thread. */
    private static final class Row {
        private final long serial;
        private final int tid;
        private String kernelName;
        private char kernelState = '?';
        private CpuSnapshot times;
        private Life life;
        private boolean ran = true;
        private int passes;
        private int passesSinceEnd;

        private Row(long serial, int tid) {
            this.serial = serial;
            this.tid = tid;
        }
    }

    private final IntFunction<Character> kernelState;
    private final Map<Long, Row> rows = new LinkedHashMap<>();
    private final Map<Long, Life> running = new HashMap<>();
    /** Java threads that have not been matched with a row yet. */
    private final List<Life> unjoined = new ArrayList<>();
    private final Remainder remainder = new Remainder();
    private boolean begun;

    /** kernelState: returns the state of a native thread with this TID. */
    ThreadBook(IntFunction<Character> kernelState) {
        this.kernelState = kernelState;
    }

    /** Returns a sample if the message is one. */
    Optional<Sample> take(Message message) {
        message.java().stream().filter(thread -> thread.tid() != 0).forEach(this::wasThereBefore);
        message.events().forEach(event -> take(event, message.carriers().contains(event.id())));
        message.java().forEach(this::describe);
        message.carriers().forEach(this::carries);
        return message.moment().map(moment -> sample(message, moment));
    }

    private void wasThereBefore(Java thread) {
        start(new Life(thread.id(), thread.tid(), 0, thread.name()));
    }

    private void start(Life life) {
        running.put(life.id, life);
        unjoined.add(life);
    }

    private void take(Event event, boolean carrier) {
        if (event.end().isEmpty()) {
            // A thread that is listed while it starts is reported twice.
            if (!running.containsKey(event.id())) {
                start(new Life(event.id(), event.tid(), event.nanos(), event.name()));
            }
            return;
        }
        Life life = running.remove(event.id());
        if (life == null) {
            life = new Life(event.id(), event.tid(), 0, event.name());
            unjoined.add(life);
        }
        life.end = event.end();
        life.name = event.name();
        life.carrier |= carrier;
    }

    private void describe(Java thread) {
        Life life = running.get(thread.id());
        if (life != null) {
            life.name = thread.name();
            life.state = thread.state();
        }
    }

    private void carries(long id) {
        Life life = running.get(id);
        if (life != null) {
            life.carrier = true;
        }
    }

    private Sample sample(Message message, Moment moment) {
        rows.values().forEach(row -> row.ran = false);
        List<Row> gone = message.gone().stream().map(rows::remove).filter(row -> row != null).toList();
        message.threads().forEach(thread -> {
            Row row = rows.computeIfAbsent(thread.serial(), serial -> new Row(serial, thread.tid()));
            row.kernelName = thread.name();
            row.ran |= !thread.times().equals(row.times);
            row.times = thread.times();
        });
        message.ran().forEach(ran -> {
            Row row = rows.get(ran.serial());
            if (row != null) { // otherwise its start was never reported, which our sampler does not do
                row.times = ran.times();
                row.ran = true;
            }
        });
        join(rows.values(), moment.endNanos());
        join(gone, Long.MAX_VALUE);
        List<ThreadSample> ended = new ArrayList<>();
        gone.forEach(row -> ended.add(ended(row)));
        ended.addAll(endedUnseen());
        rows.values().forEach(this::pass);
        List<ThreadSample> living = new ArrayList<>(rows.values().stream().map(this::living).toList());
        remainder.take(moment.process(), living, ended).ifPresent(living::add);
        begun = true;
        return new Sample(moment.wallMillis(), moment.endNanos(), moment.process(), List.copyOf(living),
                List.copyOf(ended), message.virtual());
    }

    /** Matches each row with the youngest Java thread that had started on its TID by this time. */
    private void join(Iterable<Row> rowsToJoin, long byNanos) {
        Map<Integer, Life> youngest = new HashMap<>();
        for (Life life : unjoined) {
            if (life.startNanos <= byNanos) {
                youngest.merge(life.tid, life, (a, b) -> a.startNanos > b.startNanos ? a : b);
            }
        }
        for (Row row : rowsToJoin) {
            Life life = row.life == null ? youngest.get(row.tid) : null;
            if (life != null) {
                row.life = life;
                life.joined = true;
            }
        }
        unjoined.removeIf(life -> life.joined);
    }

    /** Threads that started and ended since the last pass. The first list may contain earlier ones. */
    private List<ThreadSample> endedUnseen() {
        List<ThreadSample> ended = unjoined.stream().filter(Life::hasEnded)
                .map(life -> of(-life.id, life.tid, life, life.name, "", 'X', life.end.get())).toList();
        unjoined.removeIf(life -> life.hasEnded() || life.startNanos == 0 && running.remove(life.id) != null);
        return begun ? ended : List.of();
    }

    /** A Java thread ends just before its kernel thread. If that continues, it has only left the JVM. */
    private void pass(Row row) {
        row.passes++;
        row.passesSinceEnd = row.life != null && row.life.hasEnded() ? row.passesSinceEnd + 1 : 0;
        if (row.passesSinceEnd > 2) {
            row.life = null;
            row.kernelState = '?';
        }
    }

    private ThreadSample living(Row row) {
        if (row.life != null) {
            return of(row.serial, row.tid, row.life, row.life.name, row.kernelName, javaState(row),
                    row.times);
        }
        if (row.ran || row.kernelState == '?') {
            row.kernelState = kernelState.apply(row.tid);
        }
        // A new thread has its creator's name until it sets its own.
        boolean starting = begun && row.passes == 1;
        return of(row.serial, row.tid, null, starting ? STARTING : ThreadNames.full(row.kernelName),
                row.kernelName, row.kernelState, row.times);
    }

    /** X only if the times here include the thread's end, which may be reported before. */
    private static char javaState(Row row) {
        Optional<CpuSnapshot> end = row.life.end;
        if (end.isPresent() && row.times.totalNanos() >= end.get().totalNanos()) {
            return 'X';
        }
        return row.life.state == 'R' && !row.ran ? 'I' : row.life.state;
    }

    private static ThreadSample ended(Row row) {
        CpuSnapshot last = row.life != null && row.life.hasEnded() ? row.life.end.get() : row.times;
        CpuSnapshot times = last.totalNanos() < row.times.totalNanos() ? row.times
                : Remainder.grown(row.times, last.userNanos(), last.totalNanos());
        return of(row.serial, row.tid, row.life,
                row.life != null ? row.life.name : ThreadNames.full(row.kernelName), row.kernelName, 'X',
                times);
    }

    private static ThreadSample of(long serial, int tid, Life life, String name, String kernelName,
            char state, CpuSnapshot times) {
        return new ThreadSample(tid, serial, life != null ? life.id : 0, name, kernelName, state, times,
                life != null && life.carrier);
    }
}
