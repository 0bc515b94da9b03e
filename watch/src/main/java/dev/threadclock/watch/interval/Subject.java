// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

/**
 * What was recorded.
 *
 * @param jvm its PID and command, as "1234 (java -jar app.jar)"
 * @param jdk its version, VM and vendor; "" if unknown
 * @param commandLine its options and what it runs, without what looks secret; "" if unknown
 * @param threadclock version of the recorder; "" if unknown
 */
public record Subject(String jvm, String jdk, String commandLine, String threadclock) {}
