// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The properties of a JVM that matter before a library is loaded into it, from its own counters or else from
 * its options.
 *
 * @param feature 8, 11, 17, ...; 0 if unknown
 * @param attachable false: -XX:+DisableAttachMechanism
 * @param options as far as known
 * @param jdk "17.0.15, OpenJDK 64-Bit Server VM, Debian": as much of it as is known
 * @param complete from the JVM's own counters, which do not change any more
 */
record JvmFacts(int feature, boolean attachable, JvmOptions options, String jdk, boolean complete) {
    /** Since JEP 451. */
    private static final int WARNS_OF_DYNAMIC_AGENTS = 21;

    private static final Pattern FEATURE = Pattern.compile("(?:1\\.)?(\\d{1,9})(?:\\D.*)?");
    private static final Pattern RELEASE = Pattern.compile("(?s)(?:.*\\n)?JAVA_VERSION=\"?([0-9._]+).*");

    /** release: the text of the JDK's release file, which JREs of JDK 8 may lack. */
    static JvmFacts of(PerfData counters, Supplier<JvmOptions> fromOutside, String release) {
        JvmOptions options = JvmOptions.of(counters).orElseGet(fromOutside);
        // "1": the first capability is attach (runtimeService.cpp).
        boolean attachable = counters.text("sun.rt.jvmCapabilities").map(bits -> bits.startsWith("1"))
                .orElse(!options.flag("DisableAttachMechanism").orElse(false));
        Matcher inRelease = RELEASE.matcher(release);
        Optional<String> full = counters.text("java.property.java.version");
        Optional<String> released = inRelease.matches() ? Optional.of(inRelease.group(1)) : Optional.empty();
        Optional<String> specified = counters.text("java.property.java.vm.specification.version");
        Matcher feature = FEATURE.matcher(full.or(() -> specified).or(() -> released).orElse(""));
        String jdk = Stream.of(full.or(() -> released).or(() -> specified),
                counters.text("java.property.java.vm.name"), counters.text("java.property.java.vm.vendor"))
                .flatMap(Optional::stream).map(Printable::line).collect(Collectors.joining(", "));
        int number = feature.matches() ? Integer.parseInt(feature.group(1)) : 0;
        return new JvmFacts(number, attachable, options, jdk,
                number > 0 && JvmOptions.of(counters).isPresent());
    }

    /** The JVM will print its warning about a dynamically loaded agent. */
    boolean warns() {
        return feature >= WARNS_OF_DYNAMIC_AGENTS && options.flag("EnableDynamicAgentLoading").isEmpty();
    }

}
