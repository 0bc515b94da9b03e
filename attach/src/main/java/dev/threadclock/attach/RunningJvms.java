// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The HotSpot JVMs that this user can see, recognised by the library that they have loaded. */
final class RunningJvms {
    private RunningJvms() {}

    record Running(int pid, JavaCommandLine command) {
        /** "com.example.Main" and "app.jar", without the preceding words. */
        private String what() {
            return command.main().substring(command.main().lastIndexOf(' ') + 1);
        }

        private boolean is(String name) {
            String what = what();
            return what.equals(name) || what.endsWith("." + name) || what.endsWith("/" + name)
                    || what.equals(name + ".jar");
        }

        @Override
        public String toString() {
            return pid + " (" + command + ")";
        }
    }

    /** By PID, excluding this process. */
    static List<Running> all() {
        List<Running> all = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path process : processes) {
                int pid = Integer.parseInt(process.getFileName().toString());
                if (pid != ProcessHandle.current().pid()
                        && ProcMaps.parse(text(process, "maps")).jvm().isPresent()) {
                    List<String> words = Arrays.asList(text(process, "cmdline").split("\0"));
                    all.add(new Running(pid, JavaCommandLine.of(words, file -> "")));
                }
            }
        } catch (IOException e) {
            // None is visible without /proc.
        }
        all.sort(Comparator.comparingInt(Running::pid));
        return all;
    }

    /** Those whose main class or jar has this name; if there are none, those whose name contains it. */
    static List<Running> named(String name) {
        List<Running> all = all();
        List<Running> exact = all.stream().filter(jvm -> jvm.is(name)).toList();
        return exact.isEmpty() ? all.stream().filter(jvm -> jvm.what().contains(name)).toList() : exact;
    }

    /** Empty if it cannot be read: another user's, or gone. */
    private static String text(Path process, String file) {
        try {
            return new String(Files.readAllBytes(process.resolve(file)), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
