// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

/** The version of threadclock, from the jar's manifest. */
public final class Version {
    private Version() {}

    public static String current() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(not built into a jar)" : version;
    }
}
