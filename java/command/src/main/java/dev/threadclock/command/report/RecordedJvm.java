// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.report;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The Flight Recorder event that identifies the JVM of the other events, if another process wrote them. */
@Name(RecordedJvm.NAME)
@Label("Recorded JVM")
@Description("The JVM that the CPU times of this recording are of")
@Category({"Java Virtual Machine", "Runtime", "threadclock"})
@StackTrace(false)
public final class RecordedJvm extends Event {
    public static final String NAME = "dev.threadclock.RecordedJvm";

    @Label("JVM")
    @Description("Process number and command")
    public String jvm;

    @Label("JDK")
    @Description("Version, VM and vendor; empty if unknown")
    public String jdk;

    @Label("Command Line")
    @Description("Its options and what it runs; *** stands for values that may be secret")
    public String commandLine;

    @Label("threadclock")
    @Description("Version of the threadclock that has recorded")
    public String threadclock;
}
