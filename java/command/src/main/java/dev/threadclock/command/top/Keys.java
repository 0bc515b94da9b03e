// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.terminal.Keyboard;
import java.util.function.LongToIntFunction;

/**
 * Keys as a terminal sends them, each as a number: its character, or one of these for a key without one or
 * for an escape sequence.
 */
final class Keys {
    /** No key was pressed in the given time. */
    static final int NONE = Keyboard.NONE;
    /** No more input will come. */
    static final int CLOSED = Keyboard.CLOSED;
    static final int ENTER = '\n';
    static final int ERASE = '\b';
    static final int ESCAPE = 27;
    static final int UP = -3;
    static final int DOWN = -4;
    static final int PAGE_UP = -5;
    static final int PAGE_DOWN = -6;
    static final int HOME = -7;
    static final int END = -8;
    /** Any other key. */
    static final int OTHER = -9;

    private static final long SEQUENCE_MILLIS = 50;

    private final LongToIntFunction in;

    /** in: the next character within these milliseconds, as {@link Keyboard#read}. */
    Keys(LongToIntFunction in) {
        this.in = in;
    }

    /** Waits at most this long for a key. */
    int read(long millis) {
        int first = in.applyAsInt(millis);
        return switch (first) {
            case ESCAPE -> sequence();
            case '\r', ENTER -> ENTER;
            case 127, ERASE -> ERASE;
            default -> first >= 0 && first < ' ' ? OTHER : first;
        };
    }

    /** The rest of a sequence after ESC: "[A", "OA", "[5~", or nothing. */
    private int sequence() {
        int next = in.applyAsInt(SEQUENCE_MILLIS);
        if (next != '[' && next != 'O') {
            return next < 0 ? ESCAPE : OTHER;
        }
        int number = 0;
        for (int end = in.applyAsInt(SEQUENCE_MILLIS); end >= 0; end = in.applyAsInt(SEQUENCE_MILLIS)) {
            if (end >= '@' && end <= '~') {
                return end == '~' ? numbered(number) : lettered((char) end);
            }
            number = end >= '0' && end <= '9' ? 10 * number + end - '0' : number;
        }
        return OTHER;
    }

    private static int lettered(char letter) {
        return switch (letter) {
            case 'A' -> UP;
            case 'B' -> DOWN;
            case 'H' -> HOME;
            case 'F' -> END;
            default -> OTHER;
        };
    }

    private static int numbered(int number) {
        return switch (number) {
            case 1, 7 -> HOME;
            case 4, 8 -> END;
            case 5 -> PAGE_UP;
            case 6 -> PAGE_DOWN;
            default -> OTHER;
        };
    }
}
