// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** Reads the kernel's files of each thread of a process, in the process's folder "task". Not thread-safe. */
final class TaskFiles {
    private final String tasks;
    private final byte[] buffer = new byte[4096]; // the files are shorter

    TaskFiles(Path tasks) {
        this.tasks = tasks + "/";
    }

    /** Does not use Path and Files, which cost three times as much: there may be thousands of files. */
    String text(int tid, String file) throws IOException {
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
