// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Two threads that work in user mode only: around timer ticks, and between them. Run: java TickUser.java */
public class TickUser {
    static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static final int SECONDS = 8;

    static long nextChange() { // the user time of a busy thread changes when the timer ticks
        long user = BEAN.getCurrentThreadUserTime();
        while (BEAN.getCurrentThreadUserTime() == user) { }
        return System.nanoTime();
    }

    /** Works from (tick + from) to (tick + to), both in ticks. */
    static void work(long tick, long length, double from, double to) {
        for (long end = System.nanoTime() + SECONDS * 1_000_000_000L; System.nanoTime() < end; ) {
            tick += (System.nanoTime() - tick) / length * length + 2 * length;
            for (long left; (left = tick + (long) (from * length) - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(left);
            }
            while (System.nanoTime() < tick + to * length) { }
        }
        System.out.printf("%s: ThreadMXBean: user %,d ms, CPU %,d ms%n", Thread.currentThread().getName(),
                BEAN.getCurrentThreadUserTime() / 1_000_000, BEAN.getCurrentThreadCpuTime() / 1_000_000);
    }

    public static void main(String[] args) throws Exception {
        long first = nextChange();
        long length = 1_000_000_000L / Integer.getInteger("HZ", 250); // CONFIG_HZ of the kernel
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ThreadCPULoad").withPeriod(Duration.ofSeconds(1));
            recording.start();
            Thread around = new Thread(() -> work(first, length, -0.1, 0.03), "around ticks");
            Thread between = new Thread(() -> work(first, length, 0.1, 0.55), "between ticks");
            around.start();
            around.join();
            between.start();
            between.join();
            Path file = Files.createTempFile("ticks", ".jfr");
            recording.dump(file);
            for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
                if (event.getThread() != null && event.getThread().getJavaName().endsWith("ticks")) {
                    System.out.printf("%s: jdk.ThreadCPULoad: user %5.2f %%, system %5.2f %%%n",
                            event.getThread().getJavaName(),
                            100 * event.getFloat("user"), 100 * event.getFloat("system"));
                }
            }
            Files.delete(file);
        }
    }
}
