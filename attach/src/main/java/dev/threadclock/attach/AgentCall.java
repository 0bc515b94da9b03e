// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.ProcMaps.Mapped;
import dev.threadclock.attach.TargetFolders.Place;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Makes the agent in the target do something, and fetches its report. Loads the library if it is not loaded
 * yet. From the first request on, the process runs as the target's user.
 */
final class AgentCall implements Closeable {
    private static final String STAYS = "; restart that JVM to remove it, or leave it: it keeps working";

    private final Target target;
    private final Deadline deadline;
    private final AttachListener listener;
    private final TargetFolders places;

    /** Only inspects; fails if it is clear that the JVM will not cooperate. */
    AgentCall(Target target, Deadline deadline) {
        this.target = target;
        this.deadline = deadline;
        TargetUser.prepare();
        listener = new AttachListener(target, deadline);
        places = new TargetFolders(target);
        target.maps().threadclocks().forEach(this::checkReachable);
    }

    /**
     * Of what the JVM will or may print: it counts only libraries loaded as agents, not those of System.load.
     */
    Optional<String> warning() {
        JvmFacts facts = listener.facts();
        List<Mapped> copies = target.maps().threadclocks();
        boolean fromJava = !copies.isEmpty() && facts.options().hasJavaAgent()
                && copies.stream().noneMatch(copy -> facts.options().hasAgentPath(pathOf(copy)));
        return facts.warns() && (copies.isEmpty() || fromJava)
                ? Optional.of("that JVM " + (fromJava ? "may" : "will")
                        + " print its own warning about a dynamically loaded agent (JEP 451); to"
                        + " prevent it, start the JVM with -XX:+EnableDynamicAgentLoading")
                : Optional.empty();
    }

    /** action: attach, status or sample. options: further agent options, may be "". */
    AgentReport make(String action, String options) {
        target.become();
        String all = "do=" + action + (options.isEmpty() ? "" : "," + options);
        List<Mapped> copies = target.maps().threadclocks();
        return copies.isEmpty() ? loadOurs(all) : ask(pathOf(active(copies)), all);
    }

    /** Several copies may answer, one on top of the other: each is asked to stop. */
    void detach() {
        target.become();
        target.maps().threadclocks().forEach(copy -> ask(pathOf(copy), "do=detach"));
    }

    /** Makes the agent sample the JVM's threads and send the samples over the returned socket. */
    SocketChannel sample(Duration period) {
        PrivateSocket.rehearse();
        target.become();
        for (Place place : places.all()) {
            try (PrivateFolder folder = new PrivateFolder(place);
                    PrivateSocket socket = new PrivateSocket(folder)) {
                make("sample", "channel=" + socket.name() + ",period=" + period.toMillis());
                return socket.accept();
            } catch (IOException e) {
                places.refuse(place.name(), Refusal.reason(e));
            }
        }
        throw noPlace("a socket");
    }

    /**
     * An application may have loaded copies of its own: the one that matters has replaced the JVM's methods.
     */
    private Mapped active(List<Mapped> copies) {
        for (Mapped copy : copies) {
            if (copies.size() == 1 || ask(pathOf(copy), "do=status").active()) {
                return copy;
            }
        }
        return copies.get(0);
    }

    private AgentReport loadOurs(String options) {
        for (Place place : places.all()) {
            if (place.noexec()) {
                places.refuse(place.name(), "mounted noexec");
                continue;
            }
            try (PrivateFolder folder = new PrivateFolder(place)) {
                Answer answer = load(folder, folder.putLibrary(), options);
                if (!answer.reply.notExecutable()) {
                    return reportOf(answer, "; start that JVM with -javaagent:threadclock.jar");
                }
                places.refuse(place.name(), "mounted noexec");
            } catch (IOException e) {
                places.refuse(place.name(), Refusal.reason(e));
            }
        }
        throw noPlace("the library");
    }

    private AgentReport ask(String library, String options) {
        for (Place place : places.all()) {
            try (PrivateFolder folder = new PrivateFolder(place)) {
                return reportOf(load(folder, library, options), STAYS);
            } catch (IOException e) {
                places.refuse(place.name(), Refusal.reason(e));
            }
        }
        throw noPlace("the agent's report");
    }

    private AttachException noPlace(String what) {
        if (!target.process().isAlive()) {
            return target.process().ended();
        }
        if (Thread.currentThread().isInterrupted()) {
            return new AttachException("interrupted while the JVM " + target.label() + " was asked");
        }
        return new AttachException(
                "no folder of the JVM " + target.label() + " takes " + what + " for a moment: "
                        + places.refusals()
                        + "; make room in one of them, or set that JVM's TMPDIR to a folder that does");
    }

