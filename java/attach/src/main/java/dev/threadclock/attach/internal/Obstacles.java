// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What keeps a JVM from answering a request, or would make it exit: a freezer, and limits that it has
 * reached. HotSpot exits if it cannot start the thread that answers (AttachListener::init).
 */
final class Obstacles {
    private static final String OTHER_FOLDER = "-XX:AltTempDir="; // from JDK 28 on
    /** A request takes up to two threads and five descriptors, and the program may take some meanwhile. */
    private static final int ROOM = 8;
    /** A thread's stack, its guard pages and the allocator's arena for it. */
    private static final int MAPPINGS_OF_A_THREAD = 5;
    /** A stack of HotSpot's default size, and what else a thread takes. */
    private static final long BYTES_OF_A_THREAD = 2 << 20;
    private static final String STACK = "-Xss"; // the thread that answers is one of Java's
    private static final int ROOT_USER = 0;
    private static final int MOST_MOUNTS = 30;
    /** SYS_ADMIN and SYS_RESOURCE, with which the kernel counts no threads (copy_process, kernel/fork.c). */
    private static final long NOT_COUNTED = 1L << 21 | 1L << 24;
    private static final Pattern WHOLE_RANGE = Pattern.compile("|0\\s+0\\s+4294967295");
    private static final Pattern REAL_USER = Pattern.compile("(?m)^Uid:\\s+(\\d+)");
    private static final Pattern THREADS = Pattern.compile("(?m)^Threads:\\s+(\\d+)");
    private static final List<String> GROUP_FILES = List.of("freezer.state", "cgroup.freeze", "pids.max",
            "pids.current");

    private final Target target;
    private final TargetProcess process;
    private final ProcStatus status;
    private final List<Group> groups;

    private record Group(Path folder, List<String> texts) {
        boolean isFrozen() {
            return texts.get(0).startsWith("FR") || texts.get(1).equals("1"); // FREEZING, FROZEN
        }
    }

    /** room: how much of it must be left. */
    private record Limit(String of, long used, long most, long room) {
        boolean isReached() {
            return used > most - room;
        }
    }

    Obstacles(Target target) {
        this.target = target;
        process = target.process();
        status = process.status();
        groups = groups();
    }

    /** Why the JVM cannot answer whatever is asked. */
    Optional<String> toAnAnswer() {
        if (groups.stream().anyMatch(Group::isFrozen)) {
            return Optional.of("the JVM " + target + " is frozen with its control group (by docker"
                    + " pause or systemctl freeze, for example) and cannot answer; thaw it");
        }
        if (!target.facts().last(OTHER_FOLDER).isEmpty()) {
            return Optional.of("the JVM " + target + " was started with " + OTHER_FOLDER
                    + " and listens there, where no tool looks; restart it without that option, or with"
                    + " -agentpath:libthreadclock.so");
        }
        long most = ownLimit("Max open files");
        long used = status.descriptorTable() > most - ROOM ? descriptors() : 0;
        Limit files = new Limit("open files (RLIMIT_NOFILE, ulimit -n)", used, most, ROOM);
        return files.isReached() ? Optional.of(text(files) + " needs a few to answer; close some, or raise"
                + " the limit with prlimit --nofile") : Optional.empty();
    }

    /** Why it must not start the thread that answers. */
    Optional<String> toAThread() {
        List<Limit> limits = new ArrayList<>();
        for (Group group : groups) {
            limits.add(new Limit("processes and threads in the control group " + group.folder + " (pids.max)",
                    number(group.texts.get(3), 0), number(group.texts.get(2), Long.MAX_VALUE), ROOM));
        }
        long threads = number(text(Path.of("/proc/loadavg")).replaceFirst(".*/(\\d+).*", "$1"), 0);
        limits.add(new Limit("threads on this machine (kernel.threads-max)", threads,
                kernelLimit("threads-max"), ROOM));
        long ids = kernelLimit("pid_max"); // where the machine has more threads, it is this PID namespace's
        limits.add(new Limit("threads in this PID namespace (kernel.pid_max)",
                threads > ids ? threadsOf(user -> true) : threads, ids, ROOM));
        long mappings = number(text(Path.of("/proc/sys/vm/max_map_count")), Long.MAX_VALUE);
        limits.add(new Limit("mappings of its memory (vm.max_map_count)",
                process.read("maps").lines().count(), mappings, ROOM * MAPPINGS_OF_A_THREAD));
        limits.add(ofMemory("address space (RLIMIT_AS, ulimit -v)", "Max address space", "VmSize"));
        limits.add(ofMemory("data (RLIMIT_DATA, ulimit -d)", "Max data size", "VmData"));
        ofTheUser(threads).ifPresent(limits::add);
        return limits.stream().filter(Limit::isReached).findFirst().map(limit -> text(limit)
                + " would end if it could not start one more thread, which answers requests; use fewer, or"
                + " raise the limit");
    }

