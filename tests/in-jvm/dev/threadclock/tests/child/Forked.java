// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program whose native code forks: each forked process reads the times of its single thread, which
 * start at 0, through ThreadMXBean, and ends. Arguments: the library of tests/c/company.c, how
 * often. Prints {@code forks=N wrong=N hung=N}: wrong ones had times that are not theirs; hung ones waited
 * for a thread of the JVM that does not exist in them.
 */
public final class Forked {
    /** CPU time that the parent has used before, and that a forked process cannot have. */
    private static final long PARENT_NANOS = 300_000_000;
    private static final long CHILD_NANOS = 100_000_000;

    private static native int fork();

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        int forks = Integer.parseInt(args[1]);
        Burn.cpuNanos(PARENT_NANOS);
        if (right() != 0) {
            throw new AssertionError("the parent has less than it burnt, or nothing loaded the code");
        }
        int wrong = 0;
        int hung = 0;
        for (int i = 0; i < forks; i++) {
            Burn.sink += Burn.THREADS.getCurrentThreadUserTime() + Burn.THREADS.getCurrentThreadCpuTime();
            int status = fork();
            wrong += status > 0 ? 1 : 0;
            hung += status < 0 ? 1 : 0;
        }
        System.out.println("forks=" + forks + " wrong=" + wrong + " hung=" + hung);
    }

    /**
     * Called in the forked process. Returns 1 if its times are small and right, 0 if they are those of a
     * process that has burnt CPU time, otherwise 2.
     */
    static int right() {
        long user = Burn.THREADS.getCurrentThreadUserTime();
        long total = Burn.THREADS.getCurrentThreadCpuTime();
        if (user >= 0 && user <= total && total < CHILD_NANOS) {
            return 1;
        }
        return user >= 0 && user <= total && total >= PARENT_NANOS ? 0 : 2;
    }
}
