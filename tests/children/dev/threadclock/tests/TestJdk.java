// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.jdk.Jdks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A Java installation on which the tests run child JVMs. {@link #toString()} is its name in test results. */
record TestJdk(Jdk jdk) {
    private static final List<TestJdk> FOUND = find();
    private static final String ON = System.getProperty("threadclock.on", "each");

    /** All JDKs, the oldest first. There is at least one, because the tests themselves run on one. */
    static List<TestJdk> all() {
        return FOUND;
    }

    /** The JDKs of the long tests: JDK 17 and the newest. The others get shorter tests. */
    static List<TestJdk> thorough() {
        return Stream.of(ofFeature(17).orElse(FOUND.get(0)), newest()).distinct().toList();
    }

    /**
     * The JDKs that a test runs on. {@code -Dthreadclock.on=each}, the default: each that was found;
     * {@code sides}: the oldest, the newest, 17 between them, and the last and the first on either side of
     * the change in what ThreadMXBean reads, because what differs between JDKs differs there; {@code two}:
     * one of the older and one of the newer side, which depend on the test's name.
     */
    static Stream<TestJdk> of(String test, int from) {
        List<TestJdk> all = FOUND.stream().filter(jdk -> jdk.feature() >= from).toList();
        List<TestJdk> old = all.stream().filter(jdk -> !jdk.readsVirt()).toList();
        List<TestJdk> young = all.stream().filter(TestJdk::readsVirt).toList();
        return switch (ON) {
            case "each" -> all.stream();
            case "two" -> Stream.of(old, young).filter(side -> !side.isEmpty())
                    .map(side -> side.get(Math.floorMod(test.hashCode(), side.size())));
            default -> all.stream().filter(jdk -> jdk.feature() == 17 || jdk.isFirstOrLast(old)
                    || jdk.isFirstOrLast(young));
        };
    }

    static Stream<TestJdk> of(String test) {
        return of(test, 8);
    }

    /** For what all else stands on: each JDK, or two. */
    static Stream<TestJdk> ofBasics(String test) {
        return ON.equals("two") ? of(test) : FOUND.stream();
    }

    private boolean isFirstOrLast(List<TestJdk> of) {
        int at = of.indexOf(this);
        return at == 0 || at >= 0 && at == of.size() - 1;
    }

    boolean isThorough() {
        return thorough().contains(this);
    }

    static Optional<TestJdk> ofFeature(int feature) {
        return FOUND.stream().filter(jdk -> jdk.feature() == feature).findFirst();
    }

    static TestJdk newest() {
        return FOUND.get(FOUND.size() - 1);
    }

    /** The newest one that other users can run, too: not one of ci/jdks, whose java is for root. */
    static TestJdk newestForAll() {
        return FOUND.stream().filter(jdk -> jdk.jdk().home().startsWith("/usr/lib/jvm"))
                .reduce((first, second) -> second).orElse(newest());
    }

    int feature() {
        return jdk.feature();
    }

    /** Whether OpenJDK of this version reads the count of ticks instead of /proc (JDK-8372584, in 25.0.5). */
    boolean readsVirt() {
        String[] numbers = jdk.version().split("[^0-9]+");
        return feature() > 25
                || feature() == 25 && numbers.length > 2 && Integer.parseInt(numbers[2]) >= 5;
    }

    /**
     * Without JVMTI's transitions, JDK 25 hangs at a contended monitor, such as a class loader's, with an
     * agent and without, and so does what waits for transitions.
     */
    boolean hangsWithoutTransitions() {
        return feature() == 25;
    }

    void assumeRunsWithoutTransitions() {
        assumeTrue(!hangsWithoutTransitions(), "JDK 25 hangs with -XX:-DoJVMTIVirtualThreadTransitions");
    }

    /** As ci/musl-jvm builds one. */
    boolean isForMusl() {
        try {
            return Files.readString(jdk.java(), StandardCharsets.ISO_8859_1).contains("/ld-musl-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether -javaagent and System.load cause a warning (JEP 472). */
    boolean warnsOfNativeAccess() {
        return feature() >= 24;
    }

    String java() {
        return jdk.java().toString();
    }

    @Override
    public String toString() {
        return jdk.label();
    }

    /**
     * The property precedes the environment, and both precede what is installed. A wrong path is an error.
     */
    private static List<TestJdk> find() {
        String given = System.getProperty("threadclock.jdks", "");
        if (given.isEmpty()) {
            given = Optional.ofNullable(System.getenv("THREADCLOCK_JDKS")).orElse("");
        }
        Jdks jdks = given.isEmpty() ? Jdks.find()
                : Jdks.of(Arrays.stream(given.split(":")).map(Path::of).toList());
        if (jdks.jdks().isEmpty() || !given.isEmpty() && !jdks.skipped().isEmpty()) {
            throw new IllegalStateException(
                    "not all of these are JDKs, or none was found: THREADCLOCK_JDKS=" + given + ": " + jdks);
        }
        return jdks.jdks().stream().map(TestJdk::new).toList();
    }
}
