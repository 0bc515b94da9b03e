// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Budgets;
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

    @OnEachJdk
    void aBudgetIsExhaustedWhileTheHeapIsFull(TestJdk jdk) {
        child(jdk).with("-XX:+UseSerialGC", "-Xmx32m").run(Budgets.class, "heap").ok().has("stopped", true)
                .has("watched", true);
    }
}
