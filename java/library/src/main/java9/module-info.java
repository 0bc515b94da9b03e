// SPDX-License-Identifier: Apache-2.0

/** CPU time of threads on Linux: user, system and total, right and cheap. */
module dev.threadclock {
    // Only needed without native code, and for the names of Java threads.
    requires static java.management;
    requires static jdk.management;

    exports dev.threadclock;
    exports dev.threadclock.internal to dev.threadclock.attach;
}
