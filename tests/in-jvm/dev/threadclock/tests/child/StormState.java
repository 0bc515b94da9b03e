// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A page of memory that a test and its child JVM share. It contains what the test is doing to the child, and
 * the child's progress.
 */
public final class StormState {
    private static final int USER_ERA = 0;
    private static final int TOTAL_ERA = 8;
    private static final int ATTACHED = 16;
    private static final int ENDING = 24;
    private static final int READS = 32;
    private static final int BYTES = 4096;

    public final Era user = new Era(USER_ERA);
    public final Era total = new Era(TOTAL_ERA);
    private final MappedByteBuffer page;

    /** A period in which values may not decrease. */
    public final class Era {
        private final int place;

        private Era(int place) {
            this.place = place;
        }

        /** Odd while the test changes something that may end the era. */
        public long number() {
            return page.getLong(place);
        }

        public boolean mayDecrease() {
            return number() % 2 != 0;
        }

        /** While this is true there is no era; afterwards a new one begins. */
        public void mayDecrease(boolean may) {
            if (may != mayDecrease()) {
                page.putLong(place, number() + 1);
            }
        }
    }

    /** Maps the file; creates it if needed. */
    public StormState(String file) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
            page = open.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
        }
        page.order(ByteOrder.nativeOrder());
    }

    /** Odd if the agent answers. The number differs for each attach. */
    public long attached() {
        return page.getLong(ATTACHED);
    }

    public void nextAttached() {
        page.putLong(ATTACHED, attached() + 1);
    }

    public boolean ending() {
        return page.getLong(ENDING) != 0;
    }

    public void end() {
        page.putLong(ENDING, 1);
    }

    /** The number of the child's answers so far; 0 until it is running. */
    public long reads() {
        return page.getLong(READS);
    }

    public void reads(long reads) {
        page.putLong(READS, reads);
    }
}
