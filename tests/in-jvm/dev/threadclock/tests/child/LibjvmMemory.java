// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * libjvm's read-only memory: its constants, and its table of imported functions. It is read through
 * /proc/self/mem, so that nothing of threadclock takes part.
 */
final class LibjvmMemory {
    private final List<String> mappings;
    private final List<LongBuffer> contents = new ArrayList<>();

    LibjvmMemory() throws Exception {
        mappings = Files.readAllLines(Paths.get("/proc/self/maps")).stream()
                .filter(line -> line.endsWith("/libjvm.so")).collect(Collectors.toList());
        try (RandomAccessFile memory = new RandomAccessFile("/proc/self/mem", "r")) {
            for (String mapping : mappings) {
                String[] fields = mapping.split("[- ]");
                if (fields[2].equals("r")) {
                    long from = Long.parseLong(fields[0], 16);
                    byte[] bytes = new byte[(int) (Long.parseLong(fields[1], 16) - from)];
                    memory.seek(from);
                    memory.readFully(bytes);
                    contents.add(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asLongBuffer());
                }
            }
        }
    }

    /** The other's words that differ from those here. */
    List<Long> changed(LibjvmMemory other) {
        List<Long> changed = new ArrayList<>();
        for (int i = 0; i < contents.size(); i++) {
            for (int at = 0; at < contents.get(i).limit(); at++) {
                if (contents.get(i).get(at) != other.contents.get(i).get(at)) {
                    changed.add(other.contents.get(i).get(at));
                }
            }
        }
        return changed;
    }

    /** The number of these words; -1 if the mappings or their protection differ. */
    int differences(LibjvmMemory other) {
        return mappings.equals(other.mappings) ? changed(other).size() : -1;
    }
}
