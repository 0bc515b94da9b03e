// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.report;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The frame of a Flight Recorder file: chunks, each with a header and a sequence of events. Some of the
 * events are checkpoints (constants), each of which contains the distance to the previous one. The JDK's
 * reader follows sizes and links wherever they lead, even in circles, and waits forever for the metadata of a
 * JVM that was killed before it wrote them (JDK 17.0.15 and 25.0.3, jdk.jfr.internal.consumer:
 * ChunkHeader.refresh, ChunkParser.readEvent and fillConstantPools).
 */
final class JfrChunks {
    private static final int MAGIC = 'F' << 24 | 'L' << 16 | 'R' << 8;
    private static final long HEADER_BYTES = 68;
    private static final long CHECKPOINT = 1;

    private final DataInputStream in;
    private final long fileBytes;
    private long position;

    private JfrChunks(DataInputStream in, long fileBytes) {
        this.in = in;
        this.fileBytes = fileBytes;
    }

    /**
     * Throws if the JDK's reader would not return from the file. The reader itself reports all other faults.
     */
    static void check(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            JfrChunks chunks = new JfrChunks(in, Files.size(file));
            while (chunks.position < chunks.fileBytes && chunks.readInt() == MAGIC) {
                chunks.checkChunk();
            }
        } catch (EOFException e) {
            // The file was cut off within a header.
        }
    }

    /** Checks a chunk, whose magic number has been read. */
    private void checkChunk() throws IOException {
        long start = position - Integer.BYTES;
        readInt(); // version
        long bytes = readLong();
        long lastCheckpoint = readLong();
        long metadata = readLong();
        skip(start + HEADER_BYTES - position);
        if (bytes < HEADER_BYTES || metadata == 0) {
            throw new IOException(
                    "the chunk at byte " + start + " has " + bytes + " bytes and its metadata at "
                            + metadata);
        }
        Map<Long, Long> links = new HashMap<>();
        long end = start + bytes;
        try {
            while (position < end) {
                readEvent(start, links);
            }
        } catch (EOFException e) {
            position = end = fileBytes;
        }
        if (position != end) {
            throw new IOException("the last event of the chunk at byte " + start + " does not end with it");
        }
        checkLinks(start, lastCheckpoint, links);
    }

    private void readEvent(long chunk, Map<Long, Long> links) throws IOException {
        long start = position;
        long bytes = readVarint();
        if (readVarint() == CHECKPOINT) {
            readVarint(); // start time
            readVarint(); // duration
            links.put(start - chunk, readVarint());
        }
        if (bytes < position - start || bytes > Integer.MAX_VALUE) {
            throw new IOException("the event at byte " + start + " has " + bytes + " bytes");
        }
        skip(start + bytes - position);
    }

    /** A link beyond the end of the file is harmless, because the reader finds nothing there. */
    private void checkLinks(long chunk, long lastCheckpoint, Map<Long, Long> links) throws IOException {
        long checkpoint = lastCheckpoint;
        while (checkpoint != 0 && chunk + checkpoint < fileBytes) {
            Long link = links.remove(checkpoint);
            if (link == null) {
                throw new IOException("a link leads to byte " + (chunk + checkpoint)
                        + ", where no other checkpoint begins");
            }
            if (link == 0) {
                return;
            }
            checkpoint += link;
        }
    }

    private int readInt() throws IOException {
        position += Integer.BYTES;
        return in.readInt();
    }

    private long readLong() throws IOException {
        position += Long.BYTES;
        return in.readLong();
    }

    /** Seven bits per byte, the lowest first. A ninth byte has eight bits. */
    private long readVarint() throws IOException {
        long value = 0;
        for (int shift = 0;; shift += 7) {
            long next = in.readUnsignedByte();
            position++;
            if (shift == 56 || next < 0x80) {
                return value | next << shift;
            }
            value |= (next & 0x7f) << shift;
        }
    }

    private void skip(long bytes) throws IOException {
        in.skipNBytes(bytes);
        position += bytes;
    }
}
