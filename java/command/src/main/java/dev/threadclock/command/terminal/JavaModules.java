// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The modules of the JDK that a command needs besides java.base. A runtime made by jlink may lack them. */
public final class JavaModules {
    private JavaModules() {}

    /** Fails if this runtime lacks one of them; to be called before the command does anything. */
    public static void require(String... names) {
        String missing = Arrays.stream(names).filter(name -> ModuleLayer.boot().findModule(name).isEmpty())
                .collect(Collectors.joining(","));
        if (!missing.isEmpty()) {
            throw new Failure("this needs the module " + missing + ", without which the Java at "
                    + System.getProperty("java.home")
                    + " was made (by jlink?); run it with a whole JDK or JRE 17 or later, or make that one"
                    + " with --add-modules "
                    + missing);
        }
    }
}
