// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Transcript.THREADS;
import static dev.threadclock.tests.child.Transcript.UNKNOWN;
import static dev.threadclock.tests.child.Transcript.own;
import static dev.threadclock.tests.child.Transcript.say;

import java.util.concurrent.Callable;

/** A child program under a security manager that grants nothing: shows which queries are allowed. */
public final class Secured {
    public static void main(String[] args) throws Exception {
        Thread sleeper = new Thread(() -> Transcript.pause(60_000), "sleeper");
        sleeper.setDaemon(true);
        sleeper.start();
        may("property", () -> System.getProperty("user.home"));
        may("all ids", () -> THREADS.getAllThreadIds().length > 0);
        may("info", () -> THREADS.getThreadInfo(own()) != null);
        may("switch off", () -> {
            THREADS.setThreadCpuTimeEnabled(false);
            return "switched off";
        });
        may("current", () -> THREADS.getCurrentThreadUserTime());
        may("own id", () -> THREADS.getThreadUserTime(own()));
        may("another thread", () -> THREADS.getThreadUserTime(sleeper.getId()));
        may("array", () -> THREADS.getThreadUserTime(new long[]{own(), sleeper.getId(), UNKNOWN}));
        may("id 0", () -> THREADS.getThreadUserTime(0));
    }

    private static void may(String what, Callable<?> question) {
        say(what, () -> {
            try {
                return question.call();
            } catch (SecurityException e) {
                return "SecurityException";
            }
        });
    }
}
