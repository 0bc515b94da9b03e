// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.InFatJar;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.loader.JarLauncher;
import org.springframework.boot.loader.tools.Library;
import org.springframework.boot.loader.tools.LibraryScope;
import org.springframework.boot.loader.tools.LoaderImplementation;
import org.springframework.boot.loader.tools.Repackager;

/** The library in an executable jar of Spring Boot, from whose inner jar Spring's class loader loads it. */
class SpringBootTest {
    private static final String CLASS = InFatJar.class.getName().replace('.', '/') + ".class";

    @TempDir
    Path folder;

    private static void assertNative(TestJdk jdk, Path application) {
        List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
        if (jdk.warnsOfNativeAccess()) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-jar", application.toString()));
        Result result = ChildJvm.start(command, Map.of()).end().ok();
        assertThat(result.value("native")).as(result.toString()).isEqualTo("true");
        assertThat(result.value("binding")).as(result.toString()).isIn("JNI", "FFM");
        assertThat(result.number("user")).as(result.toString()).isPositive();
        assertThat(result.value("loader")).as(result.toString())
                .startsWith("org.springframework.boot.loader.");
    }

    private static byte[] program() throws IOException {
        return Files.readAllBytes(Product.origin(InFatJar.class).resolve(CLASS));
    }

    /** As packaged by the Maven and Gradle plugins of Spring Boot 3. */
    @OnEachJdk
    void repackagedBySpringBoot3(TestJdk jdk) throws Exception {
        assumeTrue(jdk.feature() >= 17, "Spring Boot 3 needs Java 17");
        Path plain = folder.resolve("plain.jar");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(plain))) {
            jar.putNextEntry(new JarEntry(CLASS));
            jar.write(program());
            jar.closeEntry();
        }
        for (LoaderImplementation loader : LoaderImplementation.values()) {
            Path application = folder.resolve(loader + ".jar");
            Repackager repackager = new Repackager(plain.toFile());
            repackager.setBackupSource(false);
            repackager.setMainClass(InFatJar.class.getName());
            repackager.setLoaderImplementation(loader);
            repackager.repackage(application.toFile(),
                    callback -> callback.library(new Library(Product.JAR.toFile(), LibraryScope.COMPILE)));
            assertNative(jdk, application);
        }
    }

    /** The last version that runs on Java 8: its loader's classes, and the library uncompressed. */
    @OnEachJdk
    void inAJarOfSpringBoot2(TestJdk jdk) throws Exception {
        Path application = folder.resolve("application.jar");
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.put(Attributes.Name.MAIN_CLASS, JarLauncher.class.getName());
        main.putValue("Start-Class", InFatJar.class.getName());
        main.putValue("Spring-Boot-Classes", "BOOT-INF/classes/");
        main.putValue("Spring-Boot-Lib", "BOOT-INF/lib/");
        try (OutputStream file = Files.newOutputStream(application);
                JarOutputStream jar = new JarOutputStream(file, manifest);
                JarFile loader = new JarFile(Product.origin(JarLauncher.class).toFile())) {
            for (JarEntry entry : loader.stream().filter(entry -> entry.getName().startsWith("org/"))
                    .toList()) {
                jar.putNextEntry(new JarEntry(entry.getName()));
                jar.write(loader.getInputStream(entry).readAllBytes());
                jar.closeEntry();
            }
            for (String name : List.of("BOOT-INF/", "BOOT-INF/classes/", "BOOT-INF/lib/")) {
                jar.putNextEntry(new JarEntry(name));
                jar.closeEntry();
            }
            jar.putNextEntry(new JarEntry("BOOT-INF/classes/" + CLASS));
            jar.write(program());
            jar.closeEntry();
            putStored(jar, "BOOT-INF/lib/threadclock.jar", Files.readAllBytes(Product.JAR));
        }
        assertNative(jdk, application);
    }

    private static void putStored(JarOutputStream jar, String name, byte[] bytes) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        JarEntry entry = new JarEntry(name);
        entry.setMethod(JarEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCrc(crc.getValue());
        jar.putNextEntry(entry);
        jar.write(bytes);
        jar.closeEntry();
    }
}
