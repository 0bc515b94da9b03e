// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Hello;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Starts a child JVM with the built jar as a library on its class path. */
final class LibraryJvm {
    /** Suppresses the native access warning of JDK 24 and later. */
    static Result run(TestJdk jdk, List<String> flags, Class<?> program, String... args) {
        List<String> more = new ArrayList<>(flags);
        if (jdk.warnsOfNativeAccess()) {
            more.add(0, "--enable-native-access=ALL-UNNAMED");
        }
        return runPlain(jdk, more, program, args);
    }

    static Result runPlain(TestJdk jdk, List<String> flags, Class<?> program, String... args) {
        List<String> command = new ArrayList<>(List.of(jdk.java(), "-Xmx256m"));
        command.addAll(flags);
        command.addAll(List.of("-cp", Product.origin(Hello.class) + File.pathSeparator + Product.JAR,
                program.getName()));
        command.addAll(List.of(args));
        return ChildJvm.start(command, Map.of()).end();
    }
}
