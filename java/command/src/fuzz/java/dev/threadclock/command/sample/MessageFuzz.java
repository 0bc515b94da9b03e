// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import java.io.IOException;

/** Arbitrary bytes instead of a message of the sampler are parsed as a message, or refused. */
public final class MessageFuzz {
    private MessageFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            Message message = Message.parse(input);
            if (message.rows.stream()
                    .anyMatch(thread -> thread.name().indexOf('\n') >= 0 || thread.name().indexOf(27) >= 0)) {
                throw new AssertionError("a name that is not one line of text");
            }
        } catch (IOException e) {
            // refused
        }
    }
}
