// SPDX-License-Identifier: Apache-2.0
// What experiments are given to work with.
package dev.threadclock.cli.lab.model;

import dev.threadclock.cli.Jdk;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * @param quick to be measured shortly: orders of magnitude
 * @param jdks of this machine, the oldest first
 * @param jar dist/threadclock.jar
 * @param bench what ./threadclock lab has built beside it (bench/build), if it runs from a checkout
 * @param scratch a folder of the experiment's own, empty at its start, gone after it
 * @param progress takes one line that says what is being done at the moment
 */
public record Lab(boolean quick, List<Jdk> jdks, Path jar, Optional<Path> bench, Path scratch, Consumer<String> progress) {}
