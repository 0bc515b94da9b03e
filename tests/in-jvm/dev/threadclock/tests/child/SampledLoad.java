// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;

/**
 * A child program whose threads are sampled. Each does what its name says. Runs until it is killed, but no
 * longer than five minutes; prints lines nanos=0. Arguments: the number of sleepers, and of new threads per
 * second.
 */
public final class SampledLoad {
    private static final long LONGEST_NANOS = 300_000_000_000L;
    private static final int ROUND_MILLIS = 10;
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int SHORT_WORK = 20_000;

    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        start("a user burner whose name is long", SampledLoad::burnUser);
        start("a system burner", SampledLoad::burnSystem);
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            start("sleeper-" + i, SampledLoad::sleep);
        }
        int perRound = Integer.parseInt(args[1]) * ROUND_MILLIS / 1000;
        long began = System.nanoTime();
        for (long number = 0; System.nanoTime() - began < LONGEST_NANOS; number += perRound) {
            for (int i = 0; i < perRound; i++) {
                start("not named yet", named("short-" + (number + i)));
            }
            System.out.println("nanos=0");
            Thread.sleep(ROUND_MILLIS);
        }
    }

    /** Starts a daemon thread. */
    static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static Runnable named(String name) {
        return () -> {
            Thread.currentThread().setName(name);
            sink = burn(SHORT_WORK);
        };
    }

    private static void burnUser() {
        while (true) {
            sink = burn(1_000_000);
        }
    }

    private static long burn(int steps) {
        long x = sink;
        for (int i = 0; i < steps; i++) {
            x = x * 31 + i;
        }
        return x;
    }

    /** Works in the kernel without copying to the heap, which would be user time. */
    private static void burnSystem() {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        try (FileChannel zero = FileChannel.open(Paths.get("/dev/zero"))) {
            while (zero.read(block) > 0) {
                block.clear();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void sleep() {
        Threads.pause(LONGEST_NANOS / 1_000_000);
    }
}
