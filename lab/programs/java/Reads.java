// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads of CPU times for other programs to count, profile or inspect. Arguments: "count" KIND READS;
 * "seconds" KIND SECONDS; or "until" FILE [SLEEPERS]: starts this number of threads that sleep, prints its
 * PID, then does nothing until the file exists; "bean" FILE SLEEPERS HERTZ reads all threads meanwhile, as
 * monitoring agents do. At its end prints "done", the number of reads, and the nanoseconds that they took.
 */
public final class Reads {
    private static final int PARTS = 1_000;
    private static final long LOOK_MILLIS = 20;

    private static volatile long sink;

    private Reads() {}

    /** The total by JVMTI GetThreadCpuTime, if the agent for_java is loaded; -1: refused. */
    private static native long jvmtiNanos(Thread thread);

    private interface Read {
        long nanos() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        long reads = 0;
        long start = System.nanoTime();
        if (args[0].equals("until") || args[0].equals("bean")) {
            startSleepers(args.length > 2 ? Integer.parseInt(args[2]) : 0);
            say("pid " + ManagementFactory.getRuntimeMXBean().getName().replaceFirst("@.*", ""));
            Path file = Paths.get(args[1]);
            while (!Files.exists(file)) {
                Thread.sleep(args.length > 3 ? 1_000 / Long.parseLong(args[3]) : LOOK_MILLIS);
                if (args.length > 3) {
                    readAll();
                }
            }
        } else if (args[0].equals("count")) {
            reads = Long.parseLong(args[2]);
            run(read(args[1]), reads);
        } else {
            Read read = read(args[1]);
            long end = System.nanoTime() + Long.parseLong(args[2]) * 1_000_000_000;
            for (; System.nanoTime() - end < 0; reads += PARTS) {
                run(read, PARTS);
            }
        }
        say("done " + reads + " " + (System.nanoTime() - start));
    }

    private static void startSleepers(int count) {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(null, LockSupport::park, "sleeper-" + i, 128 << 10);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void readAll() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory
                .getThreadMXBean();
        long[] ids = threads.getAllThreadIds();
        sink += threads.getThreadCpuTime(ids)[0] + threads.getThreadUserTime(ids)[0];
    }

    private static void run(Read read, long count) throws Exception {
        long sum = 0;
        for (long i = 0; i < count; i++) {
            sum += read.nanos();
        }
        sink += sum;
    }

    private static Read read(String kind) throws IOException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Thread own = Thread.currentThread();
        switch (kind) {
            case "user" :
                return threads::getCurrentThreadUserTime;
            case "total" :
                return threads::getCurrentThreadCpuTime;
            case "userById" :
                return () -> threads.getThreadUserTime(own.getId());
            case "userOfArray" :
                long[] ids = {own.getId()};
                com.sun.management.ThreadMXBean arrays = (com.sun.management.ThreadMXBean) threads;
                return () -> arrays.getThreadUserTime(ids)[0];
            case "proxy" :
                ThreadMXBean proxy = ManagementFactory.newPlatformMXBeanProxy(
                        ManagementFactory.getPlatformMBeanServer(),
                        ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
                return proxy::getCurrentThreadUserTime;
            case "jvmti" :
                return () -> jvmtiNanos(own);
            case "busy" :
                return System::nanoTime;
            default :
                throw new IllegalArgumentException("no such kind: " + kind);
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
