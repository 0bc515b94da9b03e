// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The auxiliary vector: what the kernel tells a process at its start (getauxval(3)). */
record Auxv(Map<Long, Long> values) {
    /** include/uapi/linux/auxvec.h. */
    private static final long AT_RSEQ_FEATURE_SIZE = 27;
    private static final long AT_SYSINFO_EHDR = 33;

    static Optional<Auxv> own() {
        try {
            return Optional.of(parse(Files.readAllBytes(Path.of("/proc/self/auxv"))));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Parses the vector of a 64-bit process on this machine. */
    static Auxv parse(byte[] bytes) {
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        Map<Long, Long> values = new HashMap<>();
        while (words.remaining() >= 2 * Long.BYTES) {
            long type = words.getLong();
            values.put(type, words.getLong());
        }
        return new Auxv(values);
    }

    boolean hasVdso() {
        return values.getOrDefault(AT_SYSINFO_EHDR, 0L) != 0;
    }

    /** The size of the kernel's struct rseq in bytes; 0 before Linux 6.3, which does not report it. */
    long rseqBytes() {
        return values.getOrDefault(AT_RSEQ_FEATURE_SIZE, 0L);
    }
}
