// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Budgets;
import dev.threadclock.tests.child.Proc;
import java.util.List;

/** Whatever a JVM lacks, its budgets are watched, or exhausted. */
class BudgetsTest {
    private static ChildJvm child(TestJdk jdk) {
        return ChildJvm.of(jdk).withNativeAccess().withClassPath(Product.JAR);
    }

    /** So it needs no more stack than the JVM's own calls, and nothing can be lost for good. */
    @OnEachJdk
    void openingLoadsNoClass(TestJdk jdk) {
        Result result = child(jdk)
                .with(jdk.feature() == 8 ? "-verbose:class" : "-Xlog:class+load,class+init=info")
                .run(Budgets.class, "loaded").ok().has("watched", true);
        List<String> lines = result.outLines();
        assertThat(lines.subList(lines.indexOf("opens"), lines.indexOf("closed")))
                .containsExactly("opens");
    }

    @OnEachJdk
    void aFirstBudgetIsMadeAtTheEndOfAStack(TestJdk jdk) {
        Result result = child(jdk).run(Budgets.class, "made").ok().has("watched", true);
        result.assertNumber("tries").isBetween(2L, 900L);
    }

    /** It ends at once. On JDK 8 the thread that it makes inherits as well, and then gives it up. */
    @OnEachJdk
    void firstBudgetsMakeOneThreadThatInherits(TestJdk jdk) {
        child(jdk).run(Budgets.class, "first").ok().has("heirs", jdk.feature() == 8 ? 2 : 1)
                .has("watched", true);
    }

    /** There is no address space for a stack. */
    @OnEachJdk
    void aBudgetThatNoThreadCanWatchIsExhausted(TestJdk jdk) throws Exception {
        Running child = child(jdk).with("-XX:+UseSerialGC", "-Xmx32m", "-Xint").start(Budgets.class,
                "threads");
        child.awaitOutput("ready");
        long pid = child.process().pid();
        child.limit("as", (Proc.status(pid, "VmSize") + 8192) * 1024);
        child.awaitOutput("refused");
        child.limit("as", "unlimited");
        Result result = child.end().exits(0).has("looks", 3).has("watched", true);
        assertThat(result.outLines()).contains("unwatched")
                .anyMatch(line -> line.matches("refused: it could not be watched: .*OutOfMemoryError.*"));
    }

    @OnEachJdk(thorough = true)
    void aBudgetIsExhaustedWhileTheHeapIsFull(TestJdk jdk) {
        String collector = jdk.feature() < 25 ? "-XX:+UseSerialGC" : "-XX:+UseG1GC";
        child(jdk).with(collector, "-Xmx32m").run(Budgets.class, "heap").ok().has("stopped", true)
                .has("watched", true);
    }
}
