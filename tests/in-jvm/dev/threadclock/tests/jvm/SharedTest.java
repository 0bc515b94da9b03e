// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.ThreadClock;
import dev.threadclock.internal.Native;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** There is one native library per process: if the agent is loaded, its copy answers the Java API. */
class SharedTest {
    @Test
    @Tag("plain")
    void withoutTheAgentTheJarsOwnAnswers() throws Exception {
        assertThat(library()).endsWith("/libthreadclock.so (deleted)");
    }

    @Test
    @Tag("agentpath")
    void withTheAgentItsCopyAnswers() throws Exception {
        assertThat(library()).isEqualTo(System.getProperty("threadclock.library"));
    }

    /** The mapping that contains the function called by the API. */
    private static String library() throws Exception {
        assertThat(ThreadClock.userNanos()).isNotNegative();
        Method addressOf = Native.class.getDeclaredMethod("address", String.class);
        addressOf.setAccessible(true);
        long address = (long) addressOf.invoke(null, "threadclock_user_tick_ns");
        String maps = new String(Files.readAllBytes(Paths.get("/proc/self/maps")), StandardCharsets.UTF_8);
        for (String line : maps.split("\n")) {
            String[] range = line.substring(0, line.indexOf(' ')).split("-");
            if (Long.compareUnsigned(address, Long.parseUnsignedLong(range[0], 16)) >= 0
                    && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0) {
                return line.substring(line.indexOf('/'));
            }
        }
        throw new AssertionError("no mapping has " + Long.toHexString(address));
    }
}
