// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuAttribution;
import java.io.File;

/**
 * A child program that reads times until it ends, but no longer than five minutes. Arguments: {@code return},
 * {@code exit} (with status 5), {@code halt} (with status 6) or {@code TERM} (stays to be terminated), and
 * after how many microseconds to do it, or the file that tells it to by existing; and the name of an
 * attribution, if it is to export one. Prints {@code up}.
 */
public final class Ending {
    private static final long LONGEST_NANOS = 300_000_000_000L;

    private static volatile boolean mayReturn;

    public static void main(String[] args) throws Exception {
        Object exported = args.length > 2 ? new CpuAttribution(args[2]).exportToAgent() : "";
        System.out.println("up");
        long began = System.nanoTime();
        Thread ender = new Thread(() -> {
            while (!isTime(args[1], System.nanoTime() - began)) {
                Thread.yield();
            }
            if (args[0].equals("exit")) {
                System.exit(5);
            } else if (args[0].equals("halt")) {
                Runtime.getRuntime().halt(6);
            }
            mayReturn = args[0].equals("return");
        });
        ender.start();
        while (!mayReturn && System.nanoTime() - began < LONGEST_NANOS) {
            Burn.sink += Burn.THREADS.getCurrentThreadUserTime()
                    + Burn.THREADS.getThreadUserTime(ender.getId()) + exported.hashCode();
        }
    }

    private static boolean isTime(String when, long nanos) {
        return nanos >= LONGEST_NANOS
                || (when.startsWith("/") ? new File(when).exists() : nanos >= Long.parseLong(when) * 1_000);
    }
}
