// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
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

    private static JsonElement read(String file) throws IOException {
        try (JarFile jar = new JarFile(Product.JAR.toFile())) {
            ZipEntry entry = jar.getEntry(FOLDER + file);
            assertThat(entry).as(file).isNotNull();
            return JsonParser.parseString(
                    new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static List<String> nativeEntries() throws IOException {
        try (JarFile jar = new JarFile(Product.JAR.toFile())) {
            return jar.stream().map(ZipEntry::getName)
                    .filter(name -> name.startsWith("META-INF/native/") && !name.endsWith("/")).toList();
        }
    }

    /** "bind(java.lang.Class)" */
    private static Set<String> named(JsonObject type) {
        Set<String> methods = new TreeSet<>();
        if (type.has("methods")) {
            for (JsonElement each : type.getAsJsonArray("methods")) {
                List<String> parameters = new ArrayList<>();
                each.getAsJsonObject().getAsJsonArray("parameterTypes")
                        .forEach(parameter -> parameters.add(parameter.getAsString()));
                methods.add(
                        each.getAsJsonObject().get("name").getAsString() + "(" + String.join(",", parameters)
                                + ")");
            }
        }
        return methods;
    }

    private static Set<String> methods(Class<?> type, boolean nativeOnly) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> !nativeOnly || Modifier.isNative(method.getModifiers()))
                .map(NativeImageMetadataTest::signature).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.stream(method.getParameterTypes()).map(Class::getTypeName)
                .collect(Collectors.joining(",", "(", ")"));
    }

    private static void assertExist(Iterable<JsonElement> types, String key) throws Exception {
        Set<String> natives = new TreeSet<>();
        try (URLClassLoader loader = new URLClassLoader(new URL[]{Product.JAR.toUri().toURL()},
                ClassLoader.getPlatformClassLoader())) {
            for (JsonElement each : types) {
                JsonObject named = each.getAsJsonObject();
                String name = named.get(key).getAsString();
                Class<?> type = Class.forName(name, false, loader);
                if (name.startsWith(OURS)) {
                    natives.add(name);
                    assertThat(named(named)).as(name).isEqualTo(methods(type, true));
                } else if (!name.equals("java.lang.Thread") || Runtime.version().feature() >= 21) {
                    assertThat(methods(type, false)).as(name).containsAll(named(named));
                }
                if (named.has("fields")) {
                    type.getField(named.getAsJsonArray("fields").get(0).getAsJsonObject().get("name")
                            .getAsString());
                }
            }
        }
        assertThat(natives).isIn(Set.of(), Set.of(OURS + "internal.Native", OURS + "internal.NativeLibrary"));
    }

    @Test
    void everythingThatItNamesExists() throws Exception {
        assertExist(read("reachability-metadata.json").getAsJsonObject().getAsJsonArray("reflection"),
                "type");
        assertExist(read("jni-config.json").getAsJsonArray(), "name");
        assertExist(read("reflect-config.json").getAsJsonArray(), "name");
    }

    @Test
    void bothFormatsNameTheSame() throws Exception {
        Set<String> today = new TreeSet<>();
        read("reachability-metadata.json").getAsJsonObject().getAsJsonArray("reflection")
                .forEach(each -> today.add(each.getAsJsonObject().get("type").getAsString()
                        + named(each.getAsJsonObject())));
        Set<String> before = new TreeSet<>();
        for (String file : List.of("jni-config.json", "reflect-config.json")) {
            read(file).getAsJsonArray().forEach(each -> before
                    .add(each.getAsJsonObject().get("name").getAsString() + named(each.getAsJsonObject())));
        }
        assertThat(today).isEqualTo(before);
    }

    @Test
    void everyNativeLibraryIsCovered() throws Exception {
        String glob = read("reachability-metadata.json").getAsJsonObject().getAsJsonArray("resources").get(0)
                .getAsJsonObject().get("glob").getAsString();
        String pattern = read("resource-config.json").getAsJsonObject().getAsJsonObject("resources")
                .getAsJsonArray("includes").get(0).getAsJsonObject().get("pattern").getAsString();
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        int platforms = Product.DIST.toFile().list((dist, name) -> name.startsWith("linux-")).length;
        assertThat(nativeEntries()).isNotEmpty().hasSize(2 * platforms).allSatisfy(entry -> {
            assertThat(matcher.matches(Path.of(entry))).as(entry).isTrue();
            assertThat(entry).matches(pattern);
        });
    }
}
