// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the kernel's files of each thread of a process, from outside of its file system: there, anything may
 * stand in their place. Not thread-safe.
 */
final class TaskFiles {
    private static final long RESCAN_NANOS = 100_000_000;

    private final String tasks;
    private final byte[] buffer = new byte[4096]; // the files are shorter
    /** From a TID in the process's own PID namespace to ours; null: they are the same. */
    private final Map<Integer, Integer> ours;
    private long scanned = System.nanoTime() - RESCAN_NANOS;

    /** namespaced: threads are named by their TIDs in the process's own PID namespace. */
    TaskFiles(int pid, boolean namespaced) {
        tasks = "/proc/" + pid + "/task/";
        ours = namespaced ? new HashMap<>() : null;
    }

    String text(int tid, String file) throws IOException {
        if (ours == null) {
            return read(tid, file);
        }
        Integer known = ours.get(tid);
        try {
            return read(known != null ? known : rescan(tid), file);
        } catch (FileNotFoundException e) {
            if (known == null) {
                throw e;
            }
            return read(rescan(tid), file);
        }
    }

    /** The line "NSpid: 4711 12" of a thread's status has its TID in each namespace, outermost first. */
    private int rescan(int tid) throws IOException {
        if (System.nanoTime() - scanned >= RESCAN_NANOS) {
            ours.clear();
            String[] all = new File(tasks).list();
            for (String each : all == null ? new String[0] : all) {
                try {
                    String ids = read(Integer.parseInt(each), "status")
                            .replaceFirst("(?s).*\\nNSpid:\\s*", "")
                            .replaceFirst("(?s)\\n.*", "");
                    ours.put(Integer.parseInt(ids.substring(ids.lastIndexOf('\t') + 1)),
                            Integer.parseInt(each));
                } catch (IOException | NumberFormatException e) {
                    // It has ended meanwhile.
                }
            }
            scanned = System.nanoTime();
        }
        Integer found = ours.get(tid);
        if (found == null) {
            throw new FileNotFoundException("thread " + tid);
        }
        return found;
    }

    /** Does not use Path and Files, which cost three times as much: there may be thousands of files. */
    private String read(int tid, String file) throws IOException {
        try (FileInputStream in = new FileInputStream(tasks + tid + "/" + file)) {
            int size = in.read(buffer);
            return new String(buffer, 0, Math.max(0, size), StandardCharsets.ISO_8859_1);
        }
    }

    /** Empty if the thread is gone or the kernel has no statistics. */
    Optional<RunQueue> runQueue(int tid) {
        try {
            return RunQueue.parse(text(tid, "schedstat"));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
