// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.node;

import dev.threadclock.attach.internal.JavaCommandLine;
import dev.threadclock.attach.internal.Printable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a process's command line and control groups say of it. */
final class NodeLabels {
    private static final int LONGEST = 100;
    /** As the kubelet writes it: with underscores under systemd; without either for a static pod. */
    private static final Pattern POD = Pattern
            .compile("\\bpod([0-9a-f]{8}([-_]?)[0-9a-f]{4}(?:\\2[0-9a-f]{4}){2}\\2[0-9a-f]{12})(?=[./])");
    /**
     * "/docker/ID", "docker-ID.scope", "cri-containerd-ID.scope", "crio-ID.scope", "libpod-ID.scope",
     * "SLICE:cri-containerd:ID".
     */
    private static final Pattern CONTAINER = Pattern.compile("[-/:]([0-9a-f]{64})(?=\\.scope|/|$)",
            Pattern.MULTILINE);

    /** The groups below it are the user's, who may give them any names (Delegate= in user@.service). */
    private static final Pattern USERS_OWN = Pattern.compile("/user@\\d+\\.service/.*");

    private NodeLabels() {}

    /**
     * The main class or jar, the container's ID and the pod's, "" if unknown. A program in a
     * container can give its own groups any names, so the outermost match counts. Users can do so below
     * user@UID.service, so nothing there counts.
     *
     * @param commandLine as /proc/PID/cmdline, which may be truncated
     * @param groups as /proc/PID/cgroup
     */
    static String[] of(byte[] commandLine, byte[] groups) {
        List<String> words = List.of(new String(commandLine, StandardCharsets.UTF_8).split("\0"));
        JavaCommandLine command = JavaCommandLine.of(words, file -> "");
        // A program that embeds a JVM has arguments of its own, which are nobody else's business.
        String main = command.program().matches("java|jsvc.*") && !command.what().isEmpty() ? command.what()
                : command.program();
        String text = USERS_OWN.matcher(new String(groups, StandardCharsets.ISO_8859_1)).replaceAll("");
        Matcher pod = POD.matcher(text);
        boolean inPod = pod.find();
        Matcher container = CONTAINER.matcher(text);
        boolean inContainer = container.find(inPod ? pod.end() : 0);
        return new String[]{Printable.line(main.substring(main.lastIndexOf('/') + 1), LONGEST),
            inContainer ? container.group(1) : "", inPod ? pod.group(1).replace('_', '-') : ""};
    }
}
