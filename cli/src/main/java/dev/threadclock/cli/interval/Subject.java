// SPDX-License-Identifier: Apache-2.0
// What a recording is of.
package dev.threadclock.cli.interval;

/**
 * @param jvm its process number and command, as "1234 (java -jar app.jar)"
 * @param threadclock version of who recorded; "" if not known
 */
public record Subject(String jvm, String threadclock) {}
