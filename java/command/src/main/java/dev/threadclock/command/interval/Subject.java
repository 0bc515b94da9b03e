// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.interval;

/**
 * What was recorded.
 *
 * @param jvm PID and command of the JVM, as "1234 (java -jar app.jar)"; "1234 by /proc alone (...)" for a JVM
 *     that refuses agents
 * @param jdk version, VM and vendor of the JDK; "" if unknown
 * @param commandLine the JVM's options and what it runs, without anything that looks secret; "" if unknown
 * @param threadclock version of the recorder; "" if unknown
 */
public record Subject(String jvm, String jdk, String commandLine, String threadclock) {}
