// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.JvmStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How attach parses what the kernel, the JVM and the agent report. */
class AttachParsingTest {
    @Test
    void procStatus() {
        String text = "Name:\tjava\nState:\tS"
                + " (sleeping)\nTgid:\t4711\nPid:\t4711\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t4294967294\n"
                + "NStgid:\t4711\t12\t1\nSigCgt:\t0000000181005ccf\n";
        ProcStatus status = ProcStatus.parse(text);
        assertThat(status.group()).isEqualTo(4711);
        assertThat(status.namespacePid()).isEqualTo(1);
        assertThat(status.uid()).isEqualTo(2);
        assertThat(status.gid()).isEqualTo(6);
        assertThat(status.mixed()).isTrue();
        assertThat(ProcStatus.parse(text.replace("Uid:\t1", "Uid:\t2").replace("Gid:\t5", "Gid:\t6")).mixed())
                .isFalse();
        assertThat(status.handlesQuit()).isTrue();
        assertThat(ProcStatus.parse(text.replace("5ccf", "5ccb")).handlesQuit()).isFalse();
        assertThat(ProcStatus.parse(text.replaceAll("NStgid.*\n", "")).namespacePid()).as("before Linux 4.1")
                .isEqualTo(4711);
        assertThat(ProcStatus.parse(text.replace("S (sleeping)", "T (stopped)")).isStopped()).isTrue();
        assertThat(ProcStatus.parse(text.replace("S (sleeping)", "Z (zombie)")).hasEnded()).isTrue();
    }

    @Test
    void procMaps() {
        ProcMaps maps = ProcMaps
                .parse("""
                        55d0c0000000-55d0c0001000 r--p 00000000 fe:00 100                        /usr/bin/java
                        7f0000000000-7f0000001000 r--p 00000000 fe:00 101                        /opt/my jdk/lib/server/libjvm.so
                        7f0000001000-7f0000002000 r-xp 00001000 fe:00 101                        /opt/my jdk/lib/server/libjvm.so
                        7f0000003000-7f0000004000 r--p 00000000 fe:00 102                        /noexec/libthreadclock.so
                        7f0000005000-7f0000006000 r--p 00000000 00:1b 14                         /tmp/a b/libthreadclock.so (deleted)
                        7f0000006000-7f0000007000 r-xp 00001000 00:1b 14                         /tmp/a b/libthreadclock.so (deleted)
                        7f0000006000-7f0000007000 r-xp 00001000 00:1b 17                         /tmp/c/libthreadclock.so@org.example.NativeLibrary (deleted)
                        7f0000006000-7f0000007000 r-xp 00001000 00:1b 18                         /usr/lib/libthreadclock.so.0.1.0
                        7f0000006000-7f0000007000 r-xp 00001000 00:1b 19                         /usr/lib/libthreadclock.software
                        7f0000007000-7f0000008000 rw-s 00000000 00:1b 14                         /tmp/hsperfdata_me/711
                        7f0000007000-7f0000008000 rw-s 00000000 00:1b 15                         /tmp/hsperfdata_me/4711
                        7f0000008000-7f0000009000 r-xp 00000000 00:1b 16                         /lib/ld-musl-x86_64.so.1
                        7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0                          [stack]
                        7ffc00002000-7ffc00003000 rw-p 00000000 00:00 0
                        """);
        assertThat(maps.jvm()).get().extracting(ProcMaps.Mapped::path)
                .isEqualTo("/opt/my jdk/lib/server/libjvm.so");
        assertThat(maps.threadclocks(Set.of())).as("what was refused for noexec has no code")
                .containsExactly(new ProcMaps.Mapped("/tmp/a b/libthreadclock.so", true, true),
                        new ProcMaps.Mapped("/tmp/c/libthreadclock.so@org.example.NativeLibrary", true, true),
                        new ProcMaps.Mapped("/usr/lib/libthreadclock.so.0.1.0", false, true));
        assertThat(maps.counters(4711)).get().extracting(ProcMaps.Mapped::path)
                .isEqualTo("/tmp/hsperfdata_me/4711");
        assertThat(maps.isMusl()).isTrue();
        assertThat(maps.isOpenJ9()).isFalse();
        assertThat(ProcMaps.parse("").jvm()).isEmpty();
        String code = "7f0000008000-7f0000009000 r-xp 00000000 00:1b 16 ";
        assertThat(ProcMaps.parse(code + "/usr/lib/x86_64-linux-musl/libc.so\n").isMusl()).isTrue();
        assertThat(ProcMaps.parse(code + "/usr/lib/x86_64-linux-gnu/libc.so.6\n").isMusl()).isFalse();
    }

