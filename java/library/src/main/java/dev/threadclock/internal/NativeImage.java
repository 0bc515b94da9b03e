// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** A native library as stored in the jar: finds the one for this machine and verifies its digest. */
final class NativeImage {
    static final String FILE_NAME = "libthreadclock.so";
    /** The library that binds natives to a copy of libthreadclock in the process, and can be unloaded. */
    static final String HANDOVER = "libthreadclock-handover.so";

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Set<OpenOption> NEW = new HashSet<>(
            Arrays.asList(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));

    private final byte[] bytes;
    private final String digest;

    private NativeImage(byte[] bytes, String digest) {
        this.bytes = bytes;
        this.digest = digest;
    }

    /** Reads a library for this machine from the jar. UnsatisfiedLinkError: it is missing or damaged. */
    static NativeImage fromJar(String fileName) {
        String platform = platform(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
        String resource = "/META-INF/native/" + platform + "/" + fileName;
        byte[] bytes = read(resource);
        String digest = new String(read(resource + ".sha256"), StandardCharsets.US_ASCII).trim();
        if (!sha256(bytes).equals(digest)) {
            throw new UnsatisfiedLinkError("the native library in the jar is damaged (" + resource
                    + " does not match its digest); get the jar again");
        }
        return new NativeImage(bytes, digest);
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
    static NativeImage of(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        return new NativeImage(bytes, sha256(bytes));
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

    void writeTo(WritableByteChannel file) throws IOException {
        for (ByteBuffer left = ByteBuffer.wrap(bytes); left.hasRemaining();) {
            file.write(left);
        }
    }

    /** Writes the library to a new file that only its owner may read, and verifies the written content. */
    void writeTo(Path file) throws IOException {
        try (WritableByteChannel made = Files.newByteChannel(file, NEW, OWNER_ONLY)) {
            writeTo(made);
        }
        if (!sha256(Files.readAllBytes(file)).equals(digest)) {
            throw new IOException("the file does not contain what was written to it");
        }
    }

    private static byte[] read(String resource) {
        try (InputStream in = NativeImage.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new UnsatisfiedLinkError("the jar has no " + resource
                        + "; get a jar that was built for this"
                        + " machine, or, if this one was put together from several, keep META-INF/native/"
                        + " in it");
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int n; (n = in.read(buffer)) >= 0;) {
                out.write(buffer, 0, n);
            }
            return out.toByteArray();
        } catch (IOException e) {
            throw new UnsatisfiedLinkError(
                    "the native library in the jar is damaged (" + resource + ": " + e.getMessage()
                            + "); get the jar again");
        }
    }

    /** SHA-256 as lower-case hex, the form of the .sha256 files in the jar. */
    static String sha256(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            StringBuilder hex = new StringBuilder(2 * digest.length);
            for (byte b : digest) {
                hex.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256, which every Java has, is missing", e);
        }
    }
}
