// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.model;

import dev.threadclock.command.jdk.Jdk;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The environment that experiments are given.
 *
 * @param quick measure briefly: orders of magnitude
 * @param jdks of this machine, the oldest first
 * @param jar dist/threadclock.jar
 * @param programs what ./threadclock lab has built beside it (build/lab), if it runs from a checkout
 * @param scratch the experiment's own folder, empty at its start, deleted after it
 * @param progress accepts one line that describes the current step
 */
public record Lab(boolean quick, List<Jdk> jdks, Path jar, Optional<Path> programs, Path scratch,
        Consumer<String> progress) {}
