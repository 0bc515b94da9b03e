// SPDX-License-Identifier: Apache-2.0
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a thread's user time has to be, whoever reads it: not above its CPU time, and never less than before.
 * Run: java UserTimeTest.java [SECONDS]; exit 1 if a read broke a rule.
 *
 * <p>Six threads work in turn in user mode, in the kernel, and in bursts that hit some timer ticks and miss
 * others. Each reads itself; two more read all of them by id. All readers of a thread share the highest user
 * time that any of them has seen, which is known before a read begins and so is a lower bound of it.
 */
public class UserTimeTest {
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static final int WORKERS = 6;
    private static final AtomicBoolean ended = new AtomicBoolean();
    private static final AtomicLong reads = new AtomicLong();
    private static final AtomicLong aboveCpu = new AtomicLong();
    private static final AtomicLong decreased = new AtomicLong();
    private static final AtomicLong worst = new AtomicLong();

    private static final class Worker extends Thread {
        final AtomicLong seen = new AtomicLong();
        private final int number;

        Worker(int number) {
            super("worker " + number);
            this.number = number;
        }

        @Override
        public void run() {
            try (FileInputStream zeros = new FileInputStream("/dev/zero")) {
                byte[] buffer = new byte[1 << 16];
                for (int round = number; !ended.get(); round++) {
                    long until = System.nanoTime() + 20_000_000 * (1 + round % 3);
                    while (System.nanoTime() < until) {
                        work(round % 3, zeros, buffer);
                        check(this, true);
                    }
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void work(int kind, FileInputStream zeros, byte[] buffer)
                throws IOException, InterruptedException {
            if (kind == 0) {
                for (long until = System.nanoTime() + 300_000; System.nanoTime() < until; ) { }
            } else if (kind == 1) {
                zeros.read(buffer);
            } else {
                Thread.sleep(0, 700_000);
                for (long until = System.nanoTime() + 200_000; System.nanoTime() < until; ) { }
            }
        }
    }

    @SuppressWarnings("deprecation") // getId(): JDK 17 has no threadId()
    private static void check(Worker worker, boolean itself) {
        long before = worker.seen.get();
        long user = itself ? BEAN.getCurrentThreadUserTime() : BEAN.getThreadUserTime(worker.getId());
        long cpu = itself ? BEAN.getCurrentThreadCpuTime() : BEAN.getThreadCpuTime(worker.getId());
        if (user < 0 || cpu < 0) {
            return; // it has ended
        }
        reads.incrementAndGet();
        worker.seen.accumulateAndGet(user, Math::max);
        if (user > cpu) {
            aboveCpu.incrementAndGet();
            worst.accumulateAndGet(user - cpu, Math::max);
        }
        if (user < before) {
            decreased.incrementAndGet();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long seconds = args.length > 0 ? Long.parseLong(args[0]) : 10;
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(new Worker(i));
        }
        List<Thread> all = new ArrayList<>(workers);
        for (int i = 0; i < 2; i++) {
            all.add(new Thread(() -> {
                while (!ended.get()) {
                    workers.forEach(worker -> check(worker, false));
                }
            }, "reader " + i));
        }
        all.forEach(Thread::start);
        Thread.sleep(seconds * 1000);
        ended.set(true);
        for (Thread thread : all) {
            thread.join();
        }
        System.out.printf("%,d reads by the thread itself and by others: %,d above the CPU time"
                + " (by up to %.1f ms), %,d below an earlier one%n",
                reads.get(), aboveCpu.get(), worst.get() / 1e6, decreased.get());
        System.exit(aboveCpu.get() + decreased.get() == 0 && reads.get() > 0 ? 0 : 1);
    }
}
