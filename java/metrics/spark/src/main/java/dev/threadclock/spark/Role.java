// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuGroup.Kind;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The role of a thread in an executor. Metrics must be known when the executor starts, so there is one set
 * for each role rather than for each pool. The roles add up to the process. The thread names are those of
 * Spark 3.5.6.
 */
enum Role {
    /** Runs tasks. */
    TASKS("Executor task launch worker.*"),
    /** Talks to the driver. */
    RPC("rpc-.*|netty-rpc-.*|dispatcher-.*|driver-heartbeater.*|executor-heartbeater.*"),
    /** Serves and fetches blocks: shuffle, broadcast, files. */
    SHUFFLE("shuffle-.*|files-client.*|block-manager.*|broadcast-.*|map-output-.*"),
    GC(Kind.GC), JIT(Kind.JIT),
    /** Other threads of the JVM, native threads, and time that no reading saw. */
    JVM(Kind.JVM, Kind.NATIVE, Kind.UNSEEN),
    /** All other Java threads, including virtual ones. */
    OTHER();

    private final Pattern names; // null: by kind
    private final List<Kind> kinds;

    Role(String names) {
        this.names = Pattern.compile(names);
        kinds = Collections.singletonList(Kind.JAVA);
    }

    Role(Kind... kinds) {
        names = null;
        this.kinds = Arrays.asList(kinds);
    }

    static Role of(CpuGroup group) {
        return Arrays.stream(values()).filter(role -> role.isOf(group)).findFirst().orElse(OTHER);
    }

    private boolean isOf(CpuGroup group) {
        return kinds.contains(group.kind()) && (names == null || names.matcher(group.name()).matches());
    }

    /** Without the past pools, whose time was that of other groups before. */
    Stream<CpuGroup> groups(CpuAccount account) {
        return account.groups().stream().filter(group -> of(group) == this)
                .filter(group -> !group.name().equals(CpuAccount.PAST_POOLS));
    }

    /** cpu.shuffle.user_ns and the like. */
    String metric(String value) {
        return "cpu." + name().toLowerCase(Locale.ROOT) + "." + value;
    }
}
