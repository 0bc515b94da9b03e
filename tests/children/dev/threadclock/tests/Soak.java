// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import dev.threadclock.tests.child.Storm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * JVMs run with the agent for hours: every method of ThreadMXBean and of the Java library is called and
 * checked while threads come and go, the agent is detached and attached, and top and record sample. Prints a
 * line per minute for each JVM, and at the end whether memory, descriptors and threads have stayed constant.
 * A separate program, run by ci/soak.
 *
 * <p>Arguments: minutes, the agent's library, the jar, {@code attach} or {@code noattach} (without detaching
 * and attaching), Java homes. Exit status: 0 if all is constant, no answer was wrong and nothing crashed,
 * else 1.
 */
public final class Soak {
    static final String TITLE = "Soak: JVMs with the agent; the load is Storm's at rest, with top, record,"
            + " attach and detach";
    private static final int SAMPLE_SECONDS = 5;
    private static final int COMMAND_EVERY_SECONDS = 15;

    public static void main(String[] args) throws Exception {
        long seconds = Math.round(Double.parseDouble(args[0]) * 60);
        Path library = Path.of(args[1]);
        Path jar = Path.of(args[2]);
        boolean attaches = args[3].equals("attach");
        List<SoakJvm> jvms = new ArrayList<>();
        Path folder = Files.createTempDirectory("soak-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> jvms.forEach(SoakJvm::kill)));
        for (String home : Arrays.asList(args).subList(4, args.length)) {
            jvms.add(new SoakJvm(Path.of(home), library, jar,
                    Files.createDirectory(folder.resolve("jvm" + jvms.size()))));
        }
        ResultFile.line(TITLE, SoakJvm.HEADER);
        soak(jvms, seconds, attaches);
        boolean fine = true;
        for (SoakJvm jvm : jvms) {
            fine &= jvm.end(seconds);
        }
        ResultFile.line(TITLE, "verdict: " + (fine ? "flat, and no wrong answer" : "FAILED, see above"));
        System.exit(fine ? 0 : 1);
    }

    private static void soak(List<SoakJvm> jvms, long seconds, boolean attaches)
            throws IOException, InterruptedException {
        long began = System.nanoTime();
        int turn = 0;
        long nextCommand = COMMAND_EVERY_SECONDS;
        long nextLine = 60;
        for (long at = 0; at < seconds; at = (System.nanoTime() - began) / 1_000_000_000) {
            Thread.sleep(SAMPLE_SECONDS * 1000L);
            at = (System.nanoTime() - began) / 1_000_000_000;
            for (SoakJvm jvm : jvms) {
                jvm.sample(at);
            }
            if (at >= nextCommand) {
                nextCommand += COMMAND_EVERY_SECONDS;
                SoakJvm jvm = jvms.get(turn % jvms.size());
                jvm.command(turn / jvms.size(), attaches);
                turn++;
            }
            if (at >= nextLine) {
                nextLine += 60;
                for (SoakJvm jvm : jvms) {
                    ResultFile.line(TITLE, jvm.line(at));
                }
            }
        }
    }

    /** The program that the JVMs run. */
    static final Class<?> PROGRAM = Storm.class;
}
