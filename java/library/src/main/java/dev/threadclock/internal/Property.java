// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/**
 * The names of the system properties. They are put together at run time, because a build tool that renames
 * packages (maven-shade, Gradle Shadow) also rewrites string constants that begin with the old name: the
 * documented names apply to every copy of the library, renamed or not.
 */
final class Property {
    static final String LIBRARY = name("library");
    static final String TMPDIR = name("tmpdir");
    static final String REQUIRE_NATIVE = name("requireNative");
    /** Set by the library itself, to tell other class loaders that it has loaded libthreadclock. */
    static final String LOADED = name("loaded");

    private Property() {}

    private static String name(String last) {
        return String.join(".", "dev", "threadclock", last);
    }
}