    @Test
    void commandLines() {
        assertThat(command("/usr/bin/java", "-Xmx1g", "-cp", "a:b", "-jar", "/opt/app.jar", "secret"))
                .hasToString("java -jar app.jar");
        assertThat(command("java", "--module-path", "mods", "-m", "mod/Main", "-XX:+X").options())
                .containsExactly("--module-path", "mods");
        assertThat(command("java", "Main", "-XX:+DisableAttachMechanism").options())
                .as("the program's own argument").isEmpty();
        assertThat(command("java", "@file", "Main").options()).containsExactly("-Done=a b", "-Dtwo=c\\d",
                "-Dthree");
        assertThat(command("jsvc.exec", "-java-home", "/opt/jdk", "-user", "app", "-pidfile", "/run/app.pid",
                "-cp", "app.jar", "-Xmx1g", "shop.Service", "start")).hasToString("jsvc.exec shop.Service");
        assertThat(command("java", "--disable-@files", "@file").main()).isEqualTo("@file");
        assertThat(command("java", "Ma\033[31min").toString()).doesNotContain("\033");
        assertThat(command()).hasToString("");
    }

    /** The command line goes into recordings, which go to others. */
    @Test
    void theMaskedCommandLineHasNoSecretsAndNoArgumentsOfTheProgram() {
        assertThat(command("/opt/jdk/bin/java", "-Xmx2g", "-XX:MaxRAMPercentage=50", "-Ddb.pass=a b=c",
                "-Dflag",
                "-javaagent:x.jar=license=l", "-Durl=jdbc:x://me:hidden@host/db", "-Djava.io.tmpdir=/t",
                "-Djavax.net.ssl.keyStorePassword=p", "-Djava.naming.security.credentials=p",
                "-Xrunx:license=l", "-XX:OnError=curl -u me:hidden host",
                "--add-opens=java.base/java.lang=ALL-UNNAMED", "-cp", "a.jar:b.jar", "shop.Main", "--user",
                "me")
                .masked()).isEqualTo("java -Xmx2g -XX:MaxRAMPercentage=50 -Ddb.pass=*** -Dflag"
                        + " -javaagent:x.jar=*** -Durl=*** -Djava.io.tmpdir=/t"
                        + " -Djavax.net.ssl.keyStorePassword=*** -Djava.naming.security.credentials=***"
                        + " -Xrunx:license=*** -XX:OnError=***"
                        + " --add-opens=java.base/java.lang=ALL-UNNAMED -cp a.jar:b.jar shop.Main");
        assertThat(command("java", "-jar", "/srv/shop.jar", "4711").masked()).isEqualTo("java -jar shop.jar");
        assertThat(command().masked()).isEmpty();
        assertThat(command("java", "-cp", "y".repeat(10_000), "Main").masked()).hasSize(4000);
    }

    @Test
    void deadlinesHaveUnits() {
        assertThat(List.of(200, 1_000, 10_000, 1_500))
                .extracting(millis -> new Deadline(Duration.ofMillis(millis)).toString())
                .containsExactly("200 ms", "1 s", "10 s", "1.5 s");
    }

    private static JavaCommandLine command(String... words) {
        return JavaCommandLine.of(Arrays.asList(words),
                file -> file.equals("file") ? "\"-Done=a b\" # c\n'-Dtwo=c\\\\d'\n-Dthree" : "");
    }

    @Test
    void words() {
        assertThat(JavaCommandLine.words(" a  'b c'd\n\"e f\" g\\h # i")).containsExactly("a", "b cd", "e f",
                "g\\h", "#",
                "i");
        assertThat(JavaCommandLine.wordsOfArgumentFile("a # b\n\"c\\\\d\\\"e\" f#g ''")).containsExactly("a",
                "c\\d\"e",
                "f#g", "");
    }

    @Test
    void theFlagThatIsTakenLastWins() {
        String on = "-XX:+F", off = "-XX:-F";
        assertThat(options(Map.of("JAVA_TOOL_OPTIONS", on), "java", off, "Main").flag("F")).contains(false);
        assertThat(options(Map.of("_JAVA_OPTIONS", on), "java", off, "Main").flag("F")).contains(true);
        assertThat(options(Map.of("JDK_JAVA_OPTIONS", on), "java", "Main").flag("F")).contains(true);
        assertThat(options(Map.of("JDK_JAVA_OPTIONS", on), "launcher", "Main").flag("F"))
                .as("the java launcher's own").isEmpty();
        assertThat(options(Map.of(), "java", "-XX:Flags=flags", "Main").flag("F")).contains(true);
        assertThat(options(Map.of(), "java", off, "-XX:Flags=flags", "Main").flag("F"))
                .as("the file is read first").contains(false);
        assertThat(options(Map.of(), "java", off, "-XX:VMOptionsFile=vm", "Main").flag("F")).contains(true);
        assertThat(options(Map.of(), "java", "Main", on).flag("F")).isEmpty();
        assertThat(options(Map.of(), "java", "-agentpath:/x.so=a", "Main").hasAgentPath("/x.so")).isTrue();
        assertThat(options(Map.of(), "java", "-agentpath:/x.so.1", "Main").hasAgentPath("/x.so")).isFalse();
    }

