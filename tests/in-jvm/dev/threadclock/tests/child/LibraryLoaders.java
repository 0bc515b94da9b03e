// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A child program: the library in several class loaders at once, one for each argument {@code PACKAGE=JAR}.
 * Reads the calling thread with each copy in turn and checks that its times never decrease. Prints the number
 * of native copies as {@code native=N}, {@code user=NANOS other=NANOS}, and for each copy that is not native
 * the reason on a separate line.
 */
public final class LibraryLoaders {
    public static void main(String[] args) throws Exception {
        List<Class<?>> clocks = new ArrayList<>();
        int natives = 0;
        for (String arg : args) {
            String name = arg.substring(0, arg.indexOf('='));
            URL jar = Paths.get(arg.substring(arg.indexOf('=') + 1)).toUri().toURL();
            // All other classes than the platform's are its own.
            ClassLoader alone = new URLClassLoader(new URL[]{jar},
                    ClassLoader.getSystemClassLoader().getParent());
            Class<?> clock = Class.forName(name + ".ThreadClock", true, alone);
            clocks.add(clock);
            if ((boolean) clock.getMethod("isNative").invoke(null)) {
                natives++;
            } else {
                try {
                    clock.getMethod("requireNative").invoke(null);
                } catch (InvocationTargetException e) {
                    System.out.println("reason: " + e.getCause().getMessage());
                }
            }
        }
        long user = readInTurn(clocks);
        System.out.println("native=" + natives + " user=" + user + " other=" + readOther(clocks));
    }

    private static long readInTurn(List<Class<?>> clocks) throws Exception {
        long user = 0;
        for (long begin = System.nanoTime(); goesOn(begin, 500_000_000, user);) {
            for (Class<?> clock : clocks) {
                long now = (long) clock.getMethod("userNanos").invoke(null);
                if (now < user) {
                    throw new AssertionError("user time fell from " + user + " to " + now);
                }
                user = now;
                Burn.slice();
            }
        }
        return user;
    }

    /**
     * Reads go on for a while, and on a busy machine until a timer tick has found the thread in user mode.
     */
    private static boolean goesOn(long begin, long nanos, long user) {
        long passed = System.nanoTime() - begin;
        return passed < nanos || user == 0 && passed < 30_000_000_000L;
    }

    /** Another thread's user time, read with each copy in turn. */
    private static long readOther(List<Class<?>> clocks) throws Exception {
        CountDownLatch runs = new CountDownLatch(1); // read before, it has another account (docs/accuracy.md)
        Thread other = Threads.daemon("other", () -> {
            runs.countDown();
            while (!Thread.currentThread().isInterrupted()) {
                Burn.slice();
            }
        });
        runs.await();
        long user = 0;
        for (long begin = System.nanoTime(); goesOn(begin, 100_000_000, user);) {
            for (Class<?> clock : clocks) {
                String name = clock.getName().replace("ThreadClock", "CpuTimes");
                Class<?> type = Class.forName(name, true, clock.getClassLoader());
                Object times = type.getConstructor().newInstance();
                Method read = clock.getMethod("read", Thread.class, type);
                if (!(boolean) read.invoke(null, other, times)) {
                    throw new AssertionError("another thread is not read");
                }
                long now = (long) type.getMethod("userNanos").invoke(times);
                if (now < user) {
                    throw new AssertionError("the other's user time fell from " + user + " to " + now);
                }
                user = now;
            }
            Thread.sleep(1);
        }
        other.interrupt();
        other.join();
        return user;
    }
}
