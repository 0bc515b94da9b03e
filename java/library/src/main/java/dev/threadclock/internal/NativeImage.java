// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A native library as stored in the jar: finds the one for this machine and verifies the jar's CRC of it. An
 * agent's start reads it, so it uses what the JVM has loaded anyway, where it can: not the class loader's
 * URLs, no file system provider, no MessageDigest.
 */
final class NativeImage {
    static final String FILE_NAME = "libthreadclock.so";
    /** The library that binds natives to a copy of libthreadclock in the process, and can be unloaded. */
    static final String HANDOVER = "libthreadclock-handover.so";

    private static final long UNKNOWN = -1;

    private final byte[] bytes;
    private final long crc;

    private NativeImage(byte[] bytes) {
        this.bytes = bytes;
        this.crc = crc(bytes);
    }

    /**
     * Reads a library for this machine from the jar that holds a class. UnsatisfiedLinkError: it is missing
     * or damaged.
     */
    static NativeImage fromJar(Class<?> inside, String fileName) {
        String resource = "META-INF/native/"
                + platform(System.getProperty("os.name", ""), System.getProperty("os.arch", "")) + "/"
                + fileName;
        try {
            File jar = jar(inside);
            NativeImage image = jar == null ? null : read(jar, resource);
            return image == null ? read(inside.getResource("/" + resource), resource) : image;
        } catch (IOException e) {
            throw new UnsatisfiedLinkError("the native library in the jar is damaged (" + resource + ": "
                    + e.getMessage() + "); get the jar again");
        }
    }

    /** The folder in the jar for an operating system and architecture, as in os.name and os.arch. */
    static String platform(String osName, String osArch) {
        if (osName.equals("Linux")) {
            if (osArch.equals("amd64") || osArch.equals("x86_64")) {
                return "linux-x86_64";
            }
            if (osArch.equals("aarch64")) {
                return "linux-aarch64";
            }
        }
        throw new UnsatisfiedLinkError(
                "there is no native library for os.name " + osName + ", os.arch " + osArch
                        + "; threadclock runs on Linux x86_64 and aarch64, with a 64-bit JVM");
    }

    /** An installed library, to make a copy of it. */
    static NativeImage of(File file) throws IOException {
        return new NativeImage(read(file));
    }

    /** True if threadclock has a native library for this operating system and processor. */
    static boolean isForThisMachine() {
        try {
            platform(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
            return true;
        } catch (UnsatisfiedLinkError e) {
            return false;
        } catch (SecurityException e) {
            return true; // unknown: rather an unneeded warning than a missing one
        }
    }

    byte[] bytes() {
        return bytes;
    }

    /** Writes the library to a new file, and verifies the written content. */
    void writeTo(File file) throws IOException {
        if (!file.createNewFile()) {
            throw new IOException("another process has put a file there");
        }
        try (FileOutputStream out = new FileOutputStream(file)) {
            out.write(bytes);
        }
        if (crc(read(file)) != crc) {
            throw new IOException("the file does not contain what was written to it");
        }
    }

    /** The file with the class, or null if it is in a folder, in another jar or at some other place. */
    private static File jar(Class<?> inside) {
        try {
            CodeSource source = inside.getProtectionDomain().getCodeSource();
            URL place = source == null ? null : source.getLocation();
            File file = place == null || !place.getProtocol().equals("file") ? null : new File(place.toURI());
            return file != null && file.getName().endsWith(".jar") && file.isFile() ? file : null;
        } catch (URISyntaxException | IllegalArgumentException | SecurityException e) {
            return null;
        }
    }

    private static NativeImage read(File jar, String resource) throws IOException {
        try (ZipFile zip = new ZipFile(jar)) {
            ZipEntry entry = zip.getEntry(resource);
            return entry == null ? null : read(zip.getInputStream(entry), entry.getCrc());
        }
    }

    private static NativeImage read(URL url, String resource) throws IOException {
        if (url == null) {
            throw new UnsatisfiedLinkError("the jar has no " + resource
                    + "; get a jar that was built for this machine, or, if this one was put together from"
                    + " several, keep META-INF/native/ in it");
        }
        URLConnection connection = url.openConnection();
        connection.setUseCaches(false); // A jar that stayed open would outlive its class loader.
        long crc = connection instanceof JarURLConnection
                ? ((JarURLConnection) connection).getJarEntry().getCrc() : UNKNOWN;
        return read(connection.getInputStream(), crc);
    }

    private static NativeImage read(InputStream in, long crc) throws IOException {
        NativeImage image = new NativeImage(bytes(in));
        if (crc != UNKNOWN && crc != image.crc) {
            throw new IOException("its CRC is not the jar's");
        }
        return image;
    }

    /** Native code, unlike a comparison of arrays in a JVM that has just started. */
    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    private static byte[] read(File file) throws IOException {
        return bytes(new FileInputStream(file));
    }

    private static byte[] bytes(InputStream from) throws IOException {
        try (InputStream in = from) {
            byte[] bytes = new byte[in.available() + 1];
            int size = 0;
            for (int n; (n = in.read(bytes, size, bytes.length - size)) >= 0;) {
                size += n;
                if (size == bytes.length) {
                    bytes = Arrays.copyOf(bytes, 2 * size);
                }
            }
            return Arrays.copyOf(bytes, size);
        }
    }
}