    private static JvmFacts options(Map<String, String> environment, String... words) {
        return new JvmFacts(0, true, JvmFacts.optionsFromOutside(
                JavaCommandLine.of(Arrays.asList(words), file -> ""), environment,
                file -> file.equals("flags") ? "+F" : file.equals("vm") ? "-XX:+F" : ""), "", Set.of(),
                false);
    }

    @Test
    void replies() {
        assertThat(reply("0\n0\n").loaded()).as("JDK 8").isTrue();
        assertThat(reply("0\nreturn code: 0\n").loaded()).as("JDK 9 to 27").isTrue();
        assertThat(reply("0\n1\n").loaded()).isFalse();
        assertThat(reply("0\nreturn code: -1\n").refusal()).isEqualTo("the library returned -1");
        assertThat(reply("0\n").loaded()).isFalse();
        AttachAnswer refused = reply(
                "0\nx.so was not loaded.\nx.so: failed to map segment from shared object\n");
        assertThat(refused.loaded()).as("JDK 21: code 0 and a text").isFalse();
        assertThat(refused.notExecutable()).isTrue();
        assertThat(refused.refusal())
                .isEqualTo("x.so was not loaded.; x.so: failed to map segment from shared object");
        assertThat(reply("0\nDynamic agent loading is only permitted in the live phase\n").notLive())
                .as("JDK 21 and later").isTrue();
        assertThat(refused.notLive()).isFalse();
        assertThat(reply("-1\n").refusal()).contains("-1");
        assertThat(reply("101\n").code()).isEqualTo(101);
        for (String none : List.of("", "\n", "hello\n0\n")) {
            assertThat(parse(none, "")).as(none).isEmpty();
        }
    }

    private static AttachAnswer reply(String text) {
        return parse(text, "").orElseThrow();
    }

    private static Optional<AttachAnswer> parse(String text, String report) {
        return AttachAnswer.parse(text.getBytes(StandardCharsets.UTF_8), report, null, null);
    }

    @Test
    void reports() {
        assertThat(status("ok\nversion=0.1.0\nbound.f=threadclock\nnonsense\n=x\n")).get().satisfies(ok -> {
            assertThat(ok.values()).containsExactly(Map.entry("version", "0.1.0"),
                    Map.entry("bound.f", "threadclock"));
            assertThat(ok.isActive()).isTrue();
        });
        assertThat(status("ok\nbound.f=jvm\n")).get().extracting(JvmStatus::isActive).isEqualTo(false);
        assertThatExceptionOfType(AttachException.class).isThrownBy(() -> status("error: a: b; c\n"))
                .withMessage("a: b; c");
        assertThatIllegalArgumentException().isThrownBy(() -> status("mistake: no such option\n"))
                .withMessage("no such option");
        assertThat(parse("0", "error: this JVM is starting or ending; try again\n").orElseThrow().notLive())
                .isTrue();
        assertThat(status("")).isEmpty();
        assertThat(status("okay\n")).isEmpty();
    }

    private static Optional<JvmStatus> status(String report) {
        return parse("0", report).orElseThrow().status();
    }

    @Test
    void counters() {
        byte[] file = counters(Map.of("sun.rt.jvmCapabilities", "0100", "java.rt.vmArgs", "-Xmx1g"));
        assertThat(PerfData.parse(file).text("sun.rt.jvmCapabilities")).contains("0100");
        assertThat(PerfData.parse(file).text("java.rt.vmArgs")).contains("-Xmx1g");
        assertThat(PerfData.parse(file).text("other")).isEmpty();
        assertThat(PerfData.parse(file).isIncomplete()).isFalse();
        file[7] = 0;
        assertThat(PerfData.parse(file).text("java.rt.vmArgs")).as("not yet accessible").isEmpty();
        assertThat(PerfData.parse(file).isIncomplete()).isTrue();
    }

