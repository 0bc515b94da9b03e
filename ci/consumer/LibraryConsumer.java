// SPDX-License-Identifier: Apache-2.0
import dev.threadclock.ThreadClock;

/** A user's Java program that uses only the library: reads its own user time, as README.md shows. Java 8. */
public final class LibraryConsumer {
    private static volatile long sink;

    public static void main(String[] arguments) {
        long before = ThreadClock.userNanos();
        work();
        long userNanos = ThreadClock.userNanos() - before;
        if (before < 0 || userNanos <= 0) {
            throw new AssertionError("user time " + before + " ns, and " + userNanos + " ns later");
        }
        System.out.println(userNanos + " ns");
    }

    private static void work() {
        long until = System.nanoTime() + 200_000_000L;
        while (System.nanoTime() < until) {
            sink++;
        }
    }
}
