// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.child.Threads;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * strace follows root's commands on another user's JVM: the process that takes that user's rights has nothing
 * of root's, starts nothing and cannot be traced, and no command executes a program at root's terminal.
 */
class ChangeOfUserTest {
    private static final String USER = "12345";
    private static final String GROUP = "12346";

    /** Arguments: what replaces /usr, or nothing; the java to run; the java of the command line; the rest. */
    private static final String SCRIPT = """
            place=%s classes='%s' usr=$1 java=$2 top=
            shift 3
            [ "$place" = plain ] || { top=/mnt && mount --rbind / /mnt &&
                mount -t tmpfs -o mode=1777,size=16m none /mnt/tmp && mkdir -p "/mnt$classes" &&
                mount --bind "$classes" "/mnt$classes" || exit; }
            [ -z "$usr" ] || mount --rbind "$usr" "$top/usr" || exit
            [ "$place" != container ] || { mount -t proc none /mnt/proc && cd /mnt && pivot_root . mnt &&
                top= && umount -l /mnt || exit; }
            exec chroot --userspec=%s:%s --groups=%3$s "$top/" "$java" "$@"
            """;

    private static final String TRACED = "%creds,%file,socket,connect,bind,prctl,seccomp,setsid,ptrace,"
            + "execve,execveat,?fork,?vfork,clone,clone3,kill,tkill,tgkill,pidfd_send_signal";
    private static final Pattern LINE = Pattern.compile("(?m)^([\\d.]+) ((\\w+)\\(.*\\)) += (-?\\w+).*");
    private static final Set<String> STARTS = Set.of("execve", "execveat", "fork", "vfork", "clone", "clone3",
            "ptrace");

    /** doctor may measure in a new JVM of the target's JDK. */
    private static final String JAVA = "execve\\(\"/[^\"]*/(java|jspawnhelper)\".*";

    /** What the process has to do after the change, before it touches anything of the target's. */
    private static final Map<String, Pattern> SAFEGUARDS = Map.of(
            "PR_SET_DUMPABLE 0", Pattern.compile("prctl\\(PR_SET_DUMPABLE, (0|SUID_DUMP_DISABLE)\\b.*"),
            "no capabilities", Pattern.compile("capset\\(.*effective=0, permitted=0, inheritable=0.*"),
            "no_new_privs", Pattern.compile("prctl\\(PR_SET_NO_NEW_PRIVS, 1\\b.*"),
            "a filter of calls",
            Pattern.compile("(seccomp\\(SECCOMP_SET_MODE_FILTER|prctl\\(PR_SET_SECCOMP).*"));

    @TempDir
    Path folder;

    private final Set<String> findings = new LinkedHashSet<>();
    /** By process: its open descriptors when it had just changed its user. */
    private final Map<Integer, Set<String>> open = new ConcurrentHashMap<>();

    private volatile boolean watching;

    @BeforeAll
    static void needs() {
        Host.assumeStrace();
        Host.assumeMounts();
    }

