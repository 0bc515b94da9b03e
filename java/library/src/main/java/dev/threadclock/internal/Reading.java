// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;

/**
 * Internal: the values of one reading in nanoseconds, -1 where unknown, and the memory to which native code
 * writes them. Belongs to one thread at a time.
 */
public final class Reading {
    public long userNanos = -1;
    public long systemNanos = -1;
    public long totalNanos = -1;

    /** The account of a virtual thread; 0 for others. Readings of different accounts have no difference. */
    public long account;

    /** False if the thread ran before its account began. */
    public boolean isWhole;

    /** Address to which native code writes user, system and total, or an interval; 0 without native code. */
    final long address;

    /** The beginning of an interval without native code. */
    long begunUserNanos;
    long begunTotalNanos;

    private final LongBuffer written;

    public Reading() {
        ByteBuffer memory = Clocks.memory();
        address = memory == null ? 0 : Native.addressOf(memory);
        written = memory == null ? null : memory.asLongBuffer();
    }

    public void set(long user, long system, long total) {
        userNanos = user;
        systemNanos = system;
        totalNanos = total;
        account = 0;
        isWhole = total >= 0;
    }

    public void set(Reading other) {
        set(other.userNanos, other.systemNanos, other.totalNanos);
        account = other.account;
        isWhole = other.isWhole;
    }

    /**
     * Becomes what was used since these times. The JVM's user time has steps of up to 10 ms: what exceeds the
     * total is left out.
     */
    boolean since(long user, long total) {
        if (user < 0 || total < 0 || userNanos < 0 || totalNanos < total) {
            set(-1, -1, -1);
            return false;
        }
        long used = totalNanos - total;
        long usedUser = Math.max(0, Math.min(userNanos - user, used));
        set(usedUser, used - usedUser, used);
        return true;
    }

    /** Copies what an interval has used from behind its beginning; unknown if error is not 0. */
    boolean ended(int error) {
        if (error != 0) {
            set(-1, -1, -1);
            return false;
        }
        long user = written.get(6);
        long system = written.get(7);
        set(user, system, user + system);
        return true;
    }

    /** As times; also copies the account of a virtual thread. */
    boolean virtualTimes(int error) {
        if (!times(error)) {
            return false;
        }
        account = written.get(3);
        isWhole = written.get(4) != 0;
        return true;
    }

    /** Copies user, system and total from the memory if error is 0; otherwise they become unknown. */
    boolean times(int error) {
        if (error != 0) {
            set(-1, -1, -1);
            return false;
        }
        set(written.get(0), written.get(1), written.get(2));
        return true;
    }
}
