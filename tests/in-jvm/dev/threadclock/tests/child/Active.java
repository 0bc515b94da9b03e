// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A child program: reports whether the user time of this JVM's calling thread comes from the agent, and from
 * which file the agent was loaded. The JVM's own answer has units of hundredths of a second, or of ticks
 * minus the stolen time, which a hypervisor reports to the nanosecond; the agent's has microseconds.
 *
 * <p>Prints {@code active=true|false}, then {@code library=PATH} for each libthreadclock.so whose code is
 * mapped. (glibc leaves a mapping without code behind after it has refused a file that is mounted noexec.)
 * With the argument {@code list=DIR} it then prints {@code left=NAME} for each file in DIR.
 */
public final class Active {
    public static void main(String[] args) throws Exception {
        System.out.println("active=" + active());
        for (String library : mapped()) {
            System.out.println("library=" + library);
        }
        for (String arg : args) {
            if (arg.startsWith("list=")) {
                String[] names = new java.io.File(arg.substring(5)).list();
                for (String name : names == null ? new String[0] : names) {
                    System.out.println("left=" + name);
                }
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
        Set<String> libraries = new LinkedHashSet<String>();
        byte[] maps = Files.readAllBytes(Paths.get("/proc/self/maps"));
        for (String line : new String(maps, StandardCharsets.UTF_8).split("\n")) {
            int path = line.indexOf('/');
            if (path >= 0 && line.contains(" r-xp ") && line.contains("libthreadclock.so")) {
                libraries.add(line.substring(path));
            }
        }
        return libraries;
    }
}
