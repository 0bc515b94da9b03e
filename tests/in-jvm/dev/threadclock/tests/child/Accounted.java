// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.ThreadClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A child program that prints the TID of a thread which ran before the library was loaded, and the kinds of
 * the account's groups that have its name, in one reading or as many as it is told.
 */
public final class Accounted {
    private static final String NAME = "worker";

    public static void main(String[] args) throws Exception {
        CountDownLatch worked = new CountDownLatch(1);
        Thread worker = new Thread(() -> {
            Burn.cpuNanos(50_000_000);
            worked.countDown();
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                return;
            }
        }, NAME);
        worker.setDaemon(true);
        worker.start();
        worked.await();
        System.out.println("tid=" + ThreadClock.tid(worker));
        for (int i = args.length == 0 ? 1 : Integer.parseInt(args[0]); i > 0; i--) {
            for (CpuGroup group : CpuAccount.read(Duration.ZERO).groups()) {
                if (group.name().equals(NAME)) {
                    System.out.println("kind=" + group.kind());
                }
            }
        }
        System.out.println("done");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
