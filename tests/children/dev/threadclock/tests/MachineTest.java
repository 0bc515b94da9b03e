// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static dev.threadclock.tests.AttachJvm.contained;
import static dev.threadclock.tests.AttachJvm.tmpfs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.AttachTarget;
import dev.threadclock.tests.child.FakeListener;
import dev.threadclock.tests.child.Load;
import dev.threadclock.tests.child.Proc;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A machine with 20 JVMs of all JDKs, for {@code -Dthreadclock.machine.seconds=N} (ci/attack machine): three
 * in containers with a control group each, two of other users, two with threads that come and go, a hostile
 * one, and one that ends and comes back each second. node, scraped as Prometheus does it, shows the CPU time
 * of each, by its agent for half of them; its own memory and descriptors stay as they are.
 */
class MachineTest {
    private static final long SECONDS = Long.getLong("threadclock.machine.seconds", 0);
    private static final int JVMS = 20;
    private static final int PERIOD_MILLIS = 15_000;
    private static final int SETTLED = 4;

    private final List<AttachJvm> jvms = new ArrayList<>();
    private final List<Path> groups = new ArrayList<>();

    private ChildJvm next() {
        List<TestJdk> jdks = TestJdk.all();
        return ChildJvm.of(jdks.get(jvms.size() % jdks.size())).with("-Xmx32m").withDynamicAgents();
    }

    private ChildJvm inAGroup(ChildJvm child) throws IOException {
        Path root = Path.of("/sys/fs/cgroup");
        Path cpu = Files.isDirectory(root.resolve("cpu")) ? root.resolve("cpu") : root;
        Path group = Files.createDirectory(cpu.resolve("threadclock-machine-" + jvms.size()));
        groups.add(group);
        return child.under("sh", "-c", "echo $$ >" + group + "/cgroup.procs && exec \"$@\"", "sh");
    }

    private void startAll() throws IOException {
        for (int i = 0; i < 3; i++) {
            jvms.add(contained(inAGroup(next()), tmpfs("size=16m", "/tmp")).startTarget());
        }
        for (int user : List.of(12345, 12348)) {
            jvms.add(ChildJvm.of(TestJdk.newestForAll()).withDynamicAgents()
                    .under(AttachJvm.asUser(user, user)).startTarget());
        }
        jvms.add(next().startTarget(Load.class, "pools"));
        jvms.add(next().startTarget(Load.class, "starts=20"));
        while (jvms.size() < JVMS - 2) {
            jvms.add(next().startTarget());
        }
        jvms.add(ChildJvm.of(TestJdk.newest()).startTarget(FakeListener.class, "account"));
    }

    @Test
    void theCpuTimeOfTwentyJvmsIsRight() throws IOException {
        assumeTrue(SECONDS > 0, "ci/attack machine runs it for minutes");
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        Host.assumeMounts();
        try {
            startAll();
            List<String> chosen = new ArrayList<>();
            for (int i = 0; i < jvms.size(); i += 2) { // the hostile one, too
                chosen.addAll(List.of("--attach", "pid=" + jvms.get(i).pid()));
            }
            try (Running again = ChildJvm.exec("sh", "-c", "while :; do timeout 1 \"$@\"; done", "sh",
                    TestJdk.newest().java(), "-Xmx32m", "-cp", ChildJvm.CLASSES,
                    AttachTarget.class.getName());
                    Running node = NodeTest.start(List.of("env", "JDK_JAVA_OPTIONS=-Xms8m -Xmx64m"),
                            chosen)) {
                watch(node);
                assertThat(again.process().isAlive()).as("it still comes and goes").isTrue();
            }
        } finally {
            jvms.forEach(AttachJvm::close);
            for (Path group : groups) {
                for (int i = 0; i < 200 && !group.toFile().delete(); i++) {
                    AttachJvm.sleep(50); // a JVM that was killed is still ending
                }
            }
        }
    }

    /** After a minute all are attached to, and node's code is compiled: its cost is counted from then on. */
    private void watch(Running node) throws IOException {
        Map<String, BigDecimal> before = new HashMap<>();
        int descriptors = 0;
        long began = System.nanoTime();
        long settledNanos = began;
        double settledSeconds = 0;
        for (int turn = 1; System.nanoTime() - began < SECONDS * 1_000_000_000; turn++) {
            AttachJvm.sleep(PERIOD_MILLIS);
            NodeTest.assertRight(node, jvms, before);
            if (turn == SETTLED) {
                descriptors = descriptors(node);
                settledNanos = System.nanoTime();
                settledSeconds = AttachJvm.cpuSeconds(node.process().pid());
            }
        }
        double used = AttachJvm.cpuSeconds(node.process().pid()) - settledSeconds;
        long kilobytes = Proc.status(node.process().pid(), "VmHWM");
        ResultFile.line(String.format("%d JVMs, %d series: node used %.2f %% of a CPU, at most %,d kB",
                jvms.size(), before.size(), used / (System.nanoTime() - settledNanos) * 1e11, kilobytes));
        assertThat(before.keySet()).anyMatch(name -> name.contains("source=\"agent\""))
                .anyMatch(name -> name.startsWith("threadclock_throttled"));
        // One for each JVM, among them that which comes and goes.
        assertThat(descriptors(node)).isCloseTo(descriptors, within(3));
        assertThat(kilobytes).isLessThan(100 << 10);
    }

    private static int descriptors(Running node) {
        return Path.of("/proc", Long.toString(node.process().pid()), "fd").toFile().list().length;
    }
}
