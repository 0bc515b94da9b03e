// SPDX-License-Identifier: Apache-2.0
import dev.threadclock.ThreadClock;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * A user's Java program: reads its times through the library and, with the agent, through ThreadMXBean;
 * checks both. Java 8.
 */
public final class Metered {
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static volatile long sink;

    public static void main(String[] arguments) throws InterruptedException {
        long until = System.nanoTime() + 400_000_000L;
        long libraryUser = 0;
        long beanUser = 0;
        while (System.nanoTime() < until) {
            for (int i = 0; i < 50_000; i++) {
                sink += i;
            }
            long user = ThreadClock.userNanos();
            check(user >= libraryUser, "the library's user time went back");
            libraryUser = user;
            user = BEAN.getCurrentThreadUserTime();
            check(user >= libraryUser, "ThreadMXBean's user time is behind the library's earlier reading");
            check(user >= beanUser, "ThreadMXBean's user time went back");
            check(user <= BEAN.getCurrentThreadCpuTime(), "user time is above total time");
            beanUser = user;
        }
        check(beanUser > 0, "no user time");
        Thread other = new Thread(() -> {
            while (!Thread.interrupted()) {
                sink++;
            }
        });
        other.start();
        long otherUser; // 0 until a tick has hit it, which takes long on a busy machine
        while ((otherUser = BEAN.getThreadUserTime(other.getId())) == 0
                && BEAN.getThreadCpuTime(other.getId()) < 5_000_000_000L) {
            Thread.sleep(10);
        }
        check(otherUser > 0 && otherUser <= BEAN.getThreadCpuTime(other.getId()), "another thread's user"
                + " time: " + otherUser);
        other.interrupt();
        other.join();
        check(BEAN.getThreadUserTime(other.getId()) == -1, "a thread that has ended has a time");
        System.out.println(System.getProperty("os.arch") + " ok");
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
