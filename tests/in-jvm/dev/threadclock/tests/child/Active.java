// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A child program: reports whether the user time of this JVM's calling thread comes from the agent, and from
 * which file the agent was loaded. The JVM's own answer has units of hundredths of a second, or of ticks
 * minus the stolen time, which a hypervisor reports to the nanosecond; the agent's has microseconds.
 *
 * <p>Prints {@code active=true|false}, then {@code library=PATH} for each libthreadclock.so whose code is
 * mapped. (glibc leaves a mapping without code behind after it has refused a file that is mounted noexec.)
 * Then it prints {@code left=NAME} for each file in the folder that is its argument, if any.
 */
public final class Active {
    public static void main(String[] args) throws Exception {
        System.out.println("active=" + active());
        for (String library : mapped()) {
            System.out.println("library=" + library);
        }
        for (String folder : args) {
            for (String name : new File(folder).list()) {
                System.out.println("left=" + name);
            }
        }
    }

    /** Whether the agent answers the calling thread. */
    public static boolean active() {
        boolean micros = false;
        for (int i = 0; i < 40; i++) {
            Burn.cpuNanos(3_000_000);
            long nanos = Burn.THREADS.getCurrentThreadUserTime();
            if (nanos % 1_000 != 0) {
                return false;
            }
            micros |= nanos % 1_000_000 != 0;
        }
        return micros;
    }

    private static Set<String> mapped() throws IOException {
        String maps = new String(Files.readAllBytes(Paths.get("/proc/self/maps")), StandardCharsets.UTF_8);
        return Arrays.stream(maps.split("\n"))
                .filter(line -> line.contains(" r-xp ") && line.matches(".*/.*libthreadclock\\.so.*"))
                .map(line -> line.substring(line.indexOf('/'))).collect(Collectors.toSet());
    }
}
