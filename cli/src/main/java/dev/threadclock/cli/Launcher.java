// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * The Main-Class of the jar: starts the command line on Java 17 or later, and says what is needed on an older
 * one. Java 8 bytecode, so that an old Java can print that message.
 */
public final class Launcher {
    private static final int NEEDED = 17;

    private Launcher() {}

    public static void main(String[] args) throws Throwable {
        int feature = feature(System.getProperty("java.specification.version"));
        if (feature < NEEDED) {
            System.err.println("threadclock: the command line needs Java " + NEEDED
                    + " or later, and this is Java " + feature
                    + " (" + System.getProperty("java.home")
                    + "); run it with a newer java. Programs on Java 8 or later can use the agent"
                    + " unchanged: java -javaagent:threadclock.jar ...");
            System.exit(1);
        }
        // By reflection: the class file is newer than this one.
        Method main = Class.forName("dev.threadclock.cli.Main").getMethod("main", String[].class);
        try {
            main.invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** "1.8" is 8, "17" is 17. */
    static int feature(String specification) {
        return Integer.parseInt(specification.startsWith("1.") ? specification.substring(2) : specification);
    }
}
