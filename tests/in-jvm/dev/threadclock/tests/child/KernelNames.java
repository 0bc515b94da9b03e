// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * A child program with a thread for each argument, which is the thread's name in the kernel: any bytes, in
 * hexadecimal. Runs until it is killed, but no longer than five minutes; prints lines {@code running}.
 */
public final class KernelNames {
    private static final int LINES = 600;
    private static final long PAUSE_MILLIS = 500;

    public static void main(String[] args) {
        CountDownLatch unnamed = new CountDownLatch(args.length);
        for (String arg : args) {
            Threads.daemon("not named yet", () -> {
                setName(new BigInteger(arg, 16).toByteArray());
                unnamed.countDown();
                Threads.pause(LINES * PAUSE_MILLIS);
            });
        }
        Threads.await(unnamed);
        for (int i = 0; i < LINES; i++) {
            System.out.println("running");
            Threads.pause(PAUSE_MILLIS);
        }
    }

    /** A zero byte before the name, which keeps a number positive, is none of the name's. */
    private static void setName(byte[] bytes) {
        int sign = bytes[0] == 0 ? 1 : 0;
        try {
            Files.write(Paths.get("/proc/thread-self/comm"),
                    Arrays.copyOfRange(bytes, sign, bytes.length));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
