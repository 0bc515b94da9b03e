// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.child.VirtualLoad;
import dev.threadclock.tests.child.VirtualRunning;
import dev.threadclock.tests.child.VirtualSwitches;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * java.lang.VirtualThread reports switches itself wherever that is safe, and otherwise the JVM's events do;
 * both give right times, and the agent says which and why.
 */
class VirtualSwitchesTest {
    @TempDir
    Path folder;

    static Path otherAgent(Path folder) throws IOException {
        return JarCopy.made(folder.resolve("other.jar"), Map.of("Premain-Class",
                VirtualSwitches.class.getName(), "Can-Redefine-Classes", "true", "Can-Retransform-Classes",
                "true", "Can-Set-Native-Method-Prefix", "true"));
    }

    private Result run(TestJdk jdk, String action, String... flags) {
        return run(ChildJvm.of(jdk), action, flags);
    }

    private Result run(ChildJvm child, String action, String... flags) {
        return start(child.withAgentPath("virtual=on"), action, flags);
    }

    private Result start(ChildJvm child, String action, String... flags) {
        return child.withClassPath(Product.JAR).withNativeAccess().with(flags)
                .with("-Djdk.virtualThreadScheduler.parallelism=2").run(VirtualSwitches.class,
                        CLibrary.assume("parity_helper"), Product.LIBRARY, folder.resolve("report"), action)
                .ok();
    }

    private static void assertSwitches(Result result, String before, String after, String why) {
        assertThat(result.out().lines()).as(result.toString())
                .contains("before.virtual.switches=" + before, "after.virtual.switches=" + after);
        if (why != null) {
            assertThat(result.out()).containsPattern("after.virtual.switches.why=.*" + why);
        }
    }

    @OnEachJdk(from = 21)
    void theClassReportsThemItself(TestJdk jdk) throws IOException {
        Result result = run(jdk, "nothing", "-Xcheck:jni");
        assertSwitches(result, "calls", "calls", null);
        assertThat(result.out()).doesNotContain("WARNING", "[warning]");
    }

    @OnEachJdk(from = 21)
    void theEventsDoIfAskedFor(TestJdk jdk) throws IOException {
        assertSwitches(run(jdk, "nothing", "-Dthreadclock.switches=events"), "events", "events", "asks for");
    }

    /** As in a later JDK, a method has another name. */
    @OnEachJdk(from = 21)
    void theEventsDoIfTheClassIsNotOneThatIsKnown(TestJdk jdk) throws IOException {
        String file = "java/lang/VirtualThread.class";
        Path patched = folder.resolve("patch").resolve(file);
        Files.createDirectories(patched.getParent());
        try (FileSystem image = FileSystems.newFileSystem(URI.create("jrt:/"),
                Map.of("java.home", jdk.jdk().home().toString()))) {
            String bytes = Files.readString(image.getPath("modules/java.base", file), ISO_8859_1);
            Files.writeString(patched, bytes.replace("\tafterDone", "\tafterWork"), ISO_8859_1);
        }
        assertSwitches(run(jdk, "nothing", "--patch-module=java.base=" + folder.resolve("patch")), "events",
                "events", "is not what a known JDK has");
    }

    @OnEachJdk(from = 21)
    void anotherAgentsRetransformationKeepsTheCalls(TestJdk jdk) throws IOException {
        assertSwitches(run(jdk, "retransform", "-javaagent:" + otherAgent(folder)), "calls", "calls", null);
    }

    @OnEachJdk(from = 21)
    void theEventsTakeOverFromAClassThatAnotherAgentHasRedefined(TestJdk jdk) throws IOException {
        for (String reader : List.of("account", "another", "status")) {
            Path log = Files.createFile(folder.resolve(reader));
            ChildJvm child = ChildJvm.of(jdk).withAgentPath("virtual=on,log=" + log);
            assertSwitches(start(child, "redefine " + reader, "-javaagent:" + otherAgent(folder)), "calls",
                    "events", "another agent has redefined");
            assertThat(log).content().containsOnlyOnce("by java.lang.VirtualThread itself")
                    .containsOnlyOnce("by the JVM's events (another agent has redefined");
        }
    }

    @OnEachJdk(from = 21)
    void theAgentSaysThatNothingReportsThemAnyMore(TestJdk jdk) throws IOException {
        jdk.assumeRunsWithoutTransitions();
        Path log = Files.createFile(folder.resolve("log"));
        ChildJvm child = ChildJvm.of(jdk).withAgentPath("virtual=on,log=" + log);
        Result result = start(child, "lose", "-javaagent:" + otherAgent(folder),
                "-XX:+UnlockExperimentalVMOptions", "-XX:-DoJVMTIVirtualThreadTransitions");
        assertSwitches(result, "calls", "none", "another agent has redefined");
        assertThat(result.out()).contains("before.virtual=on", "after.virtual=off");
        assertThat(log).content().containsOnlyOnce("by nothing any more (");
    }

    @OnEachJdk(from = 21)
    void aThreadThatReadsItselfIsInItsOwnGroup(TestJdk jdk) throws IOException {
        assertThat(run(jdk, "adopt").out()).contains("groups=[adopted-*]");
    }

    @OnEachJdk(from = 21)
    void soItIsWhereJvmtiTakesTheCarrierForTheCurrentThread(TestJdk jdk) throws IOException {
        jdk.assumeRunsWithoutTransitions();
        Result result = run(jdk, "adopt", "-XX:+UnlockExperimentalVMOptions",
                "-XX:-DoJVMTIVirtualThreadTransitions");
        assertThat(result.out()).contains("groups=[adopted-*]");
    }

