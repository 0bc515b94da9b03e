// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A child program: threads that the agent knows end while it is detached. Arguments: the helper library, the
 * agent's, a file for its status. Prints {@code alive=N}.
 */
public final class Ended {
    private static final int ENDED = 100;

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        Helper.attach(args[1], "");
        CountDownLatch mayEnd = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ENDED; i++) {
            threads.add(new Thread(() -> Threads.await(mayEnd)));
        }
        for (Thread thread : threads) {
            thread.start();
            while (Burn.THREADS.getThreadUserTime(thread.getId()) < 0) {
                Thread.yield();
            }
        }
        Helper.attach(args[1], "do=detach");
        mayEnd.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        Helper.attach(args[1], "");
        Helper.attach(args[1], "do=status,report=" + args[2]);
        System.out.println("alive=" + Burn.THREADS.getThreadCount());
    }
}
