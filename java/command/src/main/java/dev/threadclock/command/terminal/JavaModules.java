// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

/** The modules of the JDK that a command needs besides java.base. A runtime made by jlink may lack them. */
public final class JavaModules {
    private JavaModules() {}

    /** Fails if this runtime lacks it; to be called before the command does anything. */
    public static void require(String module) {
        if (ModuleLayer.boot().findModule(module).isEmpty()) {
            throw new Failure("this needs the module " + module + ", without which the Java at "
                    + System.getProperty("java.home")
                    + " was made (by jlink?); run it with a whole JDK or JRE 17 or later, or make that one"
                    + " with --add-modules " + module);
        }
    }
}
