// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.internal.Target;
import picocli.CommandLine.Parameters;

/** The options that attach, detach and status share: the JVM, which has to be named. */
final class TargetOptions extends PatienceOption {
    @Parameters(index = "0", arity = "0..1", paramLabel = "JVM", description = JvmName.DESCRIPTION)
    private String jvm;

    Target open() {
        return open(named(given(jvm)));
    }

    /** For a command with another parameter, which is the first one if the JVM is given with -p. */
    Target open(String other) {
        return isOption() && other.isEmpty() ? open(named(given(null))) : open();
    }

    /** That other parameter. */
    String other(String other) {
        return isOption() && other.isEmpty() && jvm != null ? jvm : other;
    }

    private int named(String jvm) {
        if (jvm == null) {
            throw wrong("which JVM? Give its process number, or (part of) the name of its main class or jar");
        }
        return pidOf(jvm);
    }
}
