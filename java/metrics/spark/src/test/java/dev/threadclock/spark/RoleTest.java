// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoleTest {
    @ParameterizedTest
    @CsvSource({"Executor task launch worker for task 1.0 in stage 0.0 (TID 1), TASKS",
        "shuffle-client-4-1, SHUFFLE", "block-manager-storage-async-thread-pool-0, SHUFFLE",
        "netty-rpc-connection-0, RPC", "rpc-client-1-1, RPC", "dispatcher-Executor, RPC",
        "executor-heartbeater, RPC", "anything, OTHER"})
    void aThreadHasTheRoleOfItsName(String name, Role role) throws InterruptedException {
        CompletableFuture<Void> end = new CompletableFuture<>();
        List<String> before = groups(role);
        Thread thread = new Thread(end::join, name);
        thread.start();
        try {
            assertThat(groups(role)).hasSize(before.size() + 1).containsAll(before);
        } finally {
            end.complete(null);
            thread.join();
        }
    }

    /** The groups that have the role, once for each of their threads. */
    private static List<String> groups(Role role) {
        return CpuAccount.read(Duration.ZERO).groups().stream()
                .filter(group -> group.kind() == CpuGroup.Kind.JAVA && Role.of(group) == role)
                .flatMap(group -> Collections.nCopies(group.threads(), group.name()).stream())
                .collect(Collectors.toList());
    }

    @Test
    void theRolesAddUpToTheProcess() {
        CpuAccount account = CpuAccount.read(Duration.ZERO);
        assertThat(Arrays.stream(Role.values())
                .flatMap(role -> role.groups(account)).mapToLong(group -> group.times().totalNanos()).sum())
                .isEqualTo(account.process().totalNanos());
    }
}
