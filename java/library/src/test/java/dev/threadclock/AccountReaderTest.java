// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuGroup.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** The account of this process; the rules are tested in native/test/account_test.c. */
class AccountReaderTest {
    private static CpuAccount read() {
        return CpuAccount.read(Duration.ZERO);
    }

    @Test
    void aYoungReadingServesAllCallers() throws Exception {
        CpuAccount first = read();
        ExecutorService callers = Executors.newFixedThreadPool(8);
        List<Callable<CpuAccount>> reads = Collections.nCopies(100,
                () -> CpuAccount.read(Duration.ofDays(400)));
        assertThat(callers.invokeAll(reads)).allSatisfy(read -> assertThat(read.get()).isSameAs(first));
        callers.shutdown();
        assertThat(read()).isNotSameAs(first);
    }

    @Test
    void poolsAboveTheLimitShareOneWithOneWarning() throws Exception {
        int pools = CpuAccount.MAX_POOLS + 3;
        List<LogRecord> records = new ArrayList<>();
        Logger logger = Logger.getLogger("dev.threadclock");
        logger.setFilter(logged -> !records.add(logged)); // and none is printed
        CountDownLatch worked = new CountDownLatch(pools);
        CountDownLatch end = new CountDownLatch(1);
        try {
            for (int i = 0; i < pools; i++) {
                new Thread(() -> {
                    worked.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }, "crowd " + (char) ('a' + i % 26) + (char) ('a' + i / 26)).start();
            }
            worked.await();
            CpuAccount account = read();
            read();
            assertThat(account.groups()).filteredOn(group -> group.kind() == Kind.JAVA)
                    .extracting(CpuGroup::name).contains("(other)").doesNotContain("")
                    .hasSizeLessThanOrEqualTo(CpuAccount.MAX_POOLS + 2);
            assertThat(account.groups().stream().map(CpuGroup::times).reduce(CpuSnapshot.ZERO,
                    CpuSnapshot::plus)).isEqualTo(account.process());
            assertThat(records).hasSize(1);
            assertThat(records.get(0).getMessage()).contains("100 pools");
        } finally {
            end.countDown();
            logger.setFilter(null);
        }
    }

    @Test
    void eachKindHasItsNameInMetrics() {
        assertThat(Kind.values()).extracting(Kind::label).containsExactly("java", "virtual", "carrier", "gc",
                "jit", "jvm", "native", "unseen");
    }
}