    private record Answer(AttachReply reply, String report) {
        /** A JVM listens for some time before it takes agents, and when it is ending. */
        boolean notLive() {
            return reply.notLive() || AgentReport.parse(report).filter(AgentReport::notLive).isPresent();
        }
    }

    /** IOException: the folder is unsuitable. Problems with the JVM are an AttachException. */
    private Answer load(PrivateFolder folder, String library, String options) throws IOException {
        // First, so that a mistake in the options that follow is reported there, and not on the JVM's stderr.
        String all = "report=" + folder.inside(PrivateFolder.REPORT) + "," + options;
        if (!AttachSocket.fits(library) || !AttachSocket.fits(all)) {
            throw new AttachException("the options or the path of the library (" + library
                    + ") are longer than the 1024 bytes that a JVM takes;"
                    + " shorten them");
        }
        while (true) {
            folder.makeReport();
            Answer answer = new Answer(converse(library, all), folder.readReport());
            if (!answer.notLive()) {
                return answer;
            }
            if (!deadline.pause()) {
                throw new AttachException("the JVM " + target.label()
                        + " takes no agent at this moment: it is still starting, or is ending; try again");
            }
            folder.removeReport();
        }
    }

    private AttachReply converse(String library, String options) {
        byte[] answer;
        try {
            answer = AttachSocket.load(listener.socket(deadline), library, options, deadline);
        } catch (AttachSocket.TimedOut e) {
            throw new AttachException("no answer from the JVM " + target.label() + " within " + deadline
                    + "; it is very busy or hangs: try again,"
                    + " with a longer timeout");
        } catch (IOException e) {
            awaitEnd();
            throw target.process().failure("cannot talk to the JVM " + target.label() + " over its socket",
                    e);
        }
        Optional<AttachReply> reply = AttachReply.parse(answer);
        if (reply.isEmpty()) {
            awaitEnd();
            throw new AttachException("the JVM " + target.label()
                    + " has closed the connection without an answer; it answers its own user and"
                    + " group only: run this as that user");
        }
        return reply.get();
    }

    /** A JVM that ends closes its socket some time before the process is gone. */
    private void awaitEnd() {
        Deadline soon = new Deadline(1);
        while (target.process().isAlive()) {
            if (!soon.pause()) {
                return;
            }
        }
        throw target.process().ended();
    }

    private AgentReport reportOf(Answer answer, String remedy) {
        Optional<AgentReport> report = AgentReport.parse(answer.report);
        if (report.isPresent()) {
            report.get().error().ifPresent(error -> {
                throw new AttachException(error);
            });
            return report.get();
        }
        if (answer.reply.forbidden() && target.hasThreadclock()) {
            throw new AttachException("the JVM " + target.label()
                    + " has threadclock loaded, but was started with -XX:-EnableDynamicAgentLoading, so no"
                    + " command can reach it; threadclock keeps working there, or restart the JVM without"
                    + " that option");
        }
        if (answer.reply.forbidden()) {
            throw new AttachException(
                    "the JVM " + target.label() + " takes no agent while it runs: " + answer.reply.refusal()
                            + " Or start it with -javaagent:threadclock.jar");
        }
        if (!answer.reply.loaded()) {
            throw new AttachException("the JVM " + target.label() + " did not load the library: "
                    + answer.reply.refusal() + remedy);
        }
        throw new AttachException("the threadclock in " + target.label()
                + " does not answer: that JVM cannot open the file for it (has it file"
                + " descriptors left?), or its threadclock is of another version; free some, or restart"
                + " that JVM with this one");
    }

    /** The path by which the target's dynamic linker knows a loaded library. */
    private String pathOf(Mapped copy) {
        return target.root().inside(copy.path());
    }

    /** A path that loaded a second copy would be worse than none: the state is in the first. */
    private void checkReachable(Mapped copy) {
        if (!copy.deleted()) {
            return;
        }
        String path = pathOf(copy);
        if (target.maps().isMusl()) {
            throw new AttachException("the JVM " + target.label() + " has loaded " + path
                    + ", which was removed since, and musl's dynamic linker"
                    + " finds no loaded library without its file" + STAYS);
        }
        // glibc compares names before it opens a file; the name is certain only if it was given by -agentpath
        // or by us.
        if (target.hasFile(path) && !listener.facts().options().hasAgentPath(path)) {
            throw new AttachException("the JVM " + target.label() + " has loaded " + path
                    + ", but another file is there now" + STAYS);
        }
    }

    @Override
    public void close() {
        places.close();
        listener.close();
    }
}
