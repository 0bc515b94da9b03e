// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Paths;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Internal: loads libthreadclock from the jar, once per class loader, and leaves no file behind. The natives
 * of every class loader are those of the copy that the process loaded first.
 *
 * <p>Two system properties control it. {@code dev.threadclock.library}: the path of an installed
 * libthreadclock.so to load instead of the one in the jar; other libraries may be beside it. {@code
 * dev.threadclock.tmpdir}: the folder in which a library is placed while it is loaded.
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
     * hands over to it and that the JVM unloads with this class loader (musl unloads nothing). False: load
     * libthreadclock, which hands over as well, or reports why it does not load.
     */
    private static boolean loadHandover() {
        if (loaded || failure != null) {
            return false;
        }
        try {
            return AccessController.doPrivileged(new PrivilegedAction<Boolean>() {
                @Override
                public Boolean run() {
                    if (System.getProperty(Property.LOADED) == null) {
                        return false;
                    }
                    loadCopy(fromJar(NativeImage.HANDOVER), NativeImage.HANDOVER);
                    return true;
                }
            });
        } catch (UnsatisfiedLinkError | SecurityException e) {
            return false;
        }
    }

    private static String maps() throws IOException {
        return new String(Files.readAllBytes(Paths.get("/proc/thread-self/maps")),
                StandardCharsets.ISO_8859_1);
    }

    /**
     * Returns the library of the jar.
     *
     * @throws UnsatisfiedLinkError if the jar has none for this machine, or a damaged one
     */
    public static byte[] fromJar() {
        return fromJar(NativeImage.FILE_NAME).bytes();
    }

    private static void loadOnce() {
        String installed = System.getProperty(Property.LIBRARY);
        if (installed != null && !installed.isEmpty()) {
            loadInstalled(installed, NativeImage.FILE_NAME);
        } else {
            loadCopy(fromJar(NativeImage.FILE_NAME), NativeImage.FILE_NAME);
        }
    }

    private static NativeImage fromJar(String library) {
        return NativeImage.fromJar(NativeLibrary.class, library);
    }

    /**
     * Loads another library of threadclock: beside an installed libthreadclock.so, if it is there and has the
     * same owner; otherwise from the jar that holds a class. Each call loads a copy, so call it once.
     *
     * @throws UnsatisfiedLinkError as {@link #load()}
     */
    public static void loadAnother(Class<?> inside, String library) {
        String installed = System.getProperty(Property.LIBRARY);
        File beside = installed == null || installed.isEmpty() ? null
                : new File(new File(installed).getAbsoluteFile().getParentFile(), library);
        if (beside != null && beside.isFile() && haveOneOwner(beside, new File(installed))) {
            loadInstalled(beside.getPath(), library);
        } else {
            loadCopy(NativeImage.fromJar(inside, library), library);
        }
    }

    private static boolean haveOneOwner(File one, File other) {
        try {
            return Files.getOwner(one.toPath(), LinkOption.NOFOLLOW_LINKS)
                    .equals(Files.getOwner(other.toPath(), LinkOption.NOFOLLOW_LINKS));
        } catch (IOException e) {
            return false;
        }
    }

    private static void loadInstalled(String path, String library) {
        try {
            if (!isRenamed() && loadFile(new File(path).getAbsolutePath())) {
                return;
            }
        } catch (UnsatisfiedLinkError e) {
            throw doesNotLoad(path, e.getMessage());
        }
        NativeImage image;
        try {
            image = NativeImage.of(new File(path));
        } catch (IOException e) {
            throw doesNotLoad(path, reason(e));
        }
        loadCopy(image, library);
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
        List<String> tried = new ArrayList<>();
        StringBuilder refusals = new StringBuilder();
        for (int i = 0; i < PLACES; i++) {
            String place = place(i);
            if (place == null || tried.contains(place)) {
                continue;
            }
            String refusal = loadThrough(place, image, library);
            if (refusal == null) {
                return;
            }
            tried.add(place);
            refusals.append(refusals.length() == 0 ? "" : ", ").append(place).append(" (").append(refusal)
                    .append(')');
        }
        if (!library.equals(NativeImage.FILE_NAME) || !loadAgents(image)) {
            throw new UnsatisfiedLinkError("no folder to load it from: " + refusals
                    + "; give a writable folder on a file system that is not mounted noexec with -D"
                    + Property.TMPDIR + "=DIR, or the path of an installed library with -D"
                    + Property.LIBRARY + "=FILE");
        }
    }

    /** Loads the file of the agent that is in this JVM, if it is the same library: that needs no folder. */
    private static boolean loadAgents(NativeImage image) {
        if (isRenamed()) {
            return false; // the name of its file must say so
        }
        try {
            for (String mapping : maps().split("\n")) {
                if (mapping.contains("r-xp") && mapping.contains("/")) { // it may have another name
                    String path = new String(
                            mapping.substring(mapping.indexOf('/')).getBytes(StandardCharsets.ISO_8859_1),
                            System.getProperty("sun.jnu.encoding", "UTF-8"));
                    if (new File(path).length() == image.bytes().length
                            && Arrays.equals(NativeImage.of(new File(path)).bytes(), image.bytes())) {
                        return loadFile(path);
                    }
                }
            }
        } catch (IOException | SecurityException | UnsatisfiedLinkError e) {
            // What refused the folders is reported.
        }
        return false;
    }

    static final int PLACES = 7;

    /** A folder in which the library may be placed while it is loaded, 0 is the best; null if unknown. */
    static String place(int rank) {
        switch (rank) {
            case 0 :
                return known(System.getProperty(Property.TMPDIR), "");
            case 1 :
                return known(System.getProperty("java.io.tmpdir"), "");
            case 2 :
                return known(System.getenv("XDG_RUNTIME_DIR"), "");
            case 3 :
                return known(System.getenv("XDG_CACHE_HOME"), "");
            case 4 :
                return known(System.getProperty("user.home"), "/.cache");
            case 5 :
                return "/dev/shm";
            default :
                return "/var/tmp";
        }
    }

    private static String known(String place, String below) {
        return place == null || place.isEmpty() || place.equals("?") ? null : place + below;
    }

    /** Returns null, or why this place is unsuitable. No file remains: Linux keeps mapped files alive. */
    private static String loadThrough(String place, NativeImage image, String library) {
        File folder = null;
        File file = null;
        try {
            folder = makeFolder(place);
            file = new File(folder, fileName(library));
            image.writeTo(file);
            System.load(file.getPath());
            return null;
        } catch (IOException | InvalidPathException | UnsupportedOperationException e) {
            return reason(e);
        } catch (UnsatisfiedLinkError e) {
            String why = oneLine(String.valueOf(e.getMessage()).replace(file + ": ", ""));
            return why.contains("failed to map segment") ? "mounted noexec" : why;
        } finally {
            remove(file);
            remove(folder);
        }
    }

    /** Makes a new folder that only this user can enter, with a name that nobody can guess. */
    private static File makeFolder(String place) throws IOException {
        byte[] random = new byte[10];
        try (FileInputStream source = new FileInputStream("/dev/urandom")) {
            if (source.read(random) != random.length) {
                throw new IOException("/dev/urandom gives nothing");
            }
        }
        StringBuilder name = new StringBuilder("threadclock-");
        for (byte each : random) {
            name.append((char) ('a' + (each >> 4 & 15))).append((char) ('a' + (each & 15)));
        }
        File folder = new File(new File(place).getAbsoluteFile(), name.toString());
        Files.createDirectory(folder.toPath(), OWNER_ONLY);
        return folder;
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

    /** A file that cannot be removed is left, because the library works regardless. */
    private static void remove(File file) {
        if (file != null) {
            file.delete();
        }
    }

    private static String oneLine(String text) {
        return String.valueOf(text).replaceAll("\\s+", " ");
    }
}
