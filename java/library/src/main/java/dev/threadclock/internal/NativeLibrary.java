// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.io.File;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Internal: loads libthreadclock from the jar, once per class loader, and leaves no file behind. The natives
 * of every class loader are those of the copy that the process loaded first.
 *
 * <p>Two system properties control it. {@code dev.threadclock.library}: the path of an installed
 * libthreadclock.so to load instead of the one in the jar. {@code dev.threadclock.tmpdir}: the folder in
 * which the library is placed while it is loaded.
 */
public final class NativeLibrary {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Set by native code where the library itself loads this class (native/agent/java_side.c). */
    private static boolean loaded;
    private static String failure;

    private NativeLibrary() {}

    /**
     * Loads the library; does nothing if it is already loaded.
     *
     * @throws UnsatisfiedLinkError if it cannot be loaded: one line of text with the reason and the remedy. A
     *     later call fails in the same way without trying again.
     */
    public static synchronized void load() {
        if (loaded) {
            return;
        }
        if (failure == null) {
            try {
                // What the policy grants this jar suffices, whatever code makes the first call. No lambda,
                // because a program's first one takes long.
                AccessController.doPrivileged(new PrivilegedAction<Void>() {
                    @Override
                    public Void run() {
                        loadOnce();
                        tellOthers();
                        return null;
                    }
                });
                loaded = true;
                return;
            } catch (UnsatisfiedLinkError e) {
                failure = e.getMessage();
            }
        }
        throw new UnsatisfiedLinkError(failure);
    }

    /** Tells class loaders that come later, which would otherwise load another copy. */
    private static void tellOthers() {
        try {
            System.setProperty(Property.LOADED, "true");
        } catch (RuntimeException e) {
            // A security manager, or the program's own Properties object, refuses.
        }
    }

    /**
     * Loads the library, and binds the native methods of a class to it.
     *
     * @throws UnsatisfiedLinkError as {@link #load()}
     */
    static synchronized void load(Class<?> natives) {
        if (loadHandover() && bound(natives, true)) {
            return;
        }
        load();
        bound(natives, false);
    }

    private static boolean bound(Class<?> natives, boolean toFirst) {
        try {
            if (toFirst) {
                return bindToFirst(natives);
            }
            bind(natives);
            return true;
        } catch (LinkageError e) {
            throw new UnsatisfiedLinkError("the native library does not fit " + NativeLibrary.class.getName()
                    + " (" + oneLine(e.getMessage())
                    + "); take the library and the classes from the same version of"
                    + " threadclock, and exclude its classes from renaming, if a build tool or an"
                    + " obfuscator has renamed them");
        }
    }

    /** Binds to the copy of the library that was loaded first: the agent's, for example. */
    private static native void bind(Class<?> natives);

    /** In the library that hands over: false if the process has no copy of this version. */
    private static native boolean bindToFirst(Class<?> natives);

    /**
     * If another class loader has loaded libthreadclock, which is never unloaded, loads a small library that
     * hands over to it and that the JVM unloads with this class loader. False: load libthreadclock, which
     * hands over as well, or reports why it does not load.
     */
    private static boolean loadHandover() {
        if (loaded || failure != null) {
            return false;
        }
        try {
            return AccessController.doPrivileged(new PrivilegedAction<Boolean>() {
                @Override
                public Boolean run() {
                    if (System.getProperty(Property.LOADED) == null || isMusl()) {
                        return false;
                    }
                    loadCopy(NativeImage.fromJar(NativeImage.HANDOVER), NativeImage.HANDOVER);
                    return true;
                }
            });
        } catch (UnsatisfiedLinkError | SecurityException e) {
            return false;
        }
    }

    /**
     * musl unloads nothing and does not find a library whose file is gone, so one that hands over would only
     * be one more.
     */
    private static boolean isMusl() {
        try {
            byte[] maps = Files.readAllBytes(Paths.get("/proc/self/maps"));
            return new String(maps, StandardCharsets.ISO_8859_1).contains("/ld-musl-");
        } catch (IOException e) {
            return true; // unknown: do not hand over
        }
    }

    /**
     * Writes the library of the jar to a new file.
     *
     * @throws IOException if writing fails
     * @throws UnsatisfiedLinkError if the jar has none for this machine, or a damaged one
     */
    public static void writeTo(WritableByteChannel file) throws IOException {
        NativeImage.fromJar(NativeImage.FILE_NAME).writeTo(file);
    }

    private static void loadOnce() {
        String installed = System.getProperty(Property.LIBRARY);
        if (installed != null && !installed.isEmpty()) {
            loadInstalled(installed);
        } else {
            loadCopy(NativeImage.fromJar(NativeImage.FILE_NAME), NativeImage.FILE_NAME);
        }
    }

