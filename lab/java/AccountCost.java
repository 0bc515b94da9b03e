// SPDX-License-Identifier: Apache-2.0

import dev.threadclock.CpuAccount;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * The CPU time that one reading of {@link CpuAccount} costs with 2,000 threads, if all sleep and if some have
 * run since the last reading. {@link ThreadTimes}, which reads the same clocks but no waiting times, is shown
 * beside it.
 *
 * <p>How to run, on a quiet machine: {@code java -cp dist/threadclock.jar lab/java/AccountCost.java} (from
 * JDK 24 on with {@code --enable-native-access=ALL-UNNAMED})
 */
public final class AccountCost {
    private static final int THREADS = 2_000;
    private static final int POOLS = 20;
    private static final int WARM_UP = 2_000;
    private static final int READINGS = 101;

    private static final ThreadTimes TIMES = new ThreadTimes();

    public static void main(String[] args) throws Exception {
        System.out.println("JDK " + System.getProperty("java.version"));
        Semaphore[] wake = new Semaphore[THREADS];
        CountDownLatch started = new CountDownLatch(THREADS);
        Semaphore ran = new Semaphore(0);
        for (int i = 0; i < THREADS; i++) {
            Semaphore own = wake[i] = new Semaphore(0);
            Thread thread = new Thread(() -> {
                for (started.countDown();;) {
                    own.acquireUninterruptibly();
                    ran.release();
                }
            }, "pool-" + (char) ('a' + i % POOLS) + "-thread-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        started.await();
        for (int i = 0; i < WARM_UP; i++) {
            CpuAccount.read(Duration.ZERO);
            TIMES.read();
        }
        for (int running : new int[]{0, 20, 200, THREADS}) {
            print("CpuAccount", () -> CpuAccount.read(Duration.ZERO), running, wake, ran);
            print("ThreadTimes", TIMES::read, running, wake, ran);
        }
    }

    private static void print(String name, Runnable read, int running, Semaphore[] wake, Semaphore ran)
            throws InterruptedException {
        long[] nanos = new long[READINGS];
        for (int i = 0; i < READINGS; i++) {
            for (int j = 0; j < running; j++) {
                wake[j].release();
            }
            ran.acquire(running);
            if (running > 0) {
                Thread.sleep(5); // until all threads sleep again
            }
            long before = ThreadClock.totalNowNanos();
            read.run();
            nanos[i] = ThreadClock.totalNowNanos() - before;
        }
        Arrays.sort(nanos);
        System.out.printf("%-11s %,d threads, of which %,5d have run: %6.0f us (median of %d; least %.0f)%n",
                name, THREADS, running, nanos[READINGS / 2] / 1e3, READINGS, nanos[0] / 1e3);
    }
}
