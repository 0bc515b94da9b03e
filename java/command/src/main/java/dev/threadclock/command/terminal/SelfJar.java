// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import dev.threadclock.attach.internal.AttachLibrary;
import dev.threadclock.internal.NativeLibrary;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Locates threadclock.jar, which is this program and the class path of measured children, and the agent;
 * loads or demands what a command needs.
 */
public final class SelfJar {
    private static final String LIBRARY = "libthreadclock.so";

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
            return path;
        } catch (URISyntaxException e) {
            throw new Failure("cannot find its own jar: " + e.getMessage());
        }
    }

    /** This release's library, where the jar is as in dist/, in the archive or in the package. */
    public static Optional<Path> library() {
        String arch = System.getProperty("os.arch").equals("amd64") ? "x86_64"
                : System.getProperty("os.arch");
        return Stream.of("linux-" + arch, "lib/linux-" + arch, "../../lib/" + arch + "-linux-gnu")
                .map(folder -> path().resolveSibling(folder).normalize().resolve(LIBRARY))
                .filter(Files::isRegularFile).findFirst();
    }

    /** The flag that loads the agent at a JVM's start, for messages. */
    public static String agentFlag(String options) {
        return "-agentpath:" + library().orElse(Path.of(LIBRARY)) + (options.isEmpty() ? "" : "=" + options);
    }

    /** Loads the native library in the jar, for commands that cannot work without it. */
    public static void loadNative() {
        require(nativeProblem());
    }

    static void require(String problem) {
        if (!problem.isEmpty()) {
            throw new Failure("the native library does not load: " + problem);
        }
    }

    /** Why the native library in the jar does not load, or "". */
    public static String nativeProblem() {
        return problem(NativeLibrary::load);
    }

    /** Why the library for the terminal does not load, or "". */
    static String terminalProblem() {
        return problem(AttachLibrary::load);
    }

    private static String problem(Runnable load) {
        try {
            load.run();
            return "";
        } catch (UnsatisfiedLinkError e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * Fails if this runtime lacks a module of the JDK, as one made by jlink may. To be called before the
     * command does anything.
     */
    public static void requireModule(String module) {
        if (ModuleLayer.boot().findModule(module).isEmpty()) {
            throw new Failure("this needs the module " + module + ", without which the Java at "
                    + System.getProperty("java.home")
                    + " was made (by jlink?); run it with a whole JDK or JRE 17 or later, or make that one"
                    + " with --add-modules " + module);
        }
    }
}
