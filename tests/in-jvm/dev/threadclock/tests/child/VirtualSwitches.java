// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import dev.threadclock.command.probe.VirtualSwitch;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.ProtectionDomain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A child program, accounted for from its start, beside another agent that it is itself: lets virtual threads
 * work before and after that agent has done something to java.lang.VirtualThread ("nothing", "retransform" or
 * "redefine", with the JDK's own bytes), and prints what the agent says of their switches. Arguments: the
 * helper library, the agent's, a file for its report, what to do and what is read next ({@link #readAfter});
 * or "collect" ({@link #collect}), "adopt" ({@link #adopt}), "delayed" ({@link
 * #startWhileAnotherStartIsDelayed}), or "lose": redefine where no events are sent.
 */
public final class VirtualSwitches {
    private static final long CARRIED_AHEAD_NANOS = 2_000_000;
    private static final long LOAD_NANOS = 400_000_000;
    /** What carriers use while nobody reports switches. */
    private static final long UNSEEN_NANOS = 400_000_000;
    private static Instrumentation instrumentation;
    private static final CountDownLatch SLOW = new CountDownLatch(1);
    private static int changes;

    public static void premain(String option, Instrumentation instrumentation) {
        VirtualSwitches.instrumentation = instrumentation;
        if (option != null) {
            ClassFileTransformer transformer = new ClassFileTransformer() {
                @Override
                public byte[] transform(ClassLoader loader, String name, Class<?> type,
                        ProtectionDomain domain, byte[] bytes) {
                    boolean ours = "java/lang/ThreadclockSwitches".equals(name);
                    return ours || "java/lang/VirtualThread".equals(name)
                            ? changed(option, ours, new String(bytes, ISO_8859_1)).getBytes(ISO_8859_1)
                            : null;
                }
            };
            instrumentation.addTransformer(transformer, true);
            if (option.equals("wrap")) {
                instrumentation.setNativeMethodPrefix(transformer, "un");
            }
        }
    }

    /**
     * By "change", a name in VirtualThread; in our helper by "helper", the condition of the first call, and
     * by "wrap", a native (see {@link #wrapped}).
     */
    private static String changed(String option, boolean ours, String text) {
        if (option.equals("slow")) {
            SLOW.countDown();
            Threads.pause(3_000);
        }
        if (!ours) {
            return option.equals("change")
                    ? text.replaceAll("Virtual.hread[.]java", "Virtual" + changes++ % 10 + "hread.java")
                    : text;
        }
        return option.equals("helper") ? text.replaceFirst("\u0099\0\u000b", "\u009a\0\u000b")
                : option.equals("wrap") ? wrapped(text) : text;
    }

    /**
     * mounted becomes a Java method that only returns, its native unmounted(Thread, long): with the prefix
     * "un" no name is needed that the class has not. The numbers are those of enum text in virtual_calls.c.
     */
    private static String wrapped(String text) {
        String code = "\0\25\0\0\0\15\0\0\0\3\0\0\0\1\u00b1\0\0\0\0";
        return text.replace("\0\6\0\10\0\21", "\0\7\0\10\0\21").replace("\1\10\0\14\0\15\0\0",
                "\0\10\0\14\0\15\0\1" + code + "\1\10\0\16\0\15\0\0");
    }

    public static void main(String[] args) throws Throwable {
        System.load(args[0]);
        String action = args[3];
        if (action.equals("delayed")) {
            startWhileAnotherStartIsDelayed();
            return;
        }
        work();
        say("before", args);
        if (action.equals("retransform")) {
            retransform();
        } else if (action.equals("redefine account")) {
            redefineUnseen();
        } else if (action.startsWith("redefine")) {
            redefine();
        } else if (action.equals("collect")) {
            collect(args);
            return;
        } else if (action.equals("adopt")) {
            VirtualAccounts.join(Threads.virtual("adopted-1", () -> adopt(args)));
            return;
        } else if (action.equals("lose")) {
            redefine();
            say("after", args);
            return;
        }
        readAfter(action, args);
        work();
        say("after", args);
    }

    /** By the other agent's transformer. */
    private static void startWhileAnotherStartIsDelayed() throws Exception {
        Thread first = Threads.daemon("first", VirtualThreads::startAccounting);
        SLOW.await();
        try {
            VirtualThreads.startAccounting();
            System.out.println("second=" + VirtualThreads.isAccounting());
        } catch (IllegalStateException e) {
            System.out.println("second: " + e.getMessage());
        }
        first.join();
        System.out.println("first=" + VirtualThreads.isAccounting());
    }

    /** Begins accounting anew while the calling thread is mounted, which then reads itself. */
    private static void adopt(String... args) {
        try {
            Helper.attach(args[1], "virtual=off");
            Helper.attach(args[1], "virtual=on");
            ThreadClock.readNow(new CpuTimes());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        System.out.println("groups=" + CpuAccount.read(Duration.ZERO).groups().stream()
                .filter(group -> group.kind() == CpuGroup.Kind.VIRTUAL && group.threads() > 0)
                .map(CpuGroup::name).collect(Collectors.toList()));
    }

    /**
     * Redefines the class while a thread is mounted, whose end is then not reported: the account of the
     * process does not give it what others use of its carrier.
     */
    private static void redefineUnseen() throws Throwable {
        AtomicBoolean runs = new AtomicBoolean();
        AtomicBoolean redefined = new AtomicBoolean();
        Thread mounted = VirtualAccounts.start(() -> {
            while (!redefined.get()) {
                runs.set(true);
            }
        });
        while (!runs.get()) {
            Thread.yield();
        }
        long before = accountedNanos();
        redefine();
        redefined.set(true);
        VirtualAccounts.join(mounted);
        long end = VirtualSwitch.carriersNanos() + UNSEEN_NANOS;
        List<Thread> others = new ArrayList<>();
        for (int carrier = 0; carrier < 2; carrier++) {
            others.add(VirtualAccounts.start(() -> {
                while (VirtualSwitch.carriersNanos() < end) {
                    VirtualAccounts.burn(5_000_000);
                }
            }));
        }
        VirtualAccounts.joinAll(others);
        long more = accountedNanos() - before;
        if (more > UNSEEN_NANOS / 4) {
            throw new AssertionError(more + " ns of threads whose switches nobody reported");
        }
    }

    private static long accountedNanos() {
        return CpuAccount.read(Duration.ZERO).groups().stream()
                .filter(group -> group.kind() == CpuGroup.Kind.VIRTUAL)
                .mapToLong(group -> group.times().totalNanos()).sum();
    }

    /** Reads "another" thread, or the agent's "status", after what was done to the class. */
    private static void readAfter(String action, String... args) throws Throwable {
        if (action.endsWith("another")) {
            Thread thread = VirtualAccounts.start(LockSupport::park);
            ThreadClock.read(thread, new CpuTimes());
            LockSupport.unpark(thread);
            VirtualAccounts.join(thread);
        } else if (action.endsWith("status")) {
            say("read", args);
        }
    }

    /**
     * With -Djdk.trackAllThreads=false, a thread that nobody unparks is collected without ending: its account
     * stays until accounting is switched off.
     */
    private static void collect(String... args) throws Exception {
        List<WeakReference<Thread>> threads = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            threads.add(new WeakReference<>(VirtualAccounts.start(LockSupport::park)));
        }
        while (threads.stream().anyMatch(thread -> thread.get() != null)) {
            System.gc();
        }
        say("collected", args);
        Helper.attach(args[1], "virtual=off");
        Helper.attach(args[1], "virtual=on");
        say("again", args);
    }

    /** Lets the other agent, if there is one, transform VirtualThread again. */
    static void retransform() throws Exception {
        if (instrumentation != null) {
            instrumentation.retransformClasses(Class.forName("java.lang.VirtualThread"));
        }
    }

    /** Lets the other agent, if there is one, redefine VirtualThread with the JDK's own bytes. */
    static void redefine() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream file = ClassLoader.getSystemResourceAsStream("java/lang/VirtualThread.class")) {
            byte[] part = new byte[8192];
            for (int read; (read = file.read(part)) > 0;) {
                bytes.write(part, 0, read);
            }
        }
        if (instrumentation != null) {
            instrumentation.redefineClasses(
                    new ClassDefinition(Class.forName("java.lang.VirtualThread"), bytes.toByteArray()));
        }
    }

    /** The sum of whole accounts is about their carriers' time. */
    private static void work() throws Throwable {
        AtomicLong total = new AtomicLong();
        long before = VirtualSwitch.carriersNanos();
        VirtualAccounts.load(1_000_000, VirtualSwitch::carriersNanos, LOAD_NANOS, total, new AtomicLong());
        long carriers = VirtualSwitch.carriersNanos() - before;
        if (total.get() < carriers / 2 || total.get() > carriers + CARRIED_AHEAD_NANOS) {
            throw new AssertionError(total + " ns of carriers' " + carriers);
        }
    }

    static void say(String when, String... args) throws Exception {
        for (String line : status(args)) {
            if (line.startsWith("virtual")) {
                System.out.println(when + "." + line);
            }
        }
    }

    /** The lines of the agent's status. */
    static List<String> status(String... args) throws Exception {
        Path report = Paths.get(args[2]);
        Files.write(report, new byte[0]); // because the agent does not create files
        Helper.attach(args[1], "do=status,report=" + report);
        return Files.readAllLines(report);
    }
}
