// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.terminal.Keyboard;
import java.util.function.LongToIntFunction;

/** Keys as a terminal sends them: a character, or an escape sequence. */
final class Keys {
    private static final char ESCAPE = 27;
    private static final long SEQUENCE_MILLIS = 50;

    private final LongToIntFunction in;

    /** in: the next character within these milliseconds, as {@link Keyboard#read}. */
    Keys(LongToIntFunction in) {
        this.in = in;
    }

    enum Key {
        /** No key was pressed in the given time. */
        NONE,
        CHARACTER,
        ENTER,
        ERASE,
        ESCAPE,
        UP,
        DOWN,
        PAGE_UP,
        PAGE_DOWN,
        HOME,
        END,
        /** Any other key. */
        OTHER,
        /** No more input will come. */
        CLOSED
    }

    /** @param character for {@link Key#CHARACTER} */
    record Press(Key key, char character) {
        private Press(Key key) {
            this(key, '\0');
        }
    }

    /** Waits at most this long for a key. */
    Press read(long millis) {
        int first = in.applyAsInt(millis);
        return switch (first) {
            case Keyboard.NONE -> new Press(Key.NONE);
            case Keyboard.CLOSED -> new Press(Key.CLOSED);
            case ESCAPE -> new Press(sequence());
            case '\r', '\n' -> new Press(Key.ENTER);
            case '\b', 127 -> new Press(Key.ERASE);
            default -> first < ' ' ? new Press(Key.OTHER) : new Press(Key.CHARACTER, (char) first);
        };
    }

    /** The rest of a sequence after ESC: "[A", "OA", "[5~", or nothing. */
    private Key sequence() {
        int next = in.applyAsInt(SEQUENCE_MILLIS);
        if (next != '[' && next != 'O') {
            return next < 0 ? Key.ESCAPE : Key.OTHER;
        }
        int number = 0;
        for (int end = in.applyAsInt(SEQUENCE_MILLIS); end >= 0; end = in.applyAsInt(SEQUENCE_MILLIS)) {
            if (end >= '@' && end <= '~') {
                return end == '~' ? numbered(number) : lettered((char) end);
            }
            number = end >= '0' && end <= '9' ? 10 * number + end - '0' : number;
        }
        return Key.OTHER;
    }

    private static Key lettered(char letter) {
        return switch (letter) {
            case 'A' -> Key.UP;
            case 'B' -> Key.DOWN;
            case 'H' -> Key.HOME;
            case 'F' -> Key.END;
            default -> Key.OTHER;
        };
    }

    private static Key numbered(int number) {
        return switch (number) {
            case 1, 7 -> Key.HOME;
            case 4, 8 -> Key.END;
            case 5 -> Key.PAGE_UP;
            case 6 -> Key.PAGE_DOWN;
            default -> Key.OTHER;
        };
    }
}