    private String text(Limit limit) {
        return "the JVM " + target + " has " + limit.used + " of at most " + limit.most + " "
                + limit.of + ", and";
    }

    /** limit, used: their names in /proc/PID/limits and /proc/PID/status. */
    private Limit ofMemory(String of, String limit, String used) {
        String kib = its("status").replaceFirst("(?s).*\n" + used + ":\\s+(\\d+) kB.*", "$1");
        return new Limit("bytes of " + of, number(kib, 0) << 10, ownLimit(limit),
                ROOM * (BYTES_OF_A_THREAD + stackBytes()));
    }

    /** As given with -Xss; 0: the default, or it cannot be understood. */
    private long stackBytes() {
        String size = target.facts().last(STACK).toLowerCase(Locale.ROOT);
        String unit = size.replaceFirst("\\d*", "");
        return number(size.substring(0, size.length() - unit.length()), 0) << (unit.equals("k") ? 10
                : unit.equals("m") ? 20 : unit.equals("g") ? 30 : 0);
    }

    private static long kernelLimit(String name) {
        return number(text(Path.of("/proc/sys/kernel", name)), Long.MAX_VALUE);
    }

    /** onMachine: no user has more threads than that. */
    private Optional<Limit> ofTheUser(long onMachine) {
        long most = ownLimit("Max processes");
        boolean privileged = status.uid() == ROOT_USER || (status.effective() & NOT_COUNTED) != 0;
        if (onMachine < most - ROOM || privileged && WHOLE_RANGE.matcher(its("uid_map")).matches()) {
            return Optional.empty();
        }
        return Optional.of(new Limit("processes and threads of its user (RLIMIT_NPROC, ulimit -u)",
                threadsOf(user -> user == status.uid()), most, ROOM));
    }

    /** As far as /proc shows them. */
    private static long threadsOf(IntPredicate users) {
        long count = 0;
        for (Path each : TargetProcess.all()) {
            String text = text(each.resolve("status"));
            Matcher user = REAL_USER.matcher(text);
            Matcher threads = THREADS.matcher(text);
            if (user.find() && threads.find() && users.test(Integer.parseUnsignedInt(user.group(1)))) {
                count += Long.parseLong(threads.group(1));
            }
        }
        return count;
    }

    private long descriptors() {
        try (Stream<Path> all = Files.list(process.folder().resolve("fd"))) {
            return all.count();
        } catch (IOException e) {
            throw process.failure("cannot see the open files of process " + process.pid(), e);
        }
    }

    /** The soft limit of this name. */
    private long ownLimit(String name) {
        return its("limits").lines().filter(line -> line.startsWith(name + " ")).findFirst()
                .map(line -> number(line.substring(name.length()).strip().split(" ")[0], Long.MAX_VALUE))
                .orElse(Long.MAX_VALUE);
    }

    /** otherwise: for "max", "unlimited", and what cannot be read. */
    private static long number(String text, long otherwise) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : otherwise;
    }

    /**
     * As they are mounted here and where the JVM is: each may show groups that the other does not. There,
     * which may have any number of mounts, they are read as its user.
     */
    private List<Group> groups() {
        String mounts = mountsOfGroups(text(Path.of("/proc/self/mountinfo")));
        String its = mountsOfGroups(its("mountinfo"));
        List<Group> all = new ArrayList<>();
        for (Path folder : folders(mounts, Files::isDirectory)) {
            all.add(new Group(folder, GROUP_FILES.stream().map(file -> text(folder.resolve(file))).toList()));
        }
        if (!its.equals(mounts)) {
            List<Path> folders = folders(its, folder -> true).stream()
                    .limit(ConfinedChild.MOST_FILES / GROUP_FILES.size()).toList();
            List<String> texts = target.texts(folders.stream()
                    .flatMap(folder -> GROUP_FILES.stream().map(file -> folder + "/" + file)).toList());
            for (int i = 0; i < folders.size(); i++) {
                all.add(new Group(folders.get(i), texts.subList(i * GROUP_FILES.size(),
                        (i + 1) * GROUP_FILES.size())));
            }
        }
        return all;
    }

    private static String mountsOfGroups(String mounts) {
        return mounts.lines().filter(line -> line.contains(" - cgroup")).limit(MOST_MOUNTS)
                .collect(Collectors.joining("\n"));
    }

    private Set<Path> folders(String mounts, Predicate<Path> exists) {
        Set<Path> folders = new LinkedHashSet<>();
        for (String controller : List.of("pids", "freezer")) {
            folders.addAll(Cgroups.folders(its("cgroup"), mounts, controller, exists));
        }
        return folders;
    }

    private String its(String file) {
        return text(process.folder().resolve(file));
    }

    /** "" if it cannot be read: not every kernel has every file. */
    private static String text(Path file) {
        try {
            return TargetProcess.text(file).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
