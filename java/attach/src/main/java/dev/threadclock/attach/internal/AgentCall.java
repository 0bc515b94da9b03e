// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.JvmStatus;
import dev.threadclock.attach.internal.ProcMaps.Mapped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Makes the agent in the target do something, and fetches its report. Loads the library if need be. */
final class AgentCall {
    private static final String STAYS = "; restart that JVM to remove it, or leave it: it keeps working";

    private final Target target;
    private final AttachRequest request;

    /** Only inspects; fails if it is clear that the JVM will not cooperate. */
    AgentCall(Target target, Duration timeout) {
        this.target = target;
        request = new AttachRequest(target, timeout);
        target.threadclocks().forEach(this::checkReachable);
    }

    /**
     * Of what the JVM will or may print: it counts only libraries loaded as agents, not those of System.load.
     */
    Optional<String> warning() {
        JvmFacts facts = target.facts();
        List<Mapped> copies = target.threadclocks();
        boolean fromJava = !copies.isEmpty() && facts.hasJavaAgent()
                && copies.stream()
                        .noneMatch(copy -> facts.hasAgentPath(target.inside(copy.path())));
        return facts.warns() && (copies.isEmpty() || fromJava)
                ? Optional.of("that JVM " + (fromJava ? "may" : "will")
                        + " print its own warning about a dynamically loaded agent (JEP 451); to"
                        + " prevent it, start the JVM with -XX:+EnableDynamicAgentLoading"
                        + (fromJava ? ""
                                : "; if native threads attach to it and detach all the time, its first agent"
                                        + " may crash it (HotSpot's fault): start it with one"))
                : Optional.empty();
    }

    /** action: attach or status. options: further agent options, may be "". */
    JvmStatus make(String action, String options) {
        return reported(request.load(active(paths()),
                "do=" + action + (options.isEmpty() ? "" : "," + options), false));
    }

    /** Several copies may answer, one on top of the other: each is asked to stop. */
    void detach() {
        paths().forEach(path -> reported(request.load(path, "do=detach", false)));
    }

    /** Over which the agent sends what the options ask for. */
    Connection connection(String options) {
        AttachAnswer answer = request.load(active(paths()), options, true);
        try {
            reported(answer);
        } catch (IllegalArgumentException | AttachException e) {
            answer.close();
            throw e;
        }
        if (answer.connection() == null) {
            throw new AttachException("the agent in the JVM " + target
                    + " reported success but did not connect; please report this bug");
        }
        return answer.connection();
    }

    /**
     * An application may have loaded copies of its own: the one that matters has replaced the JVM's methods.
     */
    private String active(List<String> paths) {
        for (String path : paths) {
            if (paths.size() == 1 || reported(request.load(path, "do=status", false)).isActive()) {
                return path;
            }
        }
        return paths.get(0);
    }

    private JvmStatus reported(AttachAnswer answer) {
        Optional<JvmStatus> status = answer.status();
        if (status.isPresent()) {
            return status.get();
        }
        String jvm = "the JVM " + target;
        if (answer.forbidden() && target.hasThreadclock()) {
            throw new AttachException(jvm
                    + " has threadclock loaded, but was started with -XX:-EnableDynamicAgentLoading, so no"
                    + " command can reach it; threadclock keeps working there, or restart the JVM without"
                    + " that option");
        }
        if (answer.forbidden()) {
            throw new AttachException(jvm + " takes no agent while it runs: " + answer.refusal()
                    + " Or start it with -agentpath:libthreadclock.so");
        }
        if (!answer.loaded()) {
            throw new AttachException(jvm + " did not load the library: " + answer.refusal()
                    + (target.hasThreadclock() ? STAYS
                            : "; start that JVM with -agentpath:libthreadclock.so"));
        }
        throw new AttachException("the threadclock in " + target
                + " does not answer: that JVM cannot open the file for it (has it file"
                + " descriptors left?), or its threadclock is of another version; free some, or restart"
                + " that JVM with this one");
    }

    /**
     * The paths by which the target's dynamic linker knows loaded copies; if it knows none, that of one to
     * load: a copy that is loaded later hands over to the first.
     */
    private List<String> paths() {
        List<String> paths = target.threadclocks().stream().map(this::pathOf).flatMap(Optional::stream)
                .toList();
        return paths.isEmpty() ? List.of(AttachRequest.LIBRARY) : paths;
    }

    /**
     * musl's dynamic linker looks at the file: once it has no name any more, at the descriptor that a copy
     * keeps which was loaded as an agent (instance_keep_file).
     */
    private Optional<String> pathOf(Mapped copy) {
        return copy.deleted() && target.maps().isMusl()
                ? target.process().descriptorOf(Set.of(copy.path() + " (deleted)"))
                        .map(number -> "/proc/self/fd/" + number)
                : Optional.of(target.inside(copy.path()));
    }

    /** A path that loaded a second copy would be worse than none: the state is in the first. */
    private void checkReachable(Mapped copy) {
        if (!copy.deleted() || target.maps().isMusl()) {
            return;
        }
        String path = target.inside(copy.path());
        // glibc compares names before it opens a file; the name is certain only if it was given by -agentpath
        // or by us.
        if (target.hasFile(path) && !target.facts().hasAgentPath(path)) {
            throw new AttachException("the JVM " + target + " has loaded " + path
                    + ", but another file is there now" + STAYS);
        }
    }
}