    private static AttachJvm start(TestJdk jdk, String place) throws IOException {
        String java = jdk.java();
        // The java of ci/jdks is a script for root, which mounts the JDK's own /usr first.
        Path usr = Path.of(java.replaceAll("/jdk/.*", "/root/usr"));
        boolean script = java.contains("/jdk/") && Files.isDirectory(usr);
        if (script) {
            java = Stream.of(usr.resolve("lib/jvm").toFile().listFiles()).map(File::toPath)
                    .filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)).findFirst()
                    .orElseThrow()
                    .resolve("bin/java").toString().substring(usr.toString().length() - 4);
        }
        List<String> namespaces = place.equals("container") ? List.of("-p", "-f") : List.of();
        return ChildJvm.of(jdk).under("unshare", "-m", namespaces, "sh", "-c",
                SCRIPT.formatted(place, AttachJvm.CLASSES, USER, GROUP), "sh", script ? usr : "", java)
                .startTarget();
    }

    /** Each JDK and each place once, because the command does not know the JDK, and follows with strace. */
    static List<Arguments> places() {
        return List.of(Arguments.of(8, "container"), Arguments.of(17, "plain"), Arguments.of(27, "chroot"));
    }

    @ParameterizedTest(name = "JDK {0}, {1}")
    @MethodSource("places")
    void whatBecomesTheUserHasNothingOfRoots(int feature, String place) throws Exception {
        TestJdk jdk = TestJdk.ofFeature(feature).orElse(null);
        assumeTrue(jdk != null, "JDK " + feature + " is not here; ci/jdks up " + feature + " fetches it");
        try (AttachJvm jvm = start(jdk, place)) {
            for (String command : List.of("attach", "status", "top --once -i 100ms", "top -i 100ms -n 2",
                    "record -d 100ms -i 100ms -o " + folder + "/a.jfr",
                    "record -d 100ms -i 100ms --jvm-events -o " + folder + "/b.jfr", "doctor", "detach")) {
                follow(jvm, command);
            }
        }
        assertThat(String.join("\n", findings)).isEmpty();
    }

    private void follow(AttachJvm jvm, String command) throws Exception {
        open.clear();
        watching = true;
        // Stopped by the trace at that moment, so that nothing is missed; with --seccomp-bpf it would not be.
        List<String> strace = List.of("strace", "-ff", "-ttt", "-qq", "-e", "signal=none",
                "-e",
                "trace=" + TRACED, "-e", "inject=setuid,setreuid,setresuid:signal=SIGSTOP", "-o",
                folder + "/calls");
        Thread watch = Threads.daemon("watch", () -> watch(jvm.pid()));
        try (TerminalSession session = TerminalSession.start(100, 30, strace,
                (command + " --timeout 60s " + jvm.pid()).split(" "))) {
            // 1: doctor has found that Flight Recorder is wrong.
            assertThat(session.awaitEnd()).as(command)
                    .containsPattern(command.equals("doctor") ? "exit=[01]" : "exit=0");
        } finally {
            watching = false;
            watch.join();
        }
        judge(command);
    }

    /** Looks at what each process holds that has become the user, and lets it continue. */
    private void watch(String jvm) {
        while (watching) {
            for (ProcessHandle process : ProcessHandle.current().descendants().toList()) {
                Path proc = Path.of("/proc/" + process.pid());
                if (!jvm.equals("" + process.pid()) && isUsers(proc.resolve("task"))) {
                    open.computeIfAbsent((int) process.pid(), pid -> links(proc.resolve("fd")));
                    ChildJvm.exec("sh", "-c", "kill -CONT " + process.pid()).end();
                }
            }
            AttachJvm.sleep(2); // who becomes the user is stopped, and waits
        }
    }

    /** Whether a thread is the user's. One that changes first stops the others before they do. */
    private static boolean isUsers(Path threads) {
        try (Stream<Path> all = Files.list(threads)) {
            for (Path thread : all.toList()) {
                if (Files.readString(thread.resolve("status")).contains("Uid:\t" + USER)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // It has ended.
        }
        return false;
    }

    private static Set<String> links(Path folder) {
        Set<String> links = new LinkedHashSet<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path link : all.toList()) {
                links.add(Files.readSymbolicLink(link).toString());
            }
        } catch (IOException e) {
            links.add(e.toString());
        }
        return links;
    }

    /** A system call that has returned. */
    private record Call(int thread, double seconds, String name, String text, String result) {
        boolean succeeded() {
            return !result.startsWith("-");
        }
    }

    private List<Call> calls() throws IOException {
        List<Call> calls = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(path -> path.toString().contains("/calls.")).toList()) {
                int thread = Integer.parseInt(file.toString().replaceAll(".*\\.", ""));
                for (MatchResult call : LINE.matcher(Files.readString(file)).results().toList()) {
                    calls.add(new Call(thread, Double.parseDouble(call.group(1)), call.group(3),
                            call.group(2), call.group(4)));
                }
                Files.delete(file);
            }
        }
        calls.sort(Comparator.comparingDouble(Call::seconds));
        return calls;
    }

    private static final class Traced {
        private final int pid;
        private final Set<Integer> threadsOfTheUser = new HashSet<>();
        private final Set<String> missing = new HashSet<>(SAFEGUARDS.keySet());
        private boolean leadsSession;

        Traced(int pid) {
            this.pid = pid;
        }
    }

    private void judge(String command) throws IOException {
        Map<Integer, Traced> processes = new HashMap<>();
        Set<Integer> users = new HashSet<>();
        for (Call call : calls()) {
            boolean first = processes.isEmpty();
            Traced process = processes.computeIfAbsent(call.thread(), Traced::new);
            if (call.name().matches("clone3?|v?fork") && call.succeeded()) {
                int child = Integer.parseInt(call.result());
                Traced of = call.text().contains("CLONE_THREAD") ? process : new Traced(child);
                processes.put(child, of);
                if (!process.threadsOfTheUser.isEmpty()) {
                    of.threadsOfTheUser.add(child);
                }
            }
            if (!process.threadsOfTheUser.isEmpty()) {
                judgeUsers(command, call, process.missing);
            } else if (call.name().startsWith("exec") && call.succeeded() && !first
                    && !(command.equals("doctor") && call.text().matches(JAVA))) {
                find(command, "executes a program", call);
            }
            process.leadsSession |= call.name().equals("setsid") && call.succeeded();
            if (call.text().matches("set(|re|res|fs)uid\\([^)]*\\b" + USER + "\\b.*") && call.succeeded()) {
                process.threadsOfTheUser.add(call.thread());
                if (users.add(process.pid) && !process.leadsSession) {
                    find(command, "in root's session", call);
                }
            } else if (call.text().startsWith("setfsuid(0)")) {
                process.threadsOfTheUser.remove(call.thread());
            }
        }
        assertThat(users).as("processes that have become the user for %s", command).isNotEmpty();
        for (int user : users) {
            Set<String> links = open.getOrDefault(user, Set.of("not looked at"));
            // The way back to the command, and the target's own process, to signal it.
            if (links.stream().filter(link -> !link.contains("[pidfd]")).count() > 1
                    || !links.stream().allMatch(link -> link.matches("socket:.*|anon_inode:\\[pidfd\\]"))) {
                findings.add(command + ": " + user + " as the user: has open " + links);
            }
        }
    }

    private void judgeUsers(String command, Call call, Set<String> missing) {
        missing.removeIf(
                safeguard -> call.succeeded() && SAFEGUARDS.get(safeguard).matcher(call.text()).matches());
        if (STARTS.contains(call.name())) {
            find(command, "as the user", call);
        } else if (!call.name().matches("prctl|seccomp|capset|set\\w+") && !missing.isEmpty()) {
            find(command, "as the user, but not yet with " + missing, call);
            missing.clear();
        }
    }

    private void find(String command, String what, Call call) {
        findings.add(command + ": " + call.thread() + " " + what + ": "
                + call.text().substring(0, Math.min(100, call.text().length())));
    }
}
