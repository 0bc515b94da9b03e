// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * HotSpot's performance counters, as stored in /tmp/hsperfdata_USER/PID: the string counters. The format is
 * version 2 of perfMemory.hpp: a prologue, then entries with a name and a value each.
 */
final class PerfData {
    private static final int MAGIC = 0xcafec0c0;
    private static final int BYTE_ORDER = 4;
    private static final int ACCESSIBLE = 7;
    private static final int ENTRY_OFFSET = 24;
    private static final int ENTRY_COUNT = 28;
    private static final int PROLOGUE_BYTES = 32;
    private static final int ENTRY_BYTES = 20;

    private final Map<String, String> texts = new HashMap<>();
    private boolean incomplete;
    /** Of a damaged file, entries may overlap: together they are not read for more than the file is long. */
    private int bytesLeft;

    private PerfData(int bytes) {
        bytesLeft = bytes;
    }

    /** Accepts any bytes: malformed or incomplete data yields no strings. */
    public static PerfData parse(byte[] bytes) {
        PerfData data = new PerfData(bytes.length);
        ByteBuffer file = ByteBuffer.wrap(bytes);
        if (bytes.length < PROLOGUE_BYTES || file.getInt(0) != MAGIC) {
            return data;
        }
        data.incomplete = bytes[ACCESSIBLE] == 0;
        if (data.incomplete) {
            return data;
        }
        file.order(bytes[BYTE_ORDER] == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        long at = file.getInt(ENTRY_OFFSET);
        for (int left = file.getInt(ENTRY_COUNT); left > 0 && at >= 0
                && at <= bytes.length - ENTRY_BYTES; left--) {
            int length = file.getInt((int) at);
            data.addText(file, (int) at);
            if (length < ENTRY_BYTES || data.bytesLeft <= 0) {
                break;
            }
            at += length;
        }
        return data;
    }

    private void addText(ByteBuffer file, int entry) {
        int elements = file.getInt(entry + 8);
        boolean bytesOfText = file.get(entry + 12) == 'B' && elements > 0;
        if (bytesOfText) {
            String name = text(file, (long) entry + file.getInt(entry + 4), Integer.MAX_VALUE);
            texts.putIfAbsent(name, text(file, (long) entry + file.getInt(entry + 16), elements));
        }
    }

    /** Up to a zero byte. */
    private String text(ByteBuffer file, long from, int longest) {
        if (from < 0 || from >= file.capacity()) {
            return "";
        }
        int begin = (int) from;
        int limit = (int) Math.min(file.capacity(), from + longest);
        int end = begin;
        while (end < limit && file.get(end) != 0) {
            end++;
        }
        bytesLeft -= end - begin;
        return new String(file.array(), begin, end - begin, StandardCharsets.UTF_8);
    }

    /** Its JVM is still being created (set_accessible, management.cpp and threads.cpp). */
    boolean isIncomplete() {
        return incomplete;
    }

    public Optional<String> text(String name) {
        return Optional.ofNullable(texts.get(name)).filter(text -> !text.isEmpty());
    }
}
