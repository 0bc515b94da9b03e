// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;

/**
 * A program that says when it has started, and ends when its stdin does; and a Java agent that does nothing.
 */
public final class Empty {
    public static void main(String[] args) throws IOException {
        System.out.write(0);
        System.out.flush();
        System.in.read();
    }

    public static void premain(String options) {}
}
