// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.ThreadClock;
import dev.threadclock.internal.Native;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * A child program: shows which copy of the native library answers the Java API. Prints {@code user=NANOS} and
 * {@code library=PATH}, the mapping that contains the function called by the API.
 */
public final class LibraryShared {
    public static void main(String[] args) throws Exception {
        long user = ThreadClock.userNanos();
        Method addressOf = Native.class.getDeclaredMethod("address", String.class);
        addressOf.setAccessible(true);
        long address = (long) addressOf.invoke(null, "threadclock_user_tick_ns");
        String maps = new String(Files.readAllBytes(Paths.get("/proc/self/maps")), StandardCharsets.UTF_8);
        for (String line : maps.split("\n")) {
            String[] range = line.substring(0, line.indexOf(' ')).split("-");
            if (Long.compareUnsigned(address, Long.parseUnsignedLong(range[0], 16)) >= 0
                    && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0) {
                System.out.println(
                        "user=" + user + " library=" + line.substring(line.indexOf('/')).replace(' ', '_'));
            }
        }
    }
}
