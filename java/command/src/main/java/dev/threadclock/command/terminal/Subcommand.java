// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.util.concurrent.Callable;

/**
 * A command of threadclock; its result is the exit status. Each module lists its commands in
 * META-INF/services, where the command line finds them, so that no module depends on the command line.
 */
public interface Subcommand extends Callable<Integer> {
    /** Its position in the help's list of commands. The lowest comes first. */
    int place();
}
