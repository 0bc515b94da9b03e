// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.command.probe.Verdict;
import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.JvmStatus;
import dev.threadclock.attach.internal.Target;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.machine.MachineFindings;
import dev.threadclock.command.machine.SystemFiles;
import dev.threadclock.command.terminal.SelfJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What can be found out about one running JVM from outside. */
final class JvmFindings {
    private static final Map<String, String> FORMS = Map.of("agentpath", ", loaded by -agentpath",
            "javaagent", ", loaded by -javaagent (-agentpath starts faster, and the JVM keeps its AOT cache)",
            "attach", ", attached");
    private static final String USER_TIME = "user time";
    private static final int ROOT_USER = 0;
    /** What the agent calls the JVM in its report of who answers Flight Recorder. */
    private static final String JVM = "jvm";

    private final Target jvm;
    private final Map<String, Finding> findings = new LinkedHashMap<>();
    private Optional<Jdk> jdk = Optional.empty();
    private String noTrial = "";
    private final Optional<String> refusal;
    /** What the agent in the JVM reports; empty unless the agent is active. */
    private Map<String, String> status = Map.of();
    /** What the library in the JVM reports, whether or not the agent is active. */
    private Map<String, String> answer = Map.of();

    private JvmFindings(Target jvm) {
        this.jvm = jvm;
        refusal = jvm.refusal();
    }

    static Map<String, Finding> find(Target jvm) {
        JvmFindings all = new JvmFindings(jvm);
        all.findJdk();
        all.process();
        all.flags();
        all.verdict();
        return all.findings;
    }

    /** Finds the installation that the JVM runs from, if it is accessible and may be run. */
    private void findJdk() {
        try {
            Path at = jvm.jvmFile(), home = at;
            while (home != null && !home.endsWith("lib")) {
                home = home.getParent();
            }
            Path java = home == null ? null : home.resolveSibling("bin/java");
            if (java == null || !Files.isExecutable(java)
                    || !Files.exists(home.resolve("modules")) && !Files.exists(home.resolve("rt.jar"))) {
                noTrial = "the JDK of " + at + " has no bin/java that this user may run";
            } else if (!mayRun(java) || !mayRun(at)) {
                noTrial = "users other than root and this one can change its JDK, so it is not run as this"
                        + " user; run doctor as user "
                        + jvm.uid();
            } else {
                Jdks found = Jdks.of(List.of(java));
                jdk = found.jdks().stream().findFirst();
                noTrial = found.skipped().stream().map(Jdks.Skipped::reason).findFirst().orElse("");
            }
        } catch (IOException e) {
            noTrial = e.getMessage();
        }
    }

    /**
     * A program that we run must belong to us, to root, or to the JVM's user if that is us: no other user may
     * slip us a program.
     */
    private boolean mayRun(Path program) throws IOException {
        int self = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (Integer.toUnsignedLong(self) == jvm.uid()) {
            return true;
        }
        for (Path at = program.toRealPath(); at != null; at = at.getParent()) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(at,
                    LinkOption.NOFOLLOW_LINKS);
            int owner = (int) Files.getAttribute(at, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            if (owner != ROOT_USER && owner != self || permissions.contains(PosixFilePermission.GROUP_WRITE)
                    || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
                return false;
            }
        }
        return true;
    }

    private void process() {
        findings.put("process", Finding.ok("process", jvm.pid(), jvm.toString()));
        findings.put("user", Finding.ok("user", jvm.uid(), "uid " + jvm.uid()));
        boolean namespace = jvm.namespacePid() != jvm.pid();
        String groups = SystemFiles
                .containerOfGroups(SystemFiles.text("/proc/" + jvm.pid() + "/cgroup"));
        findings.put("container", Finding.ok("container", namespace || !groups.isEmpty(), namespace
                ? "yes, with process numbers of its own: this JVM is " + jvm.namespacePid() + " there"
                : !groups.isEmpty() ? groups
                        : ownRoot() ? "a file system root of its own (chroot)"
                                : "no sign of one of its own"));
        findings.put("cpuLimit", MachineFindings.cpuLimit(Integer.toString(jvm.pid())));
        if (jdk.isPresent()) {
            findings.put("version",
                    Finding.ok("version", jdk.get().version(), jdk.get().label() + ", " + jdk.get().home()));
        } else {
            findings.put("version",
                    jvm.feature() > 0
                            ? Finding.ok("version", Integer.toString(jvm.feature()), "JDK " + jvm.feature())
                            : Finding.unknown("version", noTrial));
        }
    }

    private boolean ownRoot() {
        try {
            return !Files.readSymbolicLink(jvm.root()).equals(Path.of("/"))
                    || !Files.isSameFile(jvm.root().resolve("."), Path.of("/"));
        } catch (IOException e) {
            return false;
        }
    }

