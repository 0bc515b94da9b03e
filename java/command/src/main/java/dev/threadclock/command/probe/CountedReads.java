// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * Reads of CPU times for other programs to count, profile or inspect: plain Java 8. Arguments: "count" KIND
 * READS; "seconds" KIND SECONDS; or "until" FILE: prints its PID, then does nothing until the file exists. At
 * its end prints "done", the number of reads, and the nanoseconds that they took.
 */
public final class CountedReads {
    private static final int PARTS = 1_000;
    private static final long LOOK_MILLIS = 20;

    private static volatile long sink;

    private CountedReads() {}

    private interface Read {
        long nanos() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        long reads = 0;
        long start = System.nanoTime();
        if (args[0].equals("until")) {
            say("pid " + ManagementFactory.getRuntimeMXBean().getName().replaceFirst("@.*", ""));
            Path file = Paths.get(args[1]);
            while (!Files.exists(file)) {
                Thread.sleep(LOOK_MILLIS);
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
                return () -> JvmtiClock.read(own);
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
