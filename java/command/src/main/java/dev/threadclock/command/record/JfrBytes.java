// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Encodes numbers and strings as in Flight Recorder's files (see jdk.jfr.internal.consumer.RecordingInput).
 */
final class JfrBytes {
    private static final int NULL = 0;
    private static final int UTF_8 = 3;
    /** Each of the first eight bytes of a number holds seven bits; the ninth holds the last eight bits. */
    private static final int LAST = 8;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    JfrBytes number(long number) {
        long left = number;
        for (int i = 0; i < LAST; i++) {
            if ((left & ~0x7fL) == 0) {
                bytes.write((int) left);
                return this;
            }
            bytes.write((int) (left & 0x7f | 0x80));
            left >>>= 7;
        }
        bytes.write((int) left);
        return this;
    }

    /** text: may be null. */
    JfrBytes text(String text) {
        if (text == null) {
            bytes.write(NULL);
            return this;
        }
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        bytes.write(UTF_8);
        number(encoded.length);
        bytes.writeBytes(encoded);
        return this;
    }

    JfrBytes raw(byte[] more) {
        bytes.writeBytes(more);
        return this;
    }

    int size() {
        return bytes.size();
    }

    byte[] toArray() {
        return bytes.toByteArray();
    }

    /** The bytes, preceded by the size of the whole, which includes the size field itself. */
    byte[] sized() {
        int size = bytes.size() + 1;
        while (new JfrBytes().number(size).size() + bytes.size() != size) {
            size++;
        }
        return new JfrBytes().number(size).raw(toArray()).toArray();
    }
}
