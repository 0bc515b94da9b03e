// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Contract;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** ThreadMXBean's contract on user time is as in contract.txt, and the same with and without the agent. */
class ContractTest {
    private static final List<String> WAYS = List.of("without the agent", "-agentpath",
            "-agentpath after another agent", "-javaagent");
    /** The three variants run at the same time, because they mostly wait. */
    private static final Map<TestJdk, Map<String, Result>> RESULTS = new LinkedHashMap<>();

    static Stream<Arguments> ways() {
        return JdksOfTest.of(ContractTest.class)
                .flatMap(jdk -> WAYS.stream().map(way -> Arguments.of(way, jdk)));
    }

    private static ChildJvm child(TestJdk jdk, String way) {
        ChildJvm child = ChildJvm.of(jdk);
        if (jdk.warnsOfNativeAccess()) {
            child.with("--enable-native-access=ALL-UNNAMED");
        }
        Optional<String> helper = ParityHelper.library().map(library -> "-agentpath:" + library);
        if (!way.equals("-agentpath")) {
            helper.ifPresent(child::with);
        }
        if (way.startsWith("-agentpath")) {
            child.withAgentPath("");
        } else if (way.equals("-javaagent")) {
            child.withPlainJavaAgent(Product.JAR, "");
        }
        if (way.equals("-agentpath")) {
            helper.ifPresent(child::with);
        }
        return child;
    }

    private static synchronized Result result(TestJdk jdk, String way) {
        return RESULTS.computeIfAbsent(jdk, any -> {
            Map<String, Running> children = new LinkedHashMap<>();
            String helper = ParityHelper.library().map(String::valueOf).orElse("none");
            WAYS.forEach(
                    each -> children.put(each, child(jdk, each).start(Contract.class, helper, jdk.java())));
            Map<String, Result> results = new LinkedHashMap<>();
            children.forEach((each, running) -> results.put(each, running.end()));
            return results;
        }).get(way);
    }

    /** Lines of contract.txt: "17- | line" and "-20 | line" apply only to these JDKs. */
    private static List<String> contract(int feature) {
        Pattern limited = Pattern.compile("(\\d*)-(\\d*) \\| (.*)");
        try (InputStream in = ContractTest.class.getResourceAsStream("contract.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                    .filter(line -> !line.startsWith("#")).flatMap(line -> {
                        Matcher matcher = limited.matcher(line);
                        if (!matcher.matches()) {
                            return Stream.of(line);
                        }
                        int from = matcher.group(1).isEmpty() ? 0 : Integer.parseInt(matcher.group(1));
                        int to = matcher.group(2).isEmpty() ? Integer.MAX_VALUE
                                : Integer.parseInt(matcher.group(2));
                        return feature >= from && feature <= to ? Stream.of(matcher.group(3))
                                : Stream.empty();
                    }).toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isOfNative(String line) {
        return Stream
                .of("native thread", "attached thread", "a thousand att", "early thread of",
                        "thread of another agent", "\"")
                .anyMatch(line::startsWith);
    }

    /** JVMs from 25.0.5 on themselves answer with a count of ticks, which may miss most of the work. */
    private static String withoutTicks(String line, String way, TestJdk jdk) {
        boolean ticks = way.equals(WAYS.get(0)) && jdk.feature() >= 25;
        return ticks ? line.replaceAll("other: \\d+", "burnt") : line;
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("ways")
    void everyAnswerIsTheContracts(String way, TestJdk jdk) {
        List<String> said = result(jdk, way).ok().out().lines().map(line -> withoutTicks(line, way, jdk))
                .toList();
        List<String> wanted = contract(jdk.feature());
        if (ParityHelper.library().isEmpty()) {
            said = said.stream().filter(line -> !line.equals("native threads: no helper library")).toList();
            wanted = wanted.stream().filter(line -> !isOfNative(line)).toList();
        }
        assertThat(said).containsExactlyElementsOf(wanted);
    }

    @Test
    void nativeThreadsAndAnotherAgentArePartOfIt() {
        assumeTrue(ParityHelper.library().isPresent(), ParityHelper.problem());
    }
}
