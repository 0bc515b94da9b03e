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
        List<String> names = new ArrayList<>();
        for (String tid : new File("/proc/" + pid + "/task").list()) {
            try {
                names.add(new String(Files.readAllBytes(Paths.get("/proc/" + pid + "/task/" + tid + "/comm")),
                        StandardCharsets.UTF_8).trim());
            } catch (IOException e) {
                names.add("");
            }
        }
        return names;
    }
}
