// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.jdk;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One Java installation, JDK or JRE, as it describes itself when run. home: real path of java.home. version:
 * as java.version, "17.0.15" or "1.8.0_432". vendor: a short name.
 */
public record Jdk(Path home, String version, String vendor, String arch) {
    private static final int WARNS_OF_NATIVE_ACCESS = 24;
    private static final Pattern NUMBERS = Pattern.compile("^[1-9]\\d*(\\.\\d+)*");

    /** By version, oldest first. */
    static final Comparator<Jdk> OLDEST_FIRST = Comparator.comparingInt(Jdk::feature)
            .thenComparing(jdk -> Runtime.Version.parse(parseable(jdk.version)))
            .thenComparing(Jdk::vendor)
            .thenComparing(Jdk::home);

    public Path java() {
        return home.resolve("bin/java");
    }

    /** 8, 11, 17, ... */
    public int feature() {
        return featureOf(version);
    }

    public static int featureOf(String version) {
        return Runtime.Version.parse(parseable(version)).feature();
    }

    /** What a Java of this feature release takes so as not to warn of native code in a jar. */
    public static List<String> nativeAccess(int feature) {
        return feature >= WARNS_OF_NATIVE_ACCESS ? List.of("--enable-native-access=ALL-UNNAMED") : List.of();
    }

    /** "JDK 17.0.15 Debian". */
    public String label() {
        return "JDK " + version + " " + vendor;
    }

    /**
     * Converts "1.8.0_432" to "8.0.432" and "21.0.0-ea" to "21", a form that Runtime.Version parses; 1 if
     * there is no number.
     */
    private static String parseable(String version) {
        Matcher numbers = NUMBERS.matcher(version.replaceFirst("^1\\.8\\.0_?", "8.0."));
        return numbers.find() ? numbers.group().replaceFirst("(\\.0+)+$", "") : "1";
    }
}
