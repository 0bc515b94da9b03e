// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** What /proc says of a process. */
public final class Proc {
    /** A field of its status, such as VmRSS in kilobytes; 0 if there is none. pid may be "self". */
    public static long status(Object pid, String field) throws IOException {
        return Files.readAllLines(Paths.get("/proc/" + pid + "/status"), StandardCharsets.ISO_8859_1).stream()
                .filter(line -> line.startsWith(field + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).findFirst().orElse(0);
    }

    /** The kernel's names of its threads. One that has ended meanwhile has the name "". */
    public static List<String> threads(Object pid) {
        return ofThreads(pid, "comm");
    }

    /** The states of its threads, such as "S (sleeping)". One that has ended meanwhile has the state "". */
    public static List<String> states(Object pid) {
        List<String> states = ofThreads(pid, "status");
        states.replaceAll(status -> status.replaceAll("(?s).*\nState:\t([^\n]*).*", "$1"));
        return states;
    }

    private static List<String> ofThreads(Object pid, String file) {
        List<String> contents = new ArrayList<>();
        for (String tid : new File("/proc/" + pid + "/task").list()) {
            try {
                contents.add(new String(Files.readAllBytes(Paths.get("/proc/" + pid + "/task", tid, file)),
                        StandardCharsets.UTF_8).trim());
            } catch (IOException e) {
                contents.add("");
            }
        }
        return contents;
    }
}
