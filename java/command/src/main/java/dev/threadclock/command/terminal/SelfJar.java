// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import dev.threadclock.internal.NativeLibrary;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;

/** Locates threadclock.jar, which is this program, the agent, and the class path of measured children. */
public final class SelfJar {
    private SelfJar() {}

    /** The version of threadclock, from the jar's manifest. */
    public static String version() {
        String version = SelfJar.class.getPackage().getImplementationVersion();
        return version == null ? "(not built into a jar)" : version;
    }

    public static Path path() {
        CodeSource source = SelfJar.class.getProtectionDomain().getCodeSource();
        try {
            Path path = Path.of(source.getLocation().toURI());
            if (!Files.isRegularFile(path)) {
                throw new Failure("runs from loose class files at " + path
                        + "; build dist/threadclock.jar and run that");
            }
            if (path.toString().contains("=")) {
                throw new Failure("java -javaagent cannot take a path with '=' in it: " + path
                        + "; put the jar elsewhere");
            }
            return path;
        } catch (URISyntaxException e) {
            throw new Failure("cannot find its own jar: " + e.getMessage());
        }
    }

    /** Loads the native library in the jar, for commands that cannot work without it. */
    public static void loadNative() {
        try {
            NativeLibrary.load();
        } catch (UnsatisfiedLinkError e) {
            throw new Failure("the native library does not load: " + e.getMessage());
        }
    }
}
