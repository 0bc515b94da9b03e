// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Whatever a JVM, or an impostor, says about itself: its reply, the agent's report, its counters, its command
 * line, its files.
 */
public final class TargetFuzz {
    private TargetFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        AttachReply.parse(input).ifPresent(reply -> {
            reply.loaded();
            reply.forbidden();
            reply.notExecutable();
            reply.refusal();
        });
        AgentReport.parse(text).ifPresent(report -> report.status().isActive());
        JvmOptions.of(PerfData.parse(input));
        JavaCommandLine.of(List.of(text.split("\0")), path -> text).masked();
        ProcMaps.parse(text).threadclocks();
    }
}
