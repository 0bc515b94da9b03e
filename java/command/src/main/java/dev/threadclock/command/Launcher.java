// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * The Main-Class of the jar: starts the command line on Java 17 or later, and prints a message on older
 * versions. It is Java 8 bytecode, so that an old Java can print that message.
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
                    + " unchanged: java -agentpath:libthreadclock.so ...");
            System.exit(1);
        }
        // By reflection, because that class file has a newer version than this one.
        Method main = Class.forName("dev.threadclock.command.Main").getMethod("main", String[].class);
        try {
            main.invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Called by the JVM for {@code -javaagent:threadclock.jar}, which is not the agent: it runs without. */
    public static void premain(String options) {
        System.err.println("threadclock: threadclock.jar is the command line, not the agent, so this JVM runs"
                + " without threadclock; start it with -agentpath:libthreadclock.so, or with"
                + " -javaagent:threadclock-agent.jar");
    }

    /** Converts "1.8" to 8 and "17" to 17. */
    static int feature(String specification) {
        return Integer.parseInt(specification.startsWith("1.") ? specification.substring(2) : specification);
    }
}
