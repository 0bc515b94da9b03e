// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The properties of a JVM that matter before a library is loaded into it, from its own counters or else from
 * its options.
 *
 * @param feature 8, 11, 17, ...; 0 if unknown
 * @param attachable false: -XX:+DisableAttachMechanism
 * @param options as far as known
 */
record JvmFacts(int feature, boolean attachable, JvmOptions options) {
    /** Since JEP 451. */
    private static final int WARNS_OF_DYNAMIC_AGENTS = 21;

    private static final Pattern FEATURE = Pattern.compile("(?:1\\.)?(\\d+).*");
    private static final Pattern RELEASE = Pattern.compile("(?s)(?:.*\\n)?JAVA_VERSION=\"?([0-9._]+).*");

    /** release: the text of the JDK's release file, which JREs of JDK 8 may lack. */
    static JvmFacts of(PerfData counters, JvmOptions fromOutside, String release) {
        JvmOptions options = JvmOptions.of(counters).orElse(fromOutside);
        // "1": the first capability is attach (runtimeService.cpp).
        boolean attachable = counters.text("sun.rt.jvmCapabilities").map(bits -> bits.startsWith("1"))
                .orElse(!options.flag("DisableAttachMechanism").orElse(false));
        Matcher inRelease = RELEASE.matcher(release);
        String version = counters.text("java.property.java.version").or(() -> counters.text("java.property.java.vm.specification.version"))
                .orElse(inRelease.matches() ? inRelease.group(1) : "");
        Matcher feature = FEATURE.matcher(version);
        return new JvmFacts(feature.matches() ? Integer.parseInt(feature.group(1)) : 0, attachable, options);
    }

    /** The JVM will print its warning about a dynamically loaded agent. */
    boolean warns() {
        return feature >= WARNS_OF_DYNAMIC_AGENTS && options.flag("EnableDynamicAgentLoading").isEmpty();
    }

}