    /** A transformer that returns the bytes that it was given has changed nothing. */
    @OnEachJdk(from = 21)
    void anotherAgentsTransformerTakesPart(TestJdk jdk) throws IOException {
        assertSwitches(run(jdk, "retransform", "-javaagent:" + otherAgent(folder) + "=transform"), "calls",
                "calls", null);
    }

    /** It comes first, so its transformer takes part in our redefinition, and changes what we have made. */
    @OnEachJdk(from = 21)
    void theEventsDoBesideAnAgentThatChangesTheClass(TestJdk jdk) throws IOException {
        ChildJvm child = ChildJvm.of(jdk).with("-javaagent:" + otherAgent(folder) + "=change");
        assertSwitches(run(child, "retransform"), "events", "events", "another agent changes");
    }

    /**
     * Agents insert Java code into every class, or wrap natives in Java methods, which must not run while a
     * thread is switched.
     */
    @OnEachJdk(from = 21)
    void theEventsDoBesideAnAgentThatChangesOurClass(TestJdk jdk) throws IOException {
        for (String change : List.of("helper", "wrap")) {
            ChildJvm child = ChildJvm.of(jdk).with("-javaagent:" + otherAgent(folder) + "=" + change);
            assertSwitches(run(child, "nothing"), "events", "events",
                    "another agent changes java.lang.ThreadclockSwitches");
        }
    }

    @Test
    void aSecondStartIsRefusedWhileAnotherAgentDelaysTheFirst() throws IOException {
        TestJdk jdk = TestJdk.newest();
        assumeTrue(jdk.feature() >= 25, "before JDK 25 no class is changed in a running JVM");
        Result result = start(ChildJvm.of(jdk), "delayed", "-javaagent:" + otherAgent(folder) + "=slow");
        assertThat(result.out()).contains("second: ", "; try again", "first=true")
                .as("its transformer loads classes while our natives are bound").doesNotContain("[warning]");
    }

    /** It would lack java.lang.VirtualThread. With the first of these flags no agent comes at the start. */
    @Test
    void theEventsDoWhereTheJvmWritesAnArchive() {
        TestJdk jdk = TestJdk.newest();
        assumeTrue(jdk.feature() >= 21, "virtual threads are final from JDK 21 on");
        Path archive = folder.resolve("archive.jsa");
        for (String flags : List.of("-XX:ArchiveClassesAtExit=" + archive, "-XX:+RecordDynamicDumpInfo",
                "-XX:+AutoCreateSharedArchive -XX:SharedArchiveFile=" + archive)) {
            try (AttachJvm jvm = ChildJvm.of(jdk).withClassPath(Product.JAR).withNativeAccess()
                    .withDynamicAgents().with(flags.split(" ")).startTarget(VirtualLoad.class)) {
                jvm.run("attach", "virtual=on").ok();
                assertThat(jvm.run("status").ok().out()).as(flags)
                        .containsPattern("switches[.]why +this JVM writes an archive");
            }
        }
    }

    /** A running JVM before 25 would lose all of its compiled code. */
    @OnEachJdk(from = 21)
    void anAttachSaysWhatReportsThem(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).withClassPath(Product.JAR).withNativeAccess()
                .withDynamicAgents().startTarget(VirtualLoad.class)) {
            String switches = jdk.feature() < 25 ? "events" : "calls";
            jvm.run("attach", "virtual=on").ok();
            assertThat(jvm.run("status").ok().out()).containsPattern("switches +" + switches);
        }
    }

    @OnEachJdk(from = 21)
    void anAgentThatComesWhileFiveThousandRunAccountsForAll(TestJdk jdk) {
        Result result = ChildJvm.of(jdk).withClassPath(Product.JAR).withNativeAccess()
                .with("-Djdk.virtualThreadScheduler.parallelism=2").run(VirtualRunning.class,
                        CLibrary.assume("parity_helper"), Product.LIBRARY, folder.resolve("report"))
                .ok();
        assertThat(result.out().lines()).as(result.toString()).contains("running.virtual.threads=5000",
                "running.virtual.switches=" + (jdk.feature() < 25 ? "events" : "calls"),
                "ended.virtual.threads=0");
    }

    /** As with another version of it: under another name, it does not hand over to the first. */
    @OnEachJdk(from = 21)
    void theEventsReportThemToASecondCopyOfTheLibrary(TestJdk jdk) throws IOException {
        Path copy = Files.copy(Product.LIBRARY, folder.resolve("libother.so"));
        ChildJvm child = ChildJvm.of(jdk).with("-agentpath:" + copy + "=virtual=on");
        assertSwitches(run(child, "nothing"), "events", "events", "another copy of threadclock");
    }

    /** The stated limit; on JDK 21 any agent that listens for ends of threads keeps each from collection. */
    @OnEachJdk(from = 25)
    void theAccountOfAThreadThatIsCollectedLastsUntilAccountingIsSwitchedOff(TestJdk jdk) throws IOException {
        Result result = run(jdk, "collect", "-Djdk.trackAllThreads=false");
        assertThat(result.out().lines()).as(result.toString()).contains("collected.virtual.threads=1000",
                "again.virtual.threads=0");
    }

    /** It comes when the JVM runs already. */
    @OnEachJdk(from = 21)
    void aJavaAgentSaysHowToStartInstead(TestJdk jdk) {
        Result result = ChildJvm.of(jdk).withPlainJavaAgent(Product.AGENT_JAR, "virtual=on,log=stderr")
                .run(Hello.class).exits(3);
        assertThat(result.err()).contains(jdk.feature() < 25 ? "start it with virtual=on by -agentpath"
                : "java.lang.VirtualThread itself");
    }
}
