// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.internal.JavaCommandLine;
import dev.threadclock.attach.internal.TargetProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A JVM that was running when it was listed: its process number and its command line, from {@code /proc}. The
 * JVM does not notice. Immutable.
 */
public final class RunningJvm {
    private final int pid;
    private final JavaCommandLine command;

    private RunningJvm(int pid, JavaCommandLine command) {
        this.pid = pid;
        this.command = command;
    }

    static List<RunningJvm> all() {
        List<RunningJvm> all = new ArrayList<>();
        for (Path process : TargetProcess.all()) {
            TargetProcess.command(process, false).ifPresent(command -> all
                    .add(new RunningJvm(Integer.parseInt(process.getFileName().toString()), command)));
        }
        all.sort(Comparator.comparingInt(RunningJvm::pid));
        return all;
    }

    static List<RunningJvm> named(String name) {
        List<RunningJvm> all = all();
        List<RunningJvm> exact = all.stream().filter(jvm -> jvm.is(name)).toList();
        return exact.isEmpty() ? all.stream().filter(jvm -> jvm.command.what().contains(name)).toList()
                : exact;
    }

    /**
     * Its process number, for {@link Jvm#open(long)}.
     *
     * @return the number as this process sees it
     */
    public int pid() {
        return pid;
    }

    /**
     * What it runs, without options and arguments.
     *
     * @return {@code "java -jar app.jar"}: one line of at most 100 characters, safe to print
     */
    public String command() {
        return command.toString();
    }

    /**
     * What it runs, with the program's own arguments, which may contain secrets and control characters.
     *
     * @return {@code "java -jar app.jar 8080"}, unchanged and of any length: not safe to print
     */
    public String commandWithArguments() {
        return command.whole();
    }

    private boolean is(String name) {
        String what = command.what();
        return what.equals(name) || what.endsWith("." + name) || what.endsWith("/" + name)
                || what.equals(name + ".jar");
    }

    /**
     * The process number and what it runs, for lists and messages.
     *
     * @return {@code "4711 (java -jar app.jar)"}
     */
    @Override
    public String toString() {
        return pid + " (" + command + ")";
    }
}