    private void flags() {
        String byProc = "top and record show what /proc has of its threads";
        String atStart = (jvm.hasThreadclock()
                ? "threadclock is loaded, but no command can reach it; "
                : "threadclock can be loaded only at the JVM's start: " + SelfJar.agentFlag("") + "; ")
                + byProc;
        findings.put("attach",
                !jvm.attachable() ? Finding.note("attach", false, "off: -XX:+DisableAttachMechanism", atStart)
                        : refusal.map(why -> Finding.note("attach", false, "refused now: " + why, byProc))
                                .orElseGet(() -> Finding.ok("attach", true, "possible")));
        String label = "dynamic agents";
        findings.put("dynamicAgents", jvm.dynamicLoading().map(given -> given
                ? Finding.ok(label, true, "allowed (-XX:+EnableDynamicAgentLoading)")
                : Finding.note(label, false, "forbidden (-XX:-EnableDynamicAgentLoading)", atStart))
                .orElseGet(() -> jvm.warns()
                        ? Finding.note(label, true,
                                "allowed, with a warning by the JVM on stderr (JEP 451)",
                                "start the JVM with -XX:+EnableDynamicAgentLoading to prevent the warning")
                        : Finding.ok(label, true, "allowed")));
    }

    private void verdict() {
        // Both precede the request to the agent, after which this process may run as another user.
        boolean bean = jvm.hasModule("java.management");
        JdkTrial trial = !bean ? JdkTrial.unknown("its runtime has no ThreadMXBean to try")
                : jdk.map(JdkTrial::of).orElseGet(() -> JdkTrial.unknown(noTrial));
        VirtualTrial virtual = jdk.map(VirtualTrial::of).orElse(VirtualTrial.UNKNOWN);
        Optional<Boolean> active = active();
        if (active.isEmpty()) {
            findings.put("userTime", Finding.unknown(USER_TIME,
                    "threadclock is loaded but cannot be asked; without it: " + described(trial)));
            return;
        }
        findings.put("userTime", !bean
                ? Finding.ok(USER_TIME, "none", "nothing to answer: its runtime was made without"
                        + " java.management, so it has no ThreadMXBean")
                : active.get() ? Finding.ok(USER_TIME, Verdict.RIGHT.word(),
                        "right: threadclock answers. Without it: " + described(trial)) : userTime(trial));
        Optional.of("jdk.jfr").filter(jvm::hasModule)
                .flatMap(jfr -> recorder(trial, verdict(trial), status, next("reach=jvm")))
                .ifPresent(finding -> findings.put("flightRecorder", finding));
        archive();
        virtual.finding(jdk.map(Jdk::feature).orElse(jvm.feature()), answer, next("virtual=on"))
                .ifPresent(finding -> findings.put("virtualThreads", finding));
        if (active.get()) {
            metrics(status.getOrDefault("prometheus", "off"));
            boolean wrong = findings.values().stream()
                    .anyMatch(finding -> finding.level() == Finding.Level.WRONG);
            findings.put("next",
                    Finding.ok("next", null, (wrong ? "" : "nothing to do; ") + "threadclock status "
                            + jvm.pid() + " shows more, threadclock detach " + jvm.pid() + " undoes it"));
        } else if (Boolean.TRUE.equals(trial.ownIdTellsTotal())) {
            findings.put("ownId", Finding.wrong("own id", "total",
                    "getThreadUserTime(own id) returns the total (JDK-8372704)",
                    next("") + ": the agent repairs it"));
        }
    }

    /** Without threadclock. */
    private Finding userTime(JdkTrial trial) {
        Verdict verdict = verdict(trial);
        return switch (verdict) {
            case UNKNOWN -> Finding.unknown(USER_TIME, trial.reason());
            case RIGHT -> Finding.ok(USER_TIME, verdict.word(), described(trial));
            case SLOW, WRONG -> Finding.wrong(USER_TIME, verdict.word(), described(trial),
                    next("") + ": then " + verdict.withAgent());
        };
    }

    /**
     * Whether Flight Recorder splits the CPU time of this JVM's threads rightly. It calls libjvm, as
     * ThreadMXBean does in a JVM without the agent, so the trial of the JDK, which runs without it, covers
     * both. Empty if there is nothing to say: the split is right without help, or nothing at all is known.
     *
     * @param verdict of the trial or, without one, of the JVM's version
     * @param status what the agent in the JVM reports; empty if it is not active
     * @param remedy the command line that corrects the split
     */
    static Optional<Finding> recorder(JdkTrial trial, Verdict verdict, Map<String, String> status,
            String remedy) {
        String label = "Flight Recorder";
        String answerer = status.getOrDefault("libjvm.user_time", JVM);
        if (answerer.equals("threadclock")) {
            return Optional.of(Finding.ok(label, Verdict.RIGHT.word(),
                    "right: threadclock answers libjvm too (reach=jvm)"
                            + (verdict == Verdict.WRONG ? ". Without it: wrong" : "")));
        }
        boolean readsVirt = answerer.startsWith(JVM + ": it reads the VIRT clock");
        if (verdict == Verdict.WRONG || verdict == Verdict.UNKNOWN && readsVirt) {
            return Optional.of(Finding.wrong(label, Verdict.WRONG.word(), recorderIsWrong(trial, answerer),
                    remedy
                            + ": then it gets the kernel's value; no JDK from 25.0.5 on is known to be"
                            + " right"));
        }
        boolean readsProc = answerer.startsWith(JVM + ": it reads /proc");
        return verdict == Verdict.UNKNOWN && !status.isEmpty() && !readsProc
                ? Optional.of(Finding.unknown(label, trial.reason())) : Optional.empty();
    }

