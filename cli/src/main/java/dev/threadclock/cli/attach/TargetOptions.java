// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.attach;

import picocli.CommandLine.Parameters;

/** The options that attach, detach and status share: the process, by its PID. */
final class TargetOptions extends PatienceOption {
    @Parameters(index = "0", paramLabel = "PID", description = "The JVM's process number.")
    private String pid;

    int pid() {
        return number(pid, Integer.MAX_VALUE, "not a process number: " + pid);
    }
}
