// SPDX-License-Identifier: Apache-2.0
import java.io.FileInputStream;

/**
 * 2,000 threads, few of which work, for a comparison of tools (pidstat, top, jcmd). Run it with {@code java
 * lab/java/ManyThreads.java}; it runs until it is stopped.
 *
 * <p>"order-import" computes, "audit-writer" works in the kernel, "cache-refresh" works half of the time, and
 * each "mail-N" lives for a few milliseconds. The others wait.
 */
final class ManyThreads {
    private static volatile long sink;

    private interface Work {
        void run() throws Exception;
    }

    private static void start(String name, Work work) {
        new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name).start();
    }

    private static void spin(long nanos) {
        for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0;) {
            sink++;
        }
    }

    public static void main(String[] args) {
        for (int i = 1; i <= 1_996; i++) {
            start("http-nio-8080-exec-" + i, () -> Thread.sleep(Long.MAX_VALUE));
        }
        start("order-import", () -> spin(Long.MAX_VALUE));
        start("audit-writer", () -> {
            byte[] buffer = new byte[1 << 20];
            try (FileInputStream in = new FileInputStream("/dev/zero")) {
                while (in.read(buffer) > 0) {
                    sink++;
                }
            }
        });
        start("cache-refresh", () -> {
            while (true) {
                spin(10_000_000);
                Thread.sleep(10);
            }
        });
        start("mailer", () -> {
            for (long mail = 1; mail > 0; mail++) {
                start("mail-" + mail, () -> spin(3_000_000));
                Thread.sleep(10);
            }
        });
    }
}
