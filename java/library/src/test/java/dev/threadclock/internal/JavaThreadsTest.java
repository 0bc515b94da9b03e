// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JavaThreadsTest {
    /** Passes fail, for example, without a free file descriptor. */
    @Test
    void aThreadThatStartedBeforeFailedPassesIsFoundByTheNextOne() throws InterruptedException {
        ThreadTable table = new ThreadTable();
        table.read();
        table.read();
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread late = new Thread(end::join, "started late");
        late.start();
        try {
            for (int i = 0; i < 5; i++) {
                table.javaThreads.live();
            }
            table.read();
            assertThat(IntStream.range(0, table.size()).filter(row -> table.javaId(row) != 0)
                    .mapToObj(table::name)).contains("started late");
        } finally {
            end.complete(null);
            late.join();
        }
    }
}
