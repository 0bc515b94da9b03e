// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.File;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * A child program: runs the command line's attach and detach many times in one JVM. Arguments: PID, number of
 * times. Prints to stderr, after the first and the last time, the number of open files and of file-backed
 * mappings of both processes. Exits with 1 as soon as a command fails.
 */
public final class AttachRepeatedly {
    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[1]);
        // By reflection: the command line is compiled for a newer Java than these programs.
        Method run = Class.forName("dev.threadclock.command.Main").getMethod("run", String[].class);
        for (int i = 1; i <= times; i++) {
            for (String command : new String[]{"attach", "detach"}) {
                if ((Integer) run.invoke(null, (Object) new String[]{command, args[0]}) != 0) {
                    System.exit(1);
                }
            }
            if (i == 1 || i == times) {
                System.err.println("target: " + held(args[0]) + "; command: " + held("self"));
            }
        }
        System.exit(0);
    }

    /** The lowest number in half a second, because the JVM closes a connection a moment after its answer. */
    private static int openFiles(String pid) throws Exception {
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            least = Math.min(least, new File("/proc/" + pid + "/fd").list().length);
            Thread.sleep(25);
        }
        return least;
    }

    private static String held(String pid) throws Exception {
        int files = openFiles(pid);
        int mappings = 0;
        byte[] maps = Files.readAllBytes(Paths.get("/proc/" + pid + "/maps"));
        for (String line : new String(maps, StandardCharsets.UTF_8).split("\n")) {
            mappings += line.indexOf('/') >= 0 ? 1 : 0;
        }
        return files + " files, " + mappings + " mappings";
    }
}
