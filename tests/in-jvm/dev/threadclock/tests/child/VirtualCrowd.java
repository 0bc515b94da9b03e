// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuTimes;
import dev.threadclock.Freshness;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.ObjectName;

/**
 * A child program: many virtual threads begin and end, some hundreds at a time (ten thousand if disturbed),
 * while accounting and the agent are switched on and off. Arguments: the helper library, the agent's, the
 * number of threads, milliseconds between two switches, a file for the agent's report, and "disturbed" if
 * thread dumps, other agents and a debugger are to disturb them besides, "attacked" if VirtualThread is also
 * redefined once five sixths of them have begun, or "alone" if all that happens without threadclock. Prints
 * {@code threads=N switches=N known=N unknown=N left=N accounts=N growthKb=N}: how many threads knew their
 * time, the number of the core's accounts when these threads had ended and after accounting began anew, and
 * the growth of resident memory after the first fifth of the threads.
 */
public final class VirtualCrowd {
    private static int together = 500;
    /** One thread in this many pauses. */
    private static int pauses = 16;
    private static int pauseMillis = 1;
    private static final AtomicLong KNOWN = new AtomicLong();
    private static final AtomicLong UNKNOWN = new AtomicLong();
    /** The number of threads that have begun. */
    private static volatile long begun;
    private static volatile boolean over;
    private static boolean alone;

    private static volatile VirtualThreads.Accounting accounting;

    public static void main(String[] args) throws Throwable {
        System.load(args[0]);
        long threads = Long.parseLong(args[2]);
        long[] switches = {0};
        alone = args[5].equals("alone");
        if (!args[5].isEmpty()) {
            together = 10_000;
            pauses = 2;
            pauseMillis = 200;
            long redefinedAt = args[5].equals("disturbed") ? Long.MAX_VALUE : threads / 6 * 5;
            Threads.daemon("disturber", () -> disturb(args[4], redefinedAt));
        }
        if (alone) {
            begin(threads);
            VirtualAccounts.rethrow();
            return;
        }
        accounting = VirtualThreads.startAccounting();
        Thread switcher = new Thread(() -> {
            for (; !over; switches[0]++) {
                Threads.pause(Long.parseLong(args[3]));
                change(switches[0], args[1]);
            }
        }, "switcher");
        switcher.start();
        begin(threads / 5);
        System.gc();
        long before = Proc.status("self", "VmRSS");
        begin(threads - threads / 5);
        over = true;
        switcher.join();
        Helper.attach(args[1], "virtual=on");
        long left = accounts(args[1], Paths.get(args[4]));
        Helper.attach(args[1], "do=detach");
        accounting.close();
        VirtualThreads.startAccounting();
        begin(together); // their accounts end with them, not with the accounting
        System.gc();
        long after = Proc.status("self", "VmRSS");
        long accounts = accounts(args[1], Paths.get(args[4])); // 0 when all threads have ended
        VirtualAccounts.rethrow();
        System.out.println("threads=" + threads + " switches=" + switches[0] + " known=" + KNOWN + " unknown="
                + UNKNOWN + " left=" + left + " accounts=" + accounts + " growthKb=" + (after - before));
    }

    /** In turn: the agent comes with accounting on, the library switches it off and on, the agent goes. */
    private static void change(long step, String agent) {
        switch ((int) (step % 4)) {
            case 0 :
                Helper.attach(agent, "virtual=" + (step % 8 == 0 ? "on" : "now"));
                break;
            case 1 :
                accounting.close(); // the agent keeps it on
                break;
            case 2 :
                Helper.attach(agent, "do=detach"); // and now it is off
                break;
            default :
                accounting = VirtualThreads
                        .startAccounting(step % 8 == 3 ? Freshness.TICK : Freshness.INTERPOLATED);
        }
    }

    private static void disturb(String file, long redefinedAt) {
        try {
            boolean redefined = false;
            for (int step = 0; !over; step++) {
                Threads.pause(20);
                if (begun > redefinedAt && !redefined) { // then the JVM's events report switches
                    VirtualSwitches.redefine();
                    redefined = true;
                }
                disturb(step, file);
            }
        } catch (Exception e) {
            VirtualAccounts.failure = e;
        }
    }

    private static void disturb(int step, String file) throws Exception {
        switch (step % 4) {
            case 0 :
                command("threadPrint");
                break;
            case 1 :
                command("threadDumpToFile", "-overwrite", "-format=json", file + ".json");
                break;
            case 2 :
                VirtualSwitches.retransform();
                break;
            default :
                if (!Helper.suspendAll(2)) {
                    throw new AssertionError("virtual threads cannot be suspended");
                }
        }
    }

    private static void command(String name, String... arguments) throws Exception {
        ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), name, new Object[]{arguments},
                new String[]{String[].class.getName()});
    }

    /** Begins this many threads and waits for their end. */
    private static void begin(long threads) throws Throwable {
        Semaphore room = new Semaphore(together);
        for (long i = 0; i < threads && VirtualAccounts.failure == null; i++) {
            boolean pausing = i % pauses == 0;
            begun++;
            room.acquire();
            VirtualAccounts.start(() -> {
                try {
                    if (alone) {
                        Threads.pause(pausing ? pauseMillis : 0);
                    } else {
                        live(pausing);
                    }
                } finally {
                    room.release();
                }
            });
        }
        room.acquire(together);
    }

    private static void live(boolean pausing) {
        CpuTimes times = new CpuTimes();
        boolean known = ThreadClock.readNow(times);
        if (known ? times.totalNanos() < 0 : times.totalNanos() != -1) {
            throw new AssertionError("a known time is no failure, an unknown one is -1: " + times);
        }
        if (pausing) {
            Threads.pause(pauseMillis);
            known |= ThreadClock.readNow(times);
        }
        (known ? KNOWN : UNKNOWN).incrementAndGet();
    }

    private static long accounts(String agent, Path report) throws Exception {
        for (int patience = 100;; patience--) { // a thread makes room for the next before it has ended
            Files.write(report, new byte[0]); // because the agent does not create files
            Helper.attach(agent, "do=status,report=" + report);
            long accounts = -1;
            for (String line : Files.readAllLines(report)) {
                if (line.startsWith("virtual.threads=")) {
                    accounts = Long.parseLong(line.split("=")[1]);
                }
            }
            if (accounts == 0 || patience == 0) {
                return accounts;
            }
            Thread.sleep(100);
        }
    }
}