    private static String recorderIsWrong(JdkTrial trial, String answerer) {
        String who = answerer.startsWith(JVM + ":") || answerer.equals(JVM) ? ""
                : ", answered by " + answerer;
        String by = trial.verdict() != Verdict.WRONG ? "not tried, as above"
                : trial.errors() + "; a trial of its JDK";
        return "wrong" + who + ": jdk.ThreadCPULoad takes user time from a count of ticks (" + by
                + "), and calls the rest system time";
    }

    /** Whether the JVM gets its classes from an archive, which a Java agent can prevent. */
    private void archive() {
        String label = "class archive";
        String asked = jvm.aotCache();
        String used = jvm.archive();
        boolean missed = !asked.isEmpty() && !asked.endsWith(used.isEmpty() ? "/" : used);
        findings.put("archive",
                missed ? Finding.note(label, used, "its AOT cache is not used",
                        answer.getOrDefault("form", "").equals("javaagent")
                                ? "start it with -agentpath instead of -javaagent: the JVM then uses it"
                                : "a new JVM with -Xlog:aot says why")
                        : Finding.ok(label, used,
                                used.isEmpty() ? "none: each class is parsed at its first use"
                                        : (asked.isEmpty() ? "CDS: " : "AOT cache: ") + used));
    }

    /** Where the agent serves metrics, if it does, and whether other machines can read them. */
    private void metrics(String address) {
        if (address.equals("off")) {
            return;
        }
        String url = "http://" + address + "/metrics";
        String text = "Prometheus: " + url;
        // The agent's notation: an IP address, in brackets if it has colons, and a port.
        boolean loopback = address.startsWith("127.") || address.matches("\\[(0*:)+0*1\\]:\\d+");
        findings.put("metrics", loopback ? Finding.ok("metrics", url, text)
                : Finding.note("metrics", url, text + ": anyone who can connect can read them",
                        next("prometheus=" + address.substring(address.lastIndexOf(':') + 1))
                                + ": then only this machine can"));
    }

    /** Whether threadclock in the JVM is active; empty if it is loaded but does not respond. */
    private Optional<Boolean> active() {
        String label = "threadclock";
        if (!jvm.hasThreadclock()) {
            findings.put(label, Finding.ok(label, "absent", "not loaded"));
            return Optional.of(false);
        }
        try {
            JvmStatus reported = jvm.status();
            answer = reported.values();
            boolean active = reported.value("active").equals("yes");
            status = active ? answer : Map.of();
            String version = answer.getOrDefault("version", "of another version");
            findings.put(label,
                    active ? Finding.ok(label, "active",
                            version + FORMS.getOrDefault(answer.getOrDefault("form", ""), "")
                                    + ", answers from " + answer.getOrDefault("user.source", "?"))
                            : Finding.note(label, "inactive", version + ", loaded and switched off",
                                    "threadclock attach " + jvm.pid() + " switches it on"));
            return Optional.of(active);
        } catch (AttachException e) {
            findings.put(label,
                    Finding.unknown(label, "loaded, but cannot be asked: " + e.getMessage()));
            return Optional.empty();
        }
    }

    private Verdict verdict(JdkTrial trial) {
        return trial.verdict() == Verdict.UNKNOWN ? JdkTrial.ofVersion(jvm.feature()) : trial.verdict();
    }

    private String described(JdkTrial trial) {
        Verdict verdict = verdict(trial);
        return verdict == Verdict.UNKNOWN ? "not known: " + trial.reason()
                : trial.verdict() == Verdict.UNKNOWN
                        ? verdict.word() + ", as JDK " + jvm.feature() + " is (not tried: " + trial.reason()
                                + ")"
                        : trial.verdict().word() + " (" + trial.cost() + "; a trial of its JDK)";
    }

    /** The command line to run next in order to give the agent these options. */
    private String next(String options) {
        if (jvm.takesAgents() && refusal.isEmpty()) {
            return ("threadclock attach " + jvm.pid() + " " + options).trim();
        }
        return "restart it with " + SelfJar.agentFlag(options);
    }
}
