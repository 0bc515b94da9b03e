// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;
import static dev.threadclock.tests.child.Threads.UNKNOWN;
import static dev.threadclock.tests.child.Threads.own;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** A child program under a security manager that grants nothing: shows which queries are allowed. */
public final class Secured {
    public static void main(String[] args) throws Exception {
        Thread sleeper = Threads.daemon("sleeper", () -> Threads.pause(60_000));
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

    /** Prints a time as "time", a negative value as it is, and an exception as its type. */
    private static void may(String what, Callable<?> question) {
        String answer;
        try {
            Object value = question.call();
            answer = value instanceof long[] ? Arrays.stream((long[]) value).mapToObj(Secured::form)
                    .collect(Collectors.joining(", ", "[", "]"))
                    : value instanceof Long ? form((Long) value) : String.valueOf(value);
        } catch (Exception e) {
            answer = (e instanceof SecurityException ? SecurityException.class : e.getClass())
                    .getSimpleName();
        }
        System.out.println(what + ": " + answer);
    }

    private static String form(long nanos) {
        return nanos < 0 ? Long.toString(nanos) : "time";
    }
}
