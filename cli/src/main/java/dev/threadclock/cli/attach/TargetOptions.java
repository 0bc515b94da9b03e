// SPDX-License-Identifier: Apache-2.0
// What attach, detach and status have in common: the process, by its number.
package dev.threadclock.cli.attach;

import picocli.CommandLine.Parameters;

final class TargetOptions extends PatienceOption {
    @Parameters(index = "0", paramLabel = "PID", description = "The JVM's process number.")
    private String pid;

    int pid() {
        return number(pid, Integer.MAX_VALUE, "not a process number: " + pid);
    }
}