    private static void loadInstalled(String path) {
        try {
            if (!isRenamed() && loadFile(new File(path).getAbsolutePath())) {
                return;
            }
        } catch (UnsatisfiedLinkError e) {
            throw doesNotLoad(path, e.getMessage());
        }
        NativeImage image;
        try {
            image = NativeImage.of(Paths.get(path));
        } catch (IOException | InvalidPathException e) {
            throw doesNotLoad(path, e instanceof NoSuchFileException ? "no such file" : reason(e));
        }
        loadCopy(image, NativeImage.FILE_NAME);
    }

    /** False if another class loader has loaded this file: the JVM loads a file for only one. */
    private static boolean loadFile(String path) {
        try {
            System.load(path);
            return true;
        } catch (UnsatisfiedLinkError e) {
            String why = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
            if (!why.contains("already loaded in another classloader")) {
                throw e;
            }
            return false;
        }
    }

    private static UnsatisfiedLinkError doesNotLoad(String path, String why) {
        return new UnsatisfiedLinkError("-D" + Property.LIBRARY + "=" + path + " does not load ("
                + oneLine(why)
                + "); correct the path, or leave the property out to use the library in the jar");
    }

    /**
     * The JVM finds native methods by the name of their class. If a build tool has renamed the package, the
     * name of the file says so, and JNI_OnLoad binds {@link #bind} or {@link #bindToFirst} by its
     * present name.
     */
    private static String fileName(String library) {
        return isRenamed() ? library + "@" + NativeLibrary.class.getName() : library;
    }

    private static boolean isRenamed() {
        return !NativeLibrary.class.getName()
                .equals(String.join(".", "dev", "threadclock", "internal", "NativeLibrary"));
    }

    private static void loadCopy(NativeImage image, String library) {
        StringBuilder refusals = new StringBuilder();
        for (String place : places()) {
            String refusal = loadThrough(place, image, library);
            if (refusal == null) {
                return;
            }
            refusals.append(refusals.length() == 0 ? "" : ", ").append(place).append(" (").append(refusal)
                    .append(')');
        }
        throw new UnsatisfiedLinkError(
                "no folder to load it from: " + refusals + "; give a writable folder on a file system"
                        + " that is not mounted noexec with -D" + Property.TMPDIR
                        + "=DIR, or the path of an installed library with -D"
                        + Property.LIBRARY + "=FILE");
    }

    /** The folders in which the library may be placed while it is loaded, best first. */
    static List<String> places() {
        Collection<String> places = new LinkedHashSet<>();
        add(places, System.getProperty(Property.TMPDIR), "");
        add(places, System.getProperty("java.io.tmpdir"), "");
        add(places, System.getenv("XDG_RUNTIME_DIR"), "");
        add(places, System.getenv("XDG_CACHE_HOME"), "");
        add(places, System.getProperty("user.home"), "/.cache");
        add(places, "/dev/shm", "");
        add(places, "/var/tmp", "");
        return new ArrayList<>(places);
    }

    private static void add(Collection<String> places, String place, String below) {
        if (place != null && !place.isEmpty() && !place.equals("?")) {
            places.add(place + below);
        }
    }

    /** Returns null, or why this place is unsuitable. No file remains: Linux keeps mapped files alive. */
    private static String loadThrough(String place, NativeImage image, String library) {
        Path folder = null;
        Path file = null;
        try {
            folder = Files.createTempDirectory(Paths.get(place).toAbsolutePath(), "threadclock-", OWNER_ONLY);
            file = folder.resolve(fileName(library));
            image.writeTo(file);
            System.load(file.toString());
            return null;
        } catch (IOException | InvalidPathException | UnsupportedOperationException e) {
            return reason(e);
        } catch (UnsatisfiedLinkError e) {
            String why = oneLine(String.valueOf(e.getMessage()).replace(file + ": ", ""));
            return why.contains("failed to map segment") ? "mounted noexec" : why;
        } finally {
            remove(file, folder);
        }
    }

    private static String reason(Exception e) {
        if (e instanceof NoSuchFileException) {
            return "no such folder";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        String why = e instanceof FileSystemException ? ((FileSystemException) e).getReason()
                : e.getMessage();
        return why == null ? e.getClass().getSimpleName() : oneLine(why);
    }

    private static void remove(Path... paths) {
        for (Path path : paths) {
            try {
                if (path != null) {
                    Files.deleteIfExists(path);
                }
            } catch (IOException e) {
                // Ignored, because the library works regardless.
            }
        }
    }

    private static String oneLine(String text) {
        return String.valueOf(text).replaceAll("\\s+", " ");
    }
}
