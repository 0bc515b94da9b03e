// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;

/** The terminal that is stdin: its keys as they are pressed, without an echo. Runs no program for that. */
public final class Keyboard {
    /** No more input will come. */
    public static final int CLOSED = -1;
    /** No key was pressed in the given time. */
    public static final int NONE = -2;

    private final byte[] before;
    private final CharsetDecoder decoder = Charset.defaultCharset().newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE).onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final ByteBuffer bytes = ByteBuffer.allocate(8);
    private final CharBuffer characters = CharBuffer.allocate(8).limit(0);

    /** Changes nothing yet. */
    public Keyboard() throws IOException {
        SelfJar.require(SelfJar.terminalProblem());
        before = settings();
        if (before == null) {
            throw new IOException("stdin is not a terminal");
        }
    }

    /** Reads keys one by one from here on. Ctrl-C and Ctrl-Z remain signals. */
    public void enterRawMode() {
        set(before, true);
    }

    /** Restores the terminal to its original settings. False: it could not be restored. */
    public boolean restore() {
        return set(before, false) == 0;
    }

    /** The next character, or {@link #CLOSED} or {@link #NONE}. */
    public int read(long millis) {
        while (!characters.hasRemaining()) {
            int next = nextByte(bytes.position() == 0 ? millis : 0);
            if (next < 0) {
                return next;
            }
            bytes.put((byte) next).flip();
            characters.clear();
            decoder.decode(bytes, characters, false);
            characters.flip();
            bytes.compact();
        }
        return characters.get();
    }

    private static native byte[] settings();

    private static native int set(byte[] settings, boolean raw);

    private static native int nextByte(long millis);
}
