// SPDX-License-Identifier: Apache-2.0
import dev.threadclock.ThreadTimes;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/**
 * The cost of a pass over all threads of a JVM. Arguments: "bean" or "threadclock", the sampler; passes per
 * second; idle threads; seconds. Beside the idle threads four work and rest by turns. Prints the nanoseconds
 * of CPU time of one pass.
 */
public final class Observed {
    private static final int WORKERS = 4;
    private static final int WARM_UP_PASSES = 300;
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static volatile long sink;

    private Observed() {}

    public static void main(String[] args) {
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            daemon("idle " + i, () -> {
                while (true) {
                    LockSupport.park();
                }
            });
        }
        for (int i = 0; i < WORKERS; i++) {
            daemon("worker " + i, Observed::work);
        }
        Runnable pass = args[0].equals("bean") ? Observed::passOfBean : passOfThreadclock(new ThreadTimes());
        for (int i = 0; i < WARM_UP_PASSES; i++) {
            pass.run(); // compiles it: at 10 Hz the passes alone would not
        }
        long period = 1_000_000_000 / Long.parseLong(args[1]);
        long passes = Long.parseLong(args[1]) * Long.parseLong(args[3]);
        long nanos = 0;
        for (long i = 0; i < passes; i++) {
            LockSupport.parkNanos(period);
            long before = BEAN.getCurrentThreadCpuTime();
            pass.run();
            nanos += BEAN.getCurrentThreadCpuTime() - before;
        }
        System.out.println(nanos / passes);
    }

    /** Reads as profilers and monitoring agents do. */
    private static void passOfBean() {
        long sum = 0;
        for (long id : BEAN.getAllThreadIds()) {
            sum += BEAN.getThreadUserTime(id) + BEAN.getThreadCpuTime(id);
        }
        sink += sum;
    }

    private static Runnable passOfThreadclock(ThreadTimes times) {
        return () -> {
            long sum = 0;
            int count = times.read();
            for (int i = 0; i < count; i++) {
                sum += times.userNanos(i) + times.totalNanos(i);
            }
            sink += sum;
        };
    }

    private static void work() {
        while (true) {
            long until = System.nanoTime() + 200_000;
            while (System.nanoTime() < until) {
                sink++;
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, 256 << 10);
        thread.setDaemon(true);
        thread.start();
    }
}
