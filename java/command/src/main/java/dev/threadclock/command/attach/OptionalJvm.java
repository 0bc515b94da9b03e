// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.internal.Target;
import java.util.Optional;
import picocli.CommandLine.Parameters;

/** The JVM that a command may be about, or the JDKs instead. Options of a command, as a mixin. */
public final class OptionalJvm extends PatienceOption {
    @Parameters(index = "0", arity = "0..1", paramLabel = "JVM",
            description = JvmName.DESCRIPTION + " If omitted, examine the JDKs of this machine.")
    private String jvm;

    /** Fails, as attach does, if there is no HotSpot JVM of this name that we may inspect. */
    public Optional<Target> open() {
        String named = given(jvm);
        return named == null ? Optional.empty() : Optional.of(open(pidOf(named), warning -> {
        }));
    }

    public boolean isNamed() {
        return given(jvm) != null;
    }
}
