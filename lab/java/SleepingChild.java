// SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;

/**
 * A child of SamplerCost.java: 1,000 sleeping threads. With the argument "bean", one more thread reads their
 * times ten times a second.
 */
public final class SleepingChild {
    private static final int THREADS = 1_000;
    private static final long PERIOD_MILLIS = 100;
    private static final long FOREVER_MILLIS = 600_000;

    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(SleepingChild::sleep, "sleeper-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        if (!args[0].equals("bean")) {
            Thread.sleep(FOREVER_MILLIS);
        }
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory
                .getThreadMXBean();
        for (long passes = FOREVER_MILLIS / PERIOD_MILLIS; passes > 0; passes--) {
            long[] ids = threads.getAllThreadIds();
            sink += threads.getThreadCpuTime(ids)[0] + threads.getThreadUserTime(ids)[0];
            Thread.sleep(PERIOD_MILLIS);
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(FOREVER_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
