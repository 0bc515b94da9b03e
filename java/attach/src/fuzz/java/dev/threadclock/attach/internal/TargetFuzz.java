// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.JvmStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/**
 * Whatever a JVM, or an impostor, says about itself: its reply, the agent's report, its counters, its command
 * line, its files.
 */
public final class TargetFuzz {
    private TargetFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        AttachAnswer.parse(input, text, null, null).ifPresent(answer -> {
            answer.loaded();
            answer.forbidden();
            answer.notExecutable();
            answer.refusal();
        });
        try {
            new AttachAnswer(0, "", text, null, null).status().ifPresent(JvmStatus::isActive);
        } catch (IllegalArgumentException | AttachException e) {
            // The agent says that it failed.
        }
        JvmFacts.recordedOptions(PerfData.parse(input));
        JavaCommandLine.of(List.of(text.split("\0")), path -> text).masked();
        ProcMaps.parse(text).threadclocks(Set.of());
    }
}
