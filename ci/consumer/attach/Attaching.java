// SPDX-License-Identifier: Apache-2.0
import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.Jvm;
import dev.threadclock.attach.JvmStatus;
import dev.threadclock.attach.RunningJvm;
import java.time.Duration;
import java.util.List;

/**
 * A user's Java program that has the attach library alone: finds another JVM, makes threadclock answer in it,
 * asks, and detaches. Java 17. The argument: a folder with this program's classes.
 */
public final class Attaching {
    static final class Child {
        public static void main(String[] arguments) throws Exception {
            System.out.println("runs");
            System.in.read();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp", arguments[0],
                Child.class.getName()).start();
        int pid = (int) child.pid();
        try {
            child.getInputStream().read();
            List<RunningJvm> named = Jvm.list(Child.class.getName());
            check(named.stream().anyMatch(jvm -> jvm.pid() == pid), "it is not among " + named);
            Jvm jvm = Jvm.open(pid, Duration.ofMinutes(5)); // on a busy machine
            jvm.attach("freshness=now");
            JvmStatus status = jvm.status();
            check(status.isActive() && status.value("freshness").equals("now"), "attached: " + status);
            check(jvm.detach() && !jvm.status().isActive(), "it still answers");
        } finally {
            child.destroyForcibly().waitFor();
        }
        try {
            Jvm jvm = Jvm.open(pid);
            throw new AssertionError("it has ended, and is " + jvm);
        } catch (AttachException e) {
            System.out.println("attached and detached; then: " + e.getMessage());
        }
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
