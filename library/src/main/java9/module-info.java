// SPDX-License-Identifier: Apache-2.0
// The library as a module; META-INF/versions/9 of the jar.

/** CPU time of threads on Linux: user, system and total, right and cheap. */
module dev.threadclock {
    // Only where there is no native code, and for the names of Java threads.
    requires static java.management;
    requires static jdk.management;

    exports dev.threadclock;
}
