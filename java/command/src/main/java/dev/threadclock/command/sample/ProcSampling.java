// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Message.Moment;
import dev.threadclock.command.sample.Message.Ran;
import dev.threadclock.command.sample.Message.Row;
import dev.threadclock.command.sample.TaskFiles.RunQueue;
import dev.threadclock.command.sample.TaskFiles.Stat;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Samples a JVM that cannot be attached to, from outside: /proc shows its threads with the kernel's
 * names, but without Java ids, Java states or stacks. TIDs are those of our own PID namespace.
 */
final class ProcSampling extends Sampling {
    private static final long FIRST_NANOS = 20_000_000;
    private static final RunQueue NOT_COUNTED = new RunQueue(0, Use.NOT_MEASURED);

    /** A kernel thread. */
    private static final class Task {
        private final long serial;
        private final long start;
        private char state;
        private long totalNanos;
        private int pass;

        private Task(long serial, long start) {
            this.serial = serial;
            this.start = start;
        }
    }

    private final Path tasks;
    private final TaskFiles files;
    private final long periodNanos;
    private final Map<Integer, Task> live = new HashMap<>(); // by TID
    private final ThreadBook book = new ThreadBook(tid -> live.containsKey(tid) ? live.get(tid).state : '?');
    private final long start;
    private long endedNanos;
    private long serials;
    private int pass;
    private long dueNanos = System.nanoTime() + FIRST_NANOS;

    ProcSampling(int pid, Subject subject, Duration period, TaskFiles files) {
        super(pid, subject);
        tasks = Path.of("/proc", Integer.toString(pid), "task");
        this.files = files;
        periodNanos = period.toNanos();
        start = files.process().map(Stat::start).orElse(-1L);
    }

    /** As in ChannelSampling, the first sample is not returned by next(). Empty: there is no such process. */
    static Optional<Sampling> open(int pid, Subject subject, Duration period) throws IOException {
        ProcSampling sampling = new ProcSampling(pid, subject, period, new TaskFiles(pid, false));
        return sampling.sample().map(first -> sampling);
    }

    @Override
    public Optional<Interval> next() throws IOException {
        try {
            TimeUnit.NANOSECONDS.sleep(dueNanos - System.nanoTime());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        // After a delay (this process was stopped), avoids samples in quick succession.
        dueNanos = Math.max(dueNanos, System.nanoTime() - periodNanos) + periodNanos;
        return sample();
    }

    Optional<Interval> sample() throws IOException {
        pass++;
        Message seen = new Message();
        long livingNanos = 0;
        long wallMillis = System.currentTimeMillis();
        Optional<Stat> process = files.process(); // first: what threads use meanwhile is no ended thread's
        for (int tid : tids()) {
            livingNanos += read(tid, seen);
        }
        live.entrySet()
                .removeIf(entry -> entry.getValue().pass != pass && leave(entry.getValue(), seen.gone));
        boolean isSame = files.process().filter(after -> after.start() == start).isPresent();
        if (process.isEmpty() || !isSame || seen.rows.isEmpty()) {
            return Optional.empty();
        }
        // The process's time has units of 10 ms and may therefore be less than the sum of its threads.
        seen.moment = Optional.of(new Moment(wallMillis, System.nanoTime(),
                process.get().times(livingNanos + endedNanos)));
        return book.take(seen);
    }

    /** What the thread has used; 0 if it has ended. Another thread that had its TID before is gone. */
    private long read(int tid, Message seen) {
        Optional<Stat> read = files.stat(tid);
        if (read.isEmpty()) {
            return 0;
        }
        Stat stat = read.get();
        Task task = live.get(tid);
        if (task == null || task.start != stat.start()) {
            if (task != null) {
                leave(task, seen.gone);
            }
            task = new Task(++serials, stat.start());
            live.put(tid, task);
        }
        task.pass = pass;
        RunQueue account = files.runQueue(tid).orElse(NOT_COUNTED);
        CpuSnapshot times = stat.times(account.ranNanos());
        task.state = stat.state();
        task.totalNanos = Math.max(task.totalNanos, times.totalNanos());
        seen.rows.add(new Row(task.serial, tid, 0, false, '?', stat.name()));
        seen.ran.add(new Ran(task.serial, times, account.waitedNanos()));
        return task.totalNanos;
    }

    private boolean leave(Task task, List<Long> gone) {
        gone.add(task.serial);
        endedNanos += task.totalNanos;
        return true;
    }

    private List<Integer> tids() {
        List<Integer> tids = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(tasks)) {
            folders.forEach(task -> tids.add(Integer.parseInt(task.getFileName().toString())));
        } catch (IOException | DirectoryIteratorException e) {
            return List.of(); // the process has ended
        }
        return tids;
    }
}
