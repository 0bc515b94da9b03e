// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.Jvm;
import dev.threadclock.attach.JvmStatus;
import dev.threadclock.attach.internal.ProcMaps.Mapped;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A JVM: identified and inspected by what /proc shows to this process, and asked through a process of its own
 * user. More of it than {@link Jvm} offers is for the command line.
 */
public final class Target implements Jvm {
    private static final int ROOT_USER = 0;
    /** Of those that its command line names, and of what is in them. */
    private static final int MOST_FILES = 100;
    private static final int MOST_CHARACTERS = 1 << 20;
    /** HotSpot starts this thread after AttachListener::vm_start (Threads::create_vm, JDK 8 to 28). */
    private static final String STARTS_AFTER_VM_START = "Service Thread";
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);
    /** Options of the requests themselves. */
    private static final Pattern INTERNAL = Pattern.compile("(^|,)(do|report|channel|period)(=|,|$)");

    private final TargetProcess process;
    private final ProcStatus status;
    private final Duration timeout;
    private final Consumer<String> warnings;
    private final String seenRoot;
    private final JavaCommandLine command;
    private JvmFacts facts;
    private boolean starting;
    private ProcMaps maps;
    private Set<String> renamed; // null: not looked for yet
    /** One time limit for all files that are read for a request: the target says how many there are. */
    private Deadline inspection;
    private int filesRead;
    private int charactersRead;

    /**
     * Fails with the reason if there is no HotSpot JVM with this PID that we may attach to.
     *
     * @param warnings receives a sentence before each request that will or may make the JVM print a warning
     */
    public Target(int pid, Duration timeout, Consumer<String> warnings) {
        if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw new IllegalArgumentException("a time limit is a millisecond to a day, not " + timeout);
        }
        if (pid == TargetProcess.ownStatus().group()) {
            throw new AttachException(pid + " is this process itself; give the ID of another JVM");
        }
        this.timeout = timeout;
        inspection = new Deadline(timeout);
        this.warnings = warnings;
        process = new TargetProcess(pid);
        checkAlive(process, process.status());
        checkUser(process, process.status());
        maps = awaitJvm(process, inspection);
        // Once, while it is a JVM: it could become a setuid program later, whose rights are not for it to
        // lend.
        status = process.status();
        checkUser(process, status);
        if (maps.isOpenJ9()) {
            throw new AttachException("process " + pid
                    + " is an OpenJ9 JVM; threadclock supports only HotSpot (OpenJDK and its builds)");
        }
        try {
            seenRoot = Files.readSymbolicLink(root()).toString();
        } catch (IOException e) {
            throw process.failure("cannot see the files of process " + pid, e);
        }
        command = JavaCommandLine.of(process.words(), this::text);
        updateFacts();
    }

    private static void checkAlive(TargetProcess process, ProcStatus status) {
        if (status.hasEnded()) {
            throw new AttachException(
                    "process " + process.pid() + " has ended (a zombie, until its parent collects it)");
        }
    }

    private static void checkUser(TargetProcess process, ProcStatus status) {
        if (status.mixed()) {
            throw new AttachException("process " + process.pid()
                    + " runs with the rights of a user or group that is not its own; wait until it has given"
                    + " one of them up, or start the JVM as one user");
        }
        ProcStatus own = TargetProcess.ownStatus();
        if (own.uid() == ROOT_USER || own.sameUser(status)) {
            return;
        }
        if (own.uid() != status.uid()) {
            throw new AttachException(
                    "process " + process.pid() + " belongs to user " + Integer.toUnsignedString(status.uid())
                            + ", this process to user " + Integer.toUnsignedString(own.uid())
                            + ", and a JVM answers only its own user;"
                            + " run this as that user or as root (sudo -u '#"
                            + Integer.toUnsignedString(status.uid()) + "' ...)");
        }
        throw new AttachException(
                "process " + process.pid() + " runs with group " + Integer.toUnsignedString(status.gid())
                        + ", this process with " + Integer.toUnsignedString(own.gid())
                        + ", and a JVM answers only its own user and group;"
                        + " run this with that group or as root (sudo -g '#"
                        + Integer.toUnsignedString(status.gid()) + "' ...)");
    }

    /** Gives a java process that was only just started the time to become a JVM. */
    private static ProcMaps awaitJvm(TargetProcess process, Deadline deadline) {
        ProcMaps maps = process.maps();
        while (maps.jvm().isEmpty() || process.status().threads() < 2) { // a forked child of one has one
            checkAlive(process, process.status());
            String program = JavaCommandLine.of(process.words(), file -> "").program();
            if (!program.equals("java") || !deadline.pause()) {
                throw new AttachException("process " + process.pid() + " ("
                        + Printable.line(process.read("comm"))
                        + ") is not a JVM: it has no libjvm.so loaded; give the number of the java process");
            }
            maps = process.maps();
        }
        return maps;
    }

    TargetProcess process() {
        return process;
    }

    /** Carries out an order as the user and group that the JVM had when it was opened. */
    ConfinedChild child(Deadline deadline, byte[] library, List<String> order) {
        return new ConfinedChild(process, status, deadline, library, order);
    }

    ProcMaps maps() {
        return maps;
    }

    /** As they were known when it was opened, or asked last. */
    JvmFacts facts() {
        return facts;
    }

    /** A JVM that is still starting has not filled in its counters, so they may be known only by now. */
    void updateFacts() {
        if (facts != null && facts.complete()) {
            return;
        }
        filesRead = 0;
        charactersRead = 0;
        List<String> files = new ArrayList<>();
        process.maps().counters(namespacePid()).filter(file -> !file.deleted())
                .map(file -> inside(file.path()))
                .ifPresent(files::add);
        boolean counted = !files.isEmpty();
        files.addAll(releaseFiles());
        List<ConfinedChild.Content> contents = files(files);
        PerfData counters = PerfData.parse(counted ? contents.get(0).bytes() : new byte[0]);
        starting = counted ? counters.isIncomplete() : !process.mayHaveThread(STARTS_AFTER_VM_START);
        String release = contents.stream().skip(counted ? 1 : 0).map(ConfinedChild.Content::text)
                .filter(text -> !text.isEmpty()).findFirst().orElse("");
        facts = JvmFacts.of(counters,
                () -> JvmFacts.optionsFromOutside(command, process.environment(), this::text),
                release);
    }

    /** By its counters, or by its threads if it has none, when its facts were last updated. */
    boolean isStarting() {
        return starting;
    }

    /**
     * From JAVA_HOME/lib/server/libjvm.so, or JDK 8's JAVA_HOME/jre/lib/amd64/server/libjvm.so, upwards: the
     * first that is there describes the JDK.
     */
    private List<String> releaseFiles() {
        List<String> files = new ArrayList<>();
        String at = maps.jvm().map(file -> inside(file.path())).orElse("");
        for (int up = 0; up < 6 && at.lastIndexOf('/') > 0; up++) {
            at = at.substring(0, at.lastIndexOf('/'));
            files.add(at + "/release");
        }
        return files;
    }

    /** Its working folder, by its own path; "": it has none any more. */
    String workingFolder() {
        try {
            String folder = inside(Files.readSymbolicLink(process.folder().resolve("cwd")).toString());
            return folder.endsWith(" (deleted)") ? "" : folder;
        } catch (IOException e) {
            throw process.failure("cannot see the working folder of process " + pid(), e);
        }
    }

    private String text(String file) {
        String path = file.startsWith("/") ? file : workingFolder() + "/" + file;
        if (++filesRead > MOST_FILES || charactersRead >= MOST_CHARACTERS) {
            return "";
        }
        String text = texts(List.of(path)).get(0);
        charactersRead += text.length();
        return text;
    }

    /** "" for a file that cannot be read. */
    List<String> texts(List<String> files) {
        return files(files).stream().map(ConfinedChild.Content::text).toList();
    }

    /** Read by its user: it could name files that only we may read. At most ConfinedChild.MOST_FILES. */
    private List<ConfinedChild.Content> files(List<String> paths) {
        if (paths.isEmpty()) {
            return List.of();
        }
        List<String> order = new ArrayList<>(List.of(ConfinedChild.FILES));
        order.addAll(paths);
        try (ConfinedChild child = child(inspection, null, order)) {
            return child.contents(paths.size());
        }
    }

    /** Whether this file exists in its file system now. */
    boolean hasFile(String path) {
        return files(List.of(path)).get(0).exists();
    }

    /** Converts a path as the kernel shows it to us to the process's own: without the folder of a chroot. */
    String inside(String shown) {
        if (shown.equals(seenRoot)) {
            return "/";
        }
        return !seenRoot.equals("/") && shown.startsWith(seenRoot + "/") ? shown.substring(seenRoot.length())
                : shown;
    }

    @Override
    public JvmStatus attach(String options) {
        checkOptions(options);
        return call().make("attach", options);
    }

    /**
     * Checks what {@link #attach} checks before it reaches the JVM; the agent checks the rest.
     *
     * @throws IllegalArgumentException they contain one that is reserved for requests
     */
    public static void checkOptions(String options) {
        if (options.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("options have no control characters: "
                    + Printable.line(options, 200));
        }
        if (INTERNAL.matcher(options).find()) {
            throw new IllegalArgumentException(
                    "the options do=, report=, channel= and period= are not for users: "
                            + Printable.line(options, 200));
        }
    }

    @Override
    public JvmStatus status() {
        lookAgain();
        return hasThreadclock() ? call().make("status", "") : new JvmStatus(Map.of());
    }

    @Override
    public boolean detach() {
        lookAgain();
        boolean loaded = hasThreadclock();
        if (loaded) {
            call().detach();
        }
        return loaded;
    }

    /**
     * Makes the agent in the JVM send the samples that top reads, until the connection is closed. Their
     * format changes from version to version.
     *
     * @param period the time from one sample to the next, in whole milliseconds
     */
    public ByteChannel sample(Duration period) {
        if (!takesAgents()) {
            throw new AttachException("the JVM " + this + " was started with "
                    + (attachable() ? "-XX:-EnableDynamicAgentLoading" : "-XX:+DisableAttachMechanism")
                    + " and takes no agent while it runs; restart it without that option");
        }
        return call().connection("do=sample,period=" + period.toMillis());
    }

    /**
     * Makes the agent, which is active, send its account for each byte that it gets, until the connection is
     * closed (native/account/rows.h).
     *
     * @return a descriptor for native code, which closes it
     */
    public int account() {
        return call().connection("do=account").descriptor();
    }

    /**
     * Starts a recording of the JVM's own Flight Recorder. settings: match {@link JvmRecording#SETTINGS}.
     *
     * @throws AttachException the JVM does not answer in time, has no Flight Recorder, or no room for the
     *     file
     */
    public JvmRecording record(String settings) {
        return new JvmRecording(this, timeout, settings);
    }

    private AgentCall call() {
        lookAgain();
        AgentCall call = new AgentCall(this, timeout);
        call.warning().ifPresent(warnings);
        return call;
    }

    /** For what is inspected from now on. */
    void limitInspection(Duration limit) {
        inspection = new Deadline(limit);
    }

    /** Which libraries it has loaded by now. */
    private void lookAgain() {
        if (!process.isAlive()) {
            throw process.ended();
        }
        maps = process.maps();
        renamed = null;
    }

    @Override
    public int pid() {
        return process.pid();
    }

    /** When it started, in clock ticks since boot, as field 22 of its stat file. */
    public long startTime() {
        return process.startTime();
    }

    /** Its process number in its own PID namespace: a different one if it is in a container. */
    public int namespacePid() {
        return status.namespacePid();
    }

    @Override
    public long uid() {
        return Integer.toUnsignedLong(status.uid());
    }

    @Override
    public String command() {
        return command.toString();
    }

    @Override
    public String commandLine() {
        return command.masked();
    }

    @Override
    public String jdk() {
        return facts.jdk();
    }

    @Override
    public int feature() {
        return facts.feature();
    }

    /**
     * The file of its libjvm.so in this process's file system.
     *
     * @throws IOException the path leads to a different file or none: the JVM is in a container, or its JDK
     *     was replaced or removed
     */
    public Path jvmFile() throws IOException {
        Mapped jvm = maps.jvm().orElseThrow(() -> new IOException("it has no libjvm.so mapped any more"));
        Path here = Path.of(jvm.path());
        if (jvm.deleted()) {
            throw new IOException("its JDK was removed or replaced since it started: " + here);
        }
        // The kernel shows us the path from our root; in a chroot, that of the process lies further down.
        Path there = Path.of(root() + inside(jvm.path()));
        if (!Files.exists(here) || !Files.isSameFile(here, there)) {
            throw new IOException("its JDK is in a file system of its own (a container)");
        }
        return here;
    }

    /** The kernel's link to the root of its file system. */
    public Path root() {
        return process.folder().resolve("root");
    }

    /** Whether it answers requests: it was not started with -XX:+DisableAttachMechanism. */
    public boolean attachable() {
        return facts.attachable();
    }

    @Override
    public boolean takesAgents() {
        return attachable() && dynamicLoading().orElse(true);
    }

    /** Why a request would be refused now, before the JVM notices anything; empty: it would be made. */
    public Optional<String> refusal() {
        try {
            new AttachRequest(this, timeout);
            return Optional.empty();
        } catch (AttachException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** The value of EnableDynamicAgentLoading; empty: the option was not given. */
    public Optional<Boolean> dynamicLoading() {
        return facts.flag("EnableDynamicAgentLoading");
    }

    /** False: its runtime was made without this module. */
    public boolean hasModule(String name) {
        return facts.modules().isEmpty() || facts.modules().contains(name);
    }

    /** Whether it prints a warning of its own when an agent is loaded while it runs (JEP 451). */
    public boolean warns() {
        return facts.warns();
    }

    /** Whether the library was loaded in it, active or not, when it was opened or last asked. */
    public boolean hasThreadclock() {
        return !threadclocks().isEmpty();
    }

    /** The copies of the library that it has loaded. */
    List<Mapped> threadclocks() {
        if (renamed == null) {
            renamed = renamed();
        }
        return maps.threadclocks(renamed);
    }

    /**
     * The paths of agents that it was started with and that are the library under another name: the file
     * contains the name of one of the library's natives, and of the function that only an agent has.
     */
    private Set<String> renamed() {
        Set<String> names = facts.agentFiles();
        List<String> paths = maps.files().stream().filter(file -> file.code() && !file.deleted()
                && !file.isNamedThreadclock() && names.contains(file.name())).map(Mapped::path)
                .limit(ConfinedChild.MOST_FILES).toList();
        limitInspection(timeout); // it may be long since this was opened
        List<ConfinedChild.Content> contents = files(paths.stream().map(this::inside).toList());
        return IntStream.range(0, contents.size()).filter(i -> contents.get(i).isThreadclock())
                .mapToObj(paths::get).collect(Collectors.toSet());
    }

    /** The AOT cache that it was told to use; "" if none. */
    public String aotCache() {
        return facts.last("-XX:AOTCache=");
    }

    /** The name of the archive of classes that it uses; "" if none. */
    public String archive() {
        return maps.archive(aotCache()).orElse("");
    }

    @Override
    public String toString() {
        return pid() + " (" + command + ")";
    }
}
