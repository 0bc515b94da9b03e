// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program that reads times until it ends. Arguments: {@code return}, {@code exit} (with status 5),
 * {@code halt} (with status 6) or {@code TERM} (stays half a minute to be terminated), and after how many
 * microseconds to do it. Prints {@code up}.
 */
public final class Ending {
    public static void main(String[] args) throws Exception {
        System.out.println("up");
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000;
        Thread ender = new Thread(() -> {
            while (System.nanoTime() - end < 0) {
                Thread.yield();
            }
            if (args[0].equals("exit")) {
                System.exit(5);
            } else if (args[0].equals("halt")) {
                Runtime.getRuntime().halt(6);
            }
        });
        ender.start();
        long stay = args[0].equals("TERM") ? 30_000_000_000L : args[0].equals("return") ? 0 : 10_000_000_000L;
        while (System.nanoTime() - end < stay) {
            Burn.sink += Burn.THREADS.getCurrentThreadUserTime()
                    + Burn.THREADS.getThreadUserTime(ender.getId());
        }
    }
}
