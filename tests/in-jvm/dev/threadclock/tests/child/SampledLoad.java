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

    public static void main(String[] args) throws Exception {
        Threads.daemon("a user burner whose name is long", SampledLoad::burnUser);
        Threads.daemon("a system burner", SampledLoad::burnSystem);
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            Threads.daemon("sleeper-" + i, SampledLoad::sleep);
        }
        int perRound = Integer.parseInt(args[1]) * ROUND_MILLIS / 1000;
        long began = System.nanoTime();
        for (long number = 0; System.nanoTime() - began < LONGEST_NANOS; number += perRound) {
            for (int i = 0; i < perRound; i++) {
                Threads.daemon("not named yet", named("short-" + (number + i)));
            }
            System.out.println("nanos=0");
            Thread.sleep(ROUND_MILLIS);
        }
    }

    private static Runnable named(String name) {
        return () -> {
            Thread.currentThread().setName(name);
            for (int i = 0; i < 10; i++) {
                Burn.slice();
            }
        };
    }

    private static void burnUser() {
        while (true) {
            Burn.slice();
        }
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
