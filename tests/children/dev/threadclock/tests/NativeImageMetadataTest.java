// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/**
 * The jar's metadata for GraalVM's native-image: everything that it names exists, and all native code is
 * covered. Whether an image works is not tested, because that takes GraalVM.
 */
class NativeImageMetadataTest {
    private static final String FOLDER = "META-INF/native-image/dev.threadclock/threadclock/";
    private static final String OURS = "dev.threadclock.";

    private static Json read(String file) throws IOException {
        try (JarFile jar = new JarFile(Product.JAR.toFile())) {
            ZipEntry entry = jar.getEntry(FOLDER + file);
            assertThat(entry).as(file).isNotNull();
            return Json.of(new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static List<String> nativeEntries() throws IOException {
        try (JarFile jar = new JarFile(Product.JAR.toFile())) {
            return jar.stream().map(ZipEntry::getName)
                    .filter(name -> name.startsWith("META-INF/native/") && !name.endsWith("/")).toList();
        }
    }

    /** "bind(java.lang.Class)" */
    private static Set<String> named(Json type) {
        List<Json> methods = type.has("methods") ? type.all("methods") : List.of();
        return methods.stream().map(method -> method.text("name") + method.all("parameterTypes").stream()
                .map(parameter -> parameter.element().getAsString())
                .collect(Collectors.joining(",", "(", ")"))).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> methods(Class<?> type, boolean nativeOnly) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> !nativeOnly || Modifier.isNative(method.getModifiers()))
                .map(method -> method.getName() + Arrays.stream(method.getParameterTypes())
                        .map(Class::getTypeName).collect(Collectors.joining(",", "(", ")")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void assertExist(List<Json> types, String key) throws Exception {
        Set<String> natives = new TreeSet<>();
        try (URLClassLoader loader = new URLClassLoader(new URL[]{Product.JAR.toUri().toURL()},
                ClassLoader.getPlatformClassLoader())) {
            for (Json named : types) {
                String name = named.text(key);
                Class<?> type = Class.forName(name, false, loader);
                if (name.startsWith(OURS)) {
                    natives.add(name);
                    assertThat(named(named)).as(name).isEqualTo(methods(type, true));
                } else if (!name.equals("java.lang.Thread") || Runtime.version().feature() >= 21) {
                    assertThat(methods(type, false)).as(name).containsAll(named(named));
                }
                if (named.has("fields")) {
                    type.getField(named.text("fields.0.name"));
                }
            }
        }
        assertThat(natives).isIn(Set.of(), Set.of(OURS + "internal.Native", OURS + "internal.NativeLibrary"));
    }

    @Test
    void everythingThatItNamesExists() throws Exception {
        assertExist(read("reachability-metadata.json").all("reflection"), "type");
        assertExist(read("jni-config.json").all(), "name");
        assertExist(read("reflect-config.json").all(), "name");
    }

    @Test
    void bothFormatsNameTheSame() throws Exception {
        Set<String> today = new TreeSet<>();
        read("reachability-metadata.json").all("reflection")
                .forEach(type -> today.add(type.text("type") + named(type)));
        Set<String> before = new TreeSet<>();
        for (String file : List.of("jni-config.json", "reflect-config.json")) {
            read(file).all().forEach(type -> before.add(type.text("name") + named(type)));
        }
        assertThat(today).isEqualTo(before);
    }

    @Test
    void everyNativeLibraryIsCovered() throws Exception {
        String glob = read("reachability-metadata.json").text("resources.0.glob");
        String pattern = read("resource-config.json").text("resources.includes.0.pattern");
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        int platforms = Product.DIST.toFile().list((dist, name) -> name.startsWith("linux-")).length;
        assertThat(nativeEntries()).isNotEmpty().hasSize(3 * platforms).allSatisfy(entry -> {
            assertThat(matcher.matches(Path.of(entry))).as(entry).isTrue();
            assertThat(entry).matches(pattern);
        });
    }
}
