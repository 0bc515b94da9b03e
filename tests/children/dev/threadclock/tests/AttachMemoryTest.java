// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Proc;
import dev.threadclock.tests.child.Steady;
import dev.threadclock.tests.child.StormState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;

/**
 * The growth of a JVM's memory over hundreds of attach and detach, compared with the same number of loads of
 * an agent that does nothing. {@code -Dthreadclock.memory=all}: on every JDK, with two kinds of heap, for
 * longer, and compared with the same time without any agent, too.
 */
class AttachMemoryTest {
    private static final boolean ALL = System.getProperty("threadclock.memory", "").equals("all");
    private static final int CYCLES = ALL ? 1000 : 150;
    private static final int WARM_UP = CYCLES / 5;
    /** The permitted excess over such an agent: half a kilobyte per thousand cycles, malloc's granularity. */
    private static final long MORE_KILOBYTES = 2048;
    private static final Pattern COMMITTED = Pattern.compile("Total: reserved=\\d+KB, committed=(\\d+)KB");
    private static final Pattern HEAP = Pattern
            .compile("Java Heap \\(reserved=\\d+KB, committed=(\\d+)KB\\)");

    @TempDir
    Path folder;

    private enum What {
        THREADCLOCK, NOTHING, NONE
    }

    private record Memory(long resident, long committed, long heap) {}

    @OnEachJdk
    void attachAndDetachLeaveNoMoreThanAnAgentThatDoesNothing(TestJdk jdk) throws Exception {
        assumeTrue(ALL || jdk.isThorough(), "on the thorough JDKs only");
        long millis = 0;
        List<String> fixed = List.of("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch");
        for (List<String> heap : ALL ? List.of(fixed, List.of("-Xmx256m")) : List.of(fixed)) {
            long[] more = new long[What.values().length];
            for (What what : ALL ? What.values() : new What[]{What.THREADCLOCK, What.NOTHING}) {
                long began = System.nanoTime();
                more[what.ordinal()] = grows(jdk, heap, what, millis);
                millis = Math.max(millis, (System.nanoTime() - began) / 1_000_000);
            }
            if (heap.equals(fixed)) {
                assertThat(more[What.THREADCLOCK.ordinal()])
                        .as("kilobytes more than with an agent that does nothing")
                        .isLessThan(more[What.NOTHING.ordinal()] + MORE_KILOBYTES);
            }
        }
    }

    /** Returns the growth of RSS in kilobytes after the first cycles. */
    private long grows(TestJdk jdk, List<String> heap, What what, long millis) throws Exception {
        Path page = Files.createTempFile(folder, "state", "");
        StormState state = new StormState(page.toString());
        ChildJvm child = ChildJvm.of(jdk).with(heap)
                .with("-XX:NativeMemoryTracking=summary").withCrashes(folder).withDynamicAgents();
        Running running = child.start(Steady.class, page);
        Memory before;
        Memory after;
        try {
            running.await("reads", () -> state.reads() > 0);
            AttachChannel channel = new AttachChannel(running.process(), folder);
            cycles(channel, what, WARM_UP, millis / 5);
            before = memory(channel, running);
            cycles(channel, what, CYCLES, millis);
            after = memory(channel, running);
        } finally {
            state.end();
        }
        running.end().exits(0);
        assertThat(ChildJvm.crash(folder)).isEmpty();
        ResultFile.line(String.format(
                "%-24s %-40s %-12s %5d times: RSS %7d -> %7d (%+6d), committed %7d -> %7d (%+6d), heap %+d",
                jdk, String.join(" ", heap), what, what == What.NONE ? 0 : CYCLES, before.resident,
                after.resident, after.resident - before.resident, before.committed, after.committed,
                after.committed - before.committed, after.heap - before.heap));
        return after.resident - before.resident;
    }

    private static void cycles(AttachChannel channel, What what, int times, long millis) throws IOException {
        if (what == What.NONE) {
            AttachJvm.sleep(millis);
            return;
        }
        for (int i = 0; i < times; i++) {
            if (what == What.THREADCLOCK) {
                assertThat(channel.agent(Product.LIBRARY, "do=attach,total=tick")).startsWith("ok\n");
                assertThat(channel.agent(Product.LIBRARY, "do=detach")).startsWith("ok\n");
            } else {
                channel.load(Path.of(CLibrary.assume("company")), "nothing");
                channel.load(Path.of(CLibrary.assume("company")), "nothing");
            }
        }
    }

    private static Memory memory(AttachChannel channel, Running running) throws IOException {
        String summary = channel.request("jcmd", "VM.native_memory summary", "", "");
        long resident = Proc.status(running.process().pid(), "VmRSS");
        return new Memory(resident, number(COMMITTED, summary), number(HEAP, summary));
    }

    private static long number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }
}
