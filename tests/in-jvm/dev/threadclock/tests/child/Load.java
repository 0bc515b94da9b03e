// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.util.concurrent.Semaphore;
import java.util.function.LongConsumer;

/**
 * A child program whose threads do what their names say. Arguments, any number of these: {@code burners}, one
 * in user mode and one in the kernel; {@code sleepers=N}; {@code starts=N}, at most so many new threads per
 * second; {@code passers=N}, so many pools that come and go; {@code requests}, virtual threads; {@code
 * risers}, of which one at a time works, now and then; {@code pools}, of which one works more than there are
 * CPUs, with threads that come and go, a virtual thread where there are any, and garbage. Runs until it is
 * killed, but no longer than ten minutes, or {@code minutes=N} if that comes first; prints lines {@code
 * running}.
 */
public final class Load {
    private static final long BEGIN_NANOS = System.nanoTime();
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int RISERS = 10;
    private static final long PAUSE_MILLIS = 500;
    private static final long RISE_NANOS = 30_000_000;
    private static final long PASSERS_NANOS = 300_000;
    private static long endNanos = BEGIN_NANOS + 600_000_000_000L;
    private static volatile Object garbage;

    public static void main(String[] args) throws Exception {
        for (String arg : args) {
            String[] kind = arg.split("=");
            start(kind[0], kind.length > 1 ? Integer.parseInt(kind[1]) : 0);
        }
        while (System.nanoTime() < endNanos) {
            System.out.println("running");
            Threads.pause(PAUSE_MILLIS);
        }
    }

    private static void start(String kind, int number) throws Exception {
        switch (kind) {
            case "minutes" :
                endNanos = BEGIN_NANOS + number * 60_000_000_000L;
                break;
            case "burners" :
                Threads.daemon("a user burner whose name is long", () -> Burn.until(endNanos));
                Threads.daemon("a system burner", Load::burnSystem);
                break;
            case "sleepers" :
                for (int i = 0; i < number; i++) {
                    Threads.daemon("sleeper-" + i, Load::sleep);
                }
                break;
            case "starts" :
                repeat("starter", 1_000 / number,
                        i -> Threads.daemon("not named yet", () -> nameAndWork("short-" + i)));
                break;
            case "passers" :
                repeat("driver", 2, i -> Threads.daemon("passer-" + letters(i % number) + "-" + i,
                        () -> Burn.until(System.nanoTime() + PASSERS_NANOS)));
                break;
            case "requests" :
                repeat("server", 2, i -> Threads.virtual("request-" + i % 3,
                        () -> Burn.until(System.nanoTime() + PASSERS_NANOS)));
                break;
            case "risers" :
                startRisers();
                break;
            case "pools" :
                startPools();
                break;
            default :
                throw new IllegalArgumentException(kind);
        }
    }

    /** Works with the numbers from 0 on, in a thread, with pauses. */
    private static void repeat(String name, long pauseMillis, LongConsumer work) {
        Threads.daemon(name, () -> {
            for (long i = 0;; i++) {
                work.accept(i);
                Threads.pause(pauseMillis);
            }
        });
    }

    private static void sleep() {
        Threads.pause(600_000);
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

    private static void nameAndWork(String name) {
        Thread.currentThread().setName(name);
        for (int i = 0; i < 30; i++) {
            Burn.slice();
        }
    }

    /** Unlike digits, they tell pools apart. */
    private static String letters(long number) {
        return "" + (char) ('a' + number / 20) + (char) ('a' + number % 20);
    }

    private static void startRisers() {
        Semaphore[] wake = new Semaphore[RISERS];
        Semaphore done = new Semaphore(0);
        for (int i = 0; i < RISERS; i++) {
            Semaphore own = wake[i] = new Semaphore(0);
            Threads.daemon("riser-" + i, () -> {
                while (true) {
                    own.acquireUninterruptibly();
                    Burn.cpuNanos(RISE_NANOS);
                    done.release();
                }
            });
        }
        repeat("waker", PAUSE_MILLIS, turn -> {
            wake[(int) (turn % RISERS)].release();
            done.acquireUninterruptibly();
        });
    }

    private static void startPools() throws Exception {
        for (int i = 0; i <= Runtime.getRuntime().availableProcessors(); i++) {
            Threads.daemon("busy-" + i, () -> Burn.until(endNanos));
        }
        for (int i = 0; i < 5; i++) {
            Threads.daemon("idle-" + i, Load::sleep);
        }
        Threads.daemon("strange \"\\\n\u00e4\ud800 name", Load::sleep);
        if (Double.parseDouble(System.getProperty("java.specification.version")) >= 21) {
            Threads.virtual("request-1", () -> {
                while (true) {
                    Burn.until(System.nanoTime() + 5_000_000);
                    Threads.pause(5);
                }
            });
        }
        repeat("starter", 0, i -> {
            Thread thread = new Thread(() -> {
                Burn.until(System.nanoTime() + 200_000);
                garbage = new byte[500_000];
            }, "short-" + i);
            thread.start();
            Threads.join(thread);
        });
    }
}
