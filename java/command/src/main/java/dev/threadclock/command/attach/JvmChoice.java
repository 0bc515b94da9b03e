// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.internal.Target;
import picocli.CommandLine.Parameters;

/**
 * Selects the JVM that a command is about, from a list if it is not named. Options of a command, as a
 * mixin.
 */
public final class JvmChoice extends PatienceOption {
    @Parameters(index = "0", arity = "0..1", paramLabel = "JVM",
            description = JvmName.DESCRIPTION + " If omitted, choose from a list.")
    private String jvm;

    private int pid;

    /** Chosen at the first call. */
    public int pid() {
        if (pid == 0) {
            String named = given(jvm);
            pid = named == null ? JvmName.chosen() : pidOf(named);
        }
        return pid;
    }

    /** Fails, as attach does, if it is no HotSpot JVM that we may inspect. */
    public Target open() {
        return open(pid());
    }
}
