// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.attach.internal.Printable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the kernel's files of each thread of a process, from outside of its file system: there, anything may
 * stand in their place. Thread-safe.
 */
class TaskFiles {
    private static final long RESCAN_NANOS = 100_000_000;
    private static final Pattern INNERMOST_TID = Pattern.compile("(?m)^NSpid:.*?(\\d+)$");

    private final String process;
    private final byte[] buffer = new byte[4096]; // the files are shorter

    /** From a TID in the process's own PID namespace to ours; null: they are the same. */
    private final Map<Integer, Integer> ours;
    private long scanned = System.nanoTime() - RESCAN_NANOS;

    /** namespaced: threads are named by their TIDs in the process's own PID namespace. */
    TaskFiles(int pid, boolean namespaced) {
        process = "/proc/" + pid;
        ours = namespaced ? new HashMap<>() : null;
    }

    /**
     * The scheduler's statistics of a thread (/proc/PID/task/TID/schedstat).
     *
     * @param ranNanos run time since the thread's start. It never decreases, which reveals that a TID was
     *     reused
     * @param waitedNanos time since its start in which it was runnable but had no CPU. The kernel counts a
     *     wait when it ends (kernel/sched/stats.h, sched_info_arrive), so the value changes only when the
     *     thread runs
     */
    record RunQueue(long ranNanos, long waitedNanos) {
        /** Empty if the kernel does not count (CONFIG_SCHED_INFO), or if the text has another format. */
        static Optional<RunQueue> parse(String schedstat) {
            String[] fields = schedstat.strip().split(" ");
            try {
                return fields.length != 3 || fields[2].equals("0") ? Optional.empty()
                        : Optional.of(new RunQueue(Long.parseLong(fields[0]), Long.parseLong(fields[1])));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }
    }

    /**
     * A thread or process as described by its file "stat" in /proc (proc_pid_stat(5)).
     *
     * @param userNanos the kernel's scaled user time, in units of 10 ms; likewise systemNanos
     * @param start distinguishes threads with the same TID
     */
    record Stat(String name, char state, long userNanos, long systemNanos, long start) {
        private static final long UNIT_NANOS = 10_000_000; // USER_HZ is 100 on x86-64 and aarch64
        private static final int STATE = 0;
        private static final int USER = 11;
        private static final int SYSTEM = 12;
        private static final int START = 19;

        /** Empty for other text. The name, in parentheses, may contain anything: read as ISO 8859-1. */
        static Optional<Stat> parse(String text) {
            int open = text.indexOf('(');
            int close = text.lastIndexOf(')');
            if (open < 0 || close < open) {
                return Optional.empty();
            }
            String[] fields = text.substring(close + 1).strip().split(" ");
            if (fields.length <= START || fields[STATE].length() != 1 || fields[STATE].charAt(0) < 'A'
                    || fields[STATE].charAt(0) > 'z') {
                return Optional.empty();
            }
            byte[] name = text.substring(open + 1, close).getBytes(StandardCharsets.ISO_8859_1);
            try {
                return Optional.of(new Stat(Printable.line(new String(name, StandardCharsets.UTF_8)),
                        fields[STATE].charAt(0), Long.parseLong(fields[USER]) * UNIT_NANOS,
                        Long.parseLong(fields[SYSTEM]) * UNIT_NANOS, Long.parseLong(fields[START])));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        /**
         * With a precise total of at least user + system. What exceeds their sum is divided in their ratio.
         */
        CpuSnapshot times(long totalNanos) {
            long known = userNanos + systemNanos;
            long total = Math.max(totalNanos, known);
            double userPart = known == 0 ? 1 : (double) userNanos / known;
            long user = userNanos + (long) ((total - known) * userPart);
            return new CpuSnapshot(user, total - user, total);
        }
    }

    /** Empty if the thread is gone or the kernel has no statistics. */
    Optional<RunQueue> runQueue(int tid) {
        return text(tid, "schedstat").flatMap(RunQueue::parse);
    }

    /** Empty if the process is gone. */
    synchronized Optional<Stat> process() {
        return read(process + "/stat").flatMap(Stat::parse);
    }

    /** Empty if the thread is gone. */
    Optional<Stat> stat(int tid) {
        return text(tid, "stat").flatMap(Stat::parse);
    }

    private synchronized Optional<String> text(int tid, String file) {
        if (ours == null) {
            return read(tid, file);
        }
        Integer known = ours.get(tid);
        Optional<String> text = known == null ? Optional.empty() : read(known, file);
        if (text.isEmpty() && System.nanoTime() - scanned >= RESCAN_NANOS) {
            scan();
            text = Optional.ofNullable(ours.get(tid)).flatMap(found -> read(found, file));
        }
        return text;
    }

    /** The line "NSpid: 4711 12" of a thread's status has its TID in each namespace, outermost first. */
    private void scan() {
        ours.clear();
        String[] all = new File(process + "/task").list();
        for (String each : all == null ? new String[0] : all) {
            int tid = Integer.parseInt(each);
            read(tid, "status").map(INNERMOST_TID::matcher).filter(Matcher::find)
                    .ifPresent(found -> ours.put(Integer.parseInt(found.group(1)), tid));
        }
        scanned = System.nanoTime();
    }

    private Optional<String> read(int tid, String file) {
        return read(process + "/task/" + tid + "/" + file);
    }

    /** Does not use Path and Files, which cost three times as much: there may be thousands of files. */
    private Optional<String> read(String file) {
        try (FileInputStream in = new FileInputStream(file)) {
            int size = in.read(buffer);
            return Optional.of(new String(buffer, 0, Math.max(0, size), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