    @Test
    void damagedCountersAreNoCounters() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] file = counters(Map.of("sun.rt.jvmCapabilities", "1100"));
            for (int j = 0; j < 4; j++) {
                file[8 + random.nextInt(file.length - 8)] = (byte) random.nextInt();
            }
            PerfData.parse(Arrays.copyOf(file, random.nextInt(file.length + 1)))
                    .text("sun.rt.jvmCapabilities");
        }
        assertThat(PerfData.parse(new byte[40]).isIncomplete()).isFalse();
    }

    /** Each name and value would be most of the file: gigabytes, which another user's JVM makes us copy. */
    @Test
    void countersThatOverlapAreReadForNoMoreThanTheFileIsLong() {
        int entries = 20_000;
        byte[] file = new byte[1 << 20];
        Arrays.fill(file, (byte) 'a');
        ByteBuffer buffer = ByteBuffer.wrap(file).putInt(0, 0xcafec0c0).put(4, (byte) 1).put(7, (byte) 1)
                .order(ByteOrder.LITTLE_ENDIAN).putInt(24, 32).putInt(28, entries);
        for (int i = 0; i < entries; i++) {
            int at = 32 + 20 * i;
            buffer.putInt(at, 20).putInt(at + 4, 20 * entries - i).putInt(at + 8, file.length)
                    .put(at + 12, (byte) 'B').putInt(at + 16, 20 * entries);
        }
        assertThat(PerfData.parse(file).text("sun.rt.jvmCapabilities")).isEmpty();
    }

    @Test
    void theReleaseOfJavaIsANumberOrUnknown() {
        Map.of("17.0.15", 17, "1.8.0_402", 8, "27-ea", 27, "99999999999", 0, "none", 0)
                .forEach((version, feature) -> assertThat(JvmFacts.of(PerfData.parse(counters(Map.of(
                        "java.property.java.version", version, "java.rt.vmArgs", "-Xmx1g"))), null, "")
                        .feature())
                        .as(version).isEqualTo(feature));
    }

    /** In the layout of perfMemory.cpp. */
    private static byte[] counters(Map<String, String> texts) {
        ByteBuffer file = ByteBuffer.allocate(1024);
        file.putInt(0xcafec0c0).put(new byte[]{1, 2, 0, 1});
        file.order(ByteOrder.LITTLE_ENDIAN).putInt(24, 32).putInt(28, texts.size());
        int at = 32;
        for (Map.Entry<String, String> entry : texts.entrySet()) {
            byte[] name = entry.getKey().getBytes(StandardCharsets.UTF_8);
            byte[] value = entry.getValue().getBytes(StandardCharsets.UTF_8);
            int length = 20 + name.length + 1 + value.length + 1;
            file.putInt(at, length).putInt(at + 4, 20).putInt(at + 8, value.length + 1)
                    .put(at + 12, (byte) 'B')
                    .putInt(at + 16, 20 + name.length + 1);
            file.put(at + 20, name).put(at + 20 + name.length + 1, value);
            at += length;
        }
        return Arrays.copyOf(file.array(), at);
    }

    @Test
    void controlCharactersTakeNoLine() {
        assertThat(Printable.line("a\nb\u0085c\u2028d\te\u001b[31m")).isEqualTo("a; b; c; d?e?[31m");
    }

    @Test
    void halfACharacterIsNotPassedOnToEncoders() {
        assertThat(Printable.line("cats \uD83D")).isEqualTo("cats ?");
        assertThat(Printable.line("cats \uD83D\uDC08")).isEqualTo("cats \uD83D\uDC08");
    }

    /** The largest inputs that are admitted; an algorithm in quadratic time would take minutes to hours. */
    @Test
    void whatAProcessSaysOfItselfIsParsedInLinearTime() {
        String spaces = " ".repeat(2_000_000);
        String digits = "1".repeat(1 << 20);
        String copies = "7f0000001000-7f0000002000 r-xp 00001000 fe:00 101 /libthreadclock.so.N\n";
        StringBuilder maps = new StringBuilder();
        for (int i = 0; maps.length() < 1 << 25; i++) {
            maps.append(copies.replace("N", Integer.toString(i)));
        }
        assertTimeoutPreemptively(Duration.ofSeconds(100), () -> {
            assertThat(Printable.line("a" + spaces + "b")).isEqualTo("a" + spaces + "b");
            assertThat(reply("0\n" + digits).refusal()).hasSize(1000);
            assertThat(reply("0\n" + "\n ".repeat(1 << 19) + "x").refusal()).isEqualTo("x");
            assertThat(status("ok\n" + "k=v\n".repeat(1 << 14)).orElseThrow().values()).hasSize(1);
            assertThat(ProcMaps.parse(maps.toString()).threadclocks(Set.of())).hasSizeLessThan(100);
            assertThat(JavaCommandLine.words("a ".repeat(1 << 24))).hasSize(JavaCommandLine.MOST_WORDS);
            assertThat(JavaCommandLine.wordsOfArgumentFile("#\n".repeat(1 << 24))).isEmpty();
            JavaCommandLine many = JavaCommandLine.of(Collections.nCopies(1 << 17, "@file"),
                    file -> "-Da=b ".repeat(1 << 16));
            assertThat(many.options()).hasSizeLessThan(3 * JavaCommandLine.MOST_WORDS);
            assertThat(JvmFacts.of(PerfData.parse(new byte[0]), List::of, "JAVA_VERSION=\n".repeat(1 << 16))
                    .feature()).isZero();
        });
    }
}
