// SPDX-License-Identifier: Apache-2.0
// The jar that this program runs from, which is also the agent and the measured children's class path.
package dev.threadclock.cli;

import dev.threadclock.internal.NativeLibrary;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;

/** Where threadclock.jar is. */
public final class SelfJar {
    private SelfJar() {}

    public static Path path() {
        CodeSource source = SelfJar.class.getProtectionDomain().getCodeSource();
        try {
            Path path = Path.of(source.getLocation().toURI());
            if (!Files.isRegularFile(path)) {
                throw new Failure("runs from loose class files at " + path + "; build dist/threadclock.jar and run that");
            }
            if (path.toString().contains("=")) {
                throw new Failure("java -javaagent cannot take a path with '=' in it: " + path + "; put the jar elsewhere");
            }
            return path;
        } catch (URISyntaxException e) {
            throw new Failure("cannot tell where its jar is: " + e.getMessage());
        }
    }

    /** The native library in it, for commands that do nothing without. */
    public static void loadNative() {
        try {
            NativeLibrary.load();
        } catch (UnsatisfiedLinkError e) {
            throw new Failure("the native library does not load: " + e.getMessage());
        }
    }
}
