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
 *
 * <p>An era is a period in which values may not decrease. Its number is odd while the test changes something
 * that may end it.
 */
public final class StormState {
    private static final int USER_ERA = 0;
    private static final int TOTAL_ERA = 8;
    private static final int ATTACHED = 16;
    private static final int ENDING = 24;
    private static final int READS = 32;
    private static final int BYTES = 4096;

    private final MappedByteBuffer page;

    /** Maps the file; creates it if needed. */
    public StormState(String file) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
            page = open.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
        }
        page.order(ByteOrder.nativeOrder());
    }

    public long userEra() {
        return page.getLong(USER_ERA);
    }

    public boolean userMayDecrease() {
        return userEra() % 2 != 0;
    }

    /** While this is true there is no era; afterwards a new one begins. */
    public void userMayDecrease(boolean may) {
        if (may != userMayDecrease()) {
            page.putLong(USER_ERA, userEra() + 1);
        }
    }

    public long totalEra() {
        return page.getLong(TOTAL_ERA);
    }

    public boolean totalMayDecrease() {
        return totalEra() % 2 != 0;
    }

    /** While this is true there is no era; afterwards a new one begins. */
    public void totalMayDecrease(boolean may) {
        if (may != totalMayDecrease()) {
            page.putLong(TOTAL_ERA, totalEra() + 1);
        }
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
