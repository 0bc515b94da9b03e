// SPDX-License-Identifier: Apache-2.0

/**
 * A program that does nothing for 0.3 s, in which an agent ends its own start; and a Java agent that does
 * nothing.
 */
public final class Empty {
    public static void main(String[] args) throws InterruptedException {
        Thread.sleep(300);
    }

    public static void premain(String options) {}
}
