// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program for metrics: two pools, of which one works more than there are CPUs, threads that come and
 * go, virtual threads where there are any, and garbage. Runs until it is killed, but no longer than five
 * minutes. Prints lines {@code nanos=0}.
 */
public final class MetricsLoad {
    private static final long END_NANOS = System.nanoTime() + 300_000_000_000L;
    private static volatile Object garbage;

    public static void main(String[] args) throws Exception {
        for (int i = 0; i <= Runtime.getRuntime().availableProcessors(); i++) {
            Threads.daemon("busy-" + i, () -> Burn.until(END_NANOS));
        }
        for (int i = 0; i < 5; i++) {
            Threads.daemon("idle-" + i, MetricsLoad::sleep);
        }
        Threads.daemon("strange \"\\\n\u00e4\ud800 name", MetricsLoad::sleep);
        if (hasVirtualThreads()) {
            Threads.virtual("request-1", MetricsLoad::workAndPause);
        }
        for (int i = 0; System.nanoTime() < END_NANOS; i++) {
            Thread thread = new Thread(() -> {
                Burn.until(System.nanoTime() + 200_000);
                garbage = new byte[500_000];
            }, "short-" + i);
            thread.start();
            thread.join();
            if (i % 50 == 0) {
                System.out.println("nanos=0");
            }
        }
    }

    private static boolean hasVirtualThreads() {
        String version = System.getProperty("java.specification.version");
        return !version.startsWith("1.") && Integer.parseInt(version) >= 21;
    }

    private static void workAndPause() {
        while (System.nanoTime() < END_NANOS) {
            Burn.until(System.nanoTime() + 5_000_000);
            Threads.pause(5);
        }
    }

    private static void sleep() {
        Threads.pause(300_000);
    }
}
