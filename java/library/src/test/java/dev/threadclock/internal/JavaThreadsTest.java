// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JavaThreadsTest {
    /** Passes fail, for example, without a free file descriptor. */
    @Test
    void aThreadThatStartedBeforeFailedPassesIsFoundByTheNextOne() throws InterruptedException {
        ThreadTable table = new ThreadTable();
        table.read();
        table.read();
        CountDownLatch end = new CountDownLatch(1);
        Thread late = new Thread(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }, "started late");
        late.start();
        try {
            for (int i = 0; i < 5; i++) {
                table.javaThreads.beforePass();
            }
            table.read();
            assertThat(IntStream.range(0, table.size()).filter(row -> table.javaId(row) != 0)
                    .mapToObj(table::name)).contains("started late");
        } finally {
            end.countDown();
            late.join();
        }
    }
}
