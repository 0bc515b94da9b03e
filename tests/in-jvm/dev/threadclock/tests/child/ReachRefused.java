// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A child program: shows what reach=jvm does if mprotect is refused to the requesting thread, and if libjvm
 * reads the PROF clock. Arguments: the helper library, the agent's, an existing file for reports. Prints for
 * each step {@code STEP: changed words; what libjvm is answered by; the first line of the agent's answer}.
 */
public final class ReachRefused {
    // Bits 2..0 of a clock id, for TID 0: the calling thread.
    private static final int OWN_PROF = ~0 << 3 | 4;
    private static final int OWN_VIRT = ~0 << 3 | 5;

    private static Path report;
    private static String library;
    private static LibjvmMemory before;

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        library = args[1];
        report = Paths.get(args[2]);
        before = new LibjvmMemory();
        say("bean", ask("reach=bean"));
        refused("refused", "reach=jvm");
        say("jvm", ask("reach=jvm"));
        refused("kept", "do=detach");
        say("again", ask("reach=jvm"));
        refused("kept again", "reach=bean");
        say("third", ask("reach=jvm"));
        long clockGettime = before.changed(new LibjvmMemory()).get(0);
        say("VIRT", answered(clockGettime, OWN_VIRT));
        say("PROF", answered(clockGettime, OWN_PROF));
        say("VIRT again", answered(clockGettime, OWN_VIRT));
        say("fourth", ask("reach=jvm"));
        say("detached", ask("do=detach"));
    }

    /** Runs the step in a thread that may not change the protection of memory. */
    private static void refused(String step, String options) throws Exception {
        String[] answer = {"not refused"};
        Thread thread = new Thread(() -> {
            if (Helper.refuseMprotect()) {
                answer[0] = ask(options);
            }
        });
        thread.start();
        thread.join();
        say(step, answer[0]);
    }

    private static void say(String step, String answer) throws Exception {
        int changed = before.differences(new LibjvmMemory());
        System.out.println(step + ": " + changed + "; " + value("libjvm.user_time") + "; "
                + answer.split("\n")[0]);
    }

    /** "an error" if the function fails, otherwise the number of reads that the core has answered. */
    private static String answered(long clockGettime, int clock) {
        return Helper.clock(clockGettime, clock) < 0 ? "an error" : value("libjvm.answered");
    }

    private static String value(String key) {
        return Arrays.stream(ask("do=status").split("\n")).filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1)).collect(Collectors.joining());
    }

    private static String ask(String options) {
        try {
            Files.write(report, new byte[0]);
            Helper.attach(library, "report=" + report + "," + options);
            return new String(Files.readAllBytes(report)).trim();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
