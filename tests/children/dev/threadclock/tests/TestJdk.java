// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

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

    /** All JDKs, the oldest first. There is at least one, because the tests themselves run on one. */
    static List<TestJdk> all() {
        return FOUND;
    }

    /** The JDKs of the long tests: JDK 17 and the newest. The others get shorter tests. */
    static List<TestJdk> thorough() {
        return Stream.of(ofFeature(17).orElse(FOUND.get(0)), newest()).distinct().toList();
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
