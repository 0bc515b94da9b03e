// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.LibraryLoaders;
import dev.threadclock.tests.child.Redeployments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.Remapper;
import org.junit.jupiter.api.io.TempDir;

/**
 * The library may be loaded several times in a JVM, as in application servers, and renamed, as in shaded
 * jars: each copy of its classes is native, and all give the same account of a thread.
 */
class LibraryLoadersTest {
    private static final String AS_IT_IS = "dev.threadclock=" + Product.JAR;
    private static final String RELOCATED = "org.example.shaded.clock";
    private static final String OLD = "dev/threadclock/";
    private static final String DOTTED = "dev.threadclock";
    private static final String NEW = RELOCATED.replace('.', '/') + "/";

    @TempDir
    Path folder;

    private static void run(TestJdk jdk, List<String> flags, String... loaders) {
        Result result = ChildJvm.of(jdk).with(flags).withNativeAccess()
                .run(LibraryLoaders.class, List.of(loaders)).ok();
        result.has("native", loaders.length).assertNumber("user").isPositive();
        result.assertNumber("other").isPositive();
    }

    /** Flags for a JVM without the agent, and for one with it. */
    private static List<List<String>> alone(String... flags) {
        return List.of(List.of(flags), ChildJvm.words(flags, "-agentpath:" + Product.LIBRARY));
    }

    @OnEachJdk
    void inTwoClassLoadersFromOneInstalledFile(TestJdk jdk) {
        for (List<String> flags : alone("-Ddev.threadclock.library=" + Product.LIBRARY)) {
            run(jdk, flags, AS_IT_IS, AS_IT_IS, AS_IT_IS);
        }
    }

    @OnEachJdk
    void underAnotherPackageName(TestJdk jdk) throws Exception {
        String relocated = RELOCATED + "=" + relocate(folder);
        for (List<String> flags : alone()) {
            run(jdk, flags, relocated, AS_IT_IS, relocated, AS_IT_IS);
        }
        run(jdk, List.of("-Ddev.threadclock.library=" + Product.LIBRARY), AS_IT_IS, relocated);
    }

    /** Covers copies without the agent, with it, from an installed file, and under another package name. */
    @OnEachJdk
    void redeploymentsLeaveNothingBehind(TestJdk jdk) throws Exception {
        assumeFalse(jdk.isForMusl(), "musl unloads nothing");
        Path tmp = Files.createDirectory(folder.resolve("tmp"));
        String jar = Product.JAR.toString();
        redeploy(jdk, tmp, jar, "dev.threadclock");
        redeploy(jdk, tmp, jar, "dev.threadclock", "-agentpath:" + Product.LIBRARY);
        redeploy(jdk, tmp, jar, "dev.threadclock", "-Ddev.threadclock.library=" + Product.LIBRARY);
        redeploy(jdk, tmp, relocate(folder).toString(), RELOCATED);
    }

    private static void redeploy(TestJdk jdk, Path tmp, String jar, String name, String... flags)
            throws Exception {
        int times = 40; // a library that stayed would leave 200 mappings
        Result result = ChildJvm.of(jdk).with("-Xmx64m", "-Djava.io.tmpdir=" + tmp).with(flags)
                .withNativeAccess().run(Redeployments.class, jar, name, times).ok();
        result.has("left", 0).has("native", 10 + times);
        result.assertNumber("ours.after").isLessThanOrEqualTo(result.number("ours.before"));
        result.assertNumber("files.after").isLessThanOrEqualTo(result.number("files.before"));
        // The JVM has some mappings of its own that come and go. Each library that stays has five.
        assertThat(result.number("mappings.after") - result.number("mappings.before"))
                .as(result.toString()).isLessThan(65);
        assertThat(tmp.toFile().list()).noneMatch(file -> file.startsWith("threadclock-"));
    }

    /**
     * Makes a copy of the library with another package name, as maven-shade's relocation does, with the same
     * ASM: class names, descriptors and string constants that begin with the old name are changed, and the
     * manifest with its Multi-Release entry is omitted.
     */
    private static Path relocate(Path folder) throws IOException {
        Path target = Files.createTempFile(folder, "relocated", ".jar");
        try (ZipFile jar = new ZipFile(Product.JAR.toFile());
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(target))) {
            for (ZipEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                boolean isClass = name.matches(OLD + "(internal/)?[^/]+\\.class");
                if (isClass || name.matches("META-INF/native/.*[^/]")) {
                    byte[] bytes = jar.getInputStream(entry).readAllBytes();
                    out.putNextEntry(new ZipEntry(name.replace(OLD, NEW)));
                    out.write(isClass ? renamed(bytes) : bytes);
                    out.closeEntry();
                }
            }
        }
        return target;
    }

    private static byte[] renamed(byte[] bytes) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(bytes).accept(new ClassRemapper(writer, new Remapper() {
            @Override
            public String map(String name) {
                return name.replace(OLD, NEW);
            }

            @Override
            public Object mapValue(Object value) {
                return value instanceof String text
                        ? text.replace(OLD, NEW).replaceFirst("^" + DOTTED, RELOCATED)
                        : super.mapValue(value);
            }
        }), 0);
        return writer.toByteArray();
    }
}
