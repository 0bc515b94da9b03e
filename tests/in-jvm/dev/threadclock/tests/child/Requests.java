// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A child program: sends requests to the agent, one after the other, which must not block the caller.
 * Arguments: the helper library, the agent's, then the options of each request. Prints {@code
 * answered=BOOLEAN} for each: whether it was answered in time.
 */
public final class Requests {
    private static final int PATIENCE_SECONDS = 20;

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        for (int i = 2; i < args.length; i++) {
            String options = args[i];
            FutureTask<Boolean> request = new FutureTask<>(() -> Helper.attach(args[1], options));
            Threads.daemon("listener", request);
            try {
                System.out.println("answered=" + request.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            } catch (TimeoutException e) {
                System.out.println("answered=false");
                Runtime.getRuntime().halt(0); // the agent refuses all other requests while one is in progress
            }
        }
        System.exit(0);
    }
}
