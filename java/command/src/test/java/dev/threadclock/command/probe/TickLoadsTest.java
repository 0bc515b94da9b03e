// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ThreadMXBean;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Iterator;
import org.junit.jupiter.api.Test;

class TickLoadsTest {
    private static final long MS = 1_000_000;

    /** A run whose readings are these: CPU time, user time, and CPU time again. */
    private static TickRun run(Long... readings) {
        Iterator<Long> next = Arrays.asList(readings).iterator();
        ThreadMXBean bean = (ThreadMXBean) Proxy.newProxyInstance(TickLoadsTest.class.getClassLoader(),
                new Class<?>[]{ThreadMXBean.class}, (proxy, method, arguments) -> next.next());
        return new TickLoads(bean, 4 * MS, 0).betweenTicksHere(40 * MS);
    }

    @Test
    void aHostThatStopsTheCpuBetweenTheReadingsMakesThemInconclusive() {
        TickRun stopped = run(98 * MS, 98 * MS, 239 * MS);
        assertThat(stopped.roundsOnTime).isZero();
        assertThat(stopped.verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(run(98 * MS, 98 * MS, 98 * MS).verdict()).isEqualTo(Verdict.RIGHT);
    }
}
