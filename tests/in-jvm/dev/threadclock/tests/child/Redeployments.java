// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A child program: an application server that redeploys an application with the library in it. Arguments: the
 * jar, the package, and the number of times. Each class loader is used and dropped. Prints the state of the
 * process after the first ten times and at the end: {@code mappings.before=N mappings.after=N}, those of the
 * library ({@code ours.}), open files ({@code files.}), and the number
 * of class loaders that are {@code left=} and that were {@code native=}.
 */
public final class Redeployments {
    private static final int WARM_UP = 10;

    private static int natives;

    public static void main(String[] args) throws Exception {
        URL jar = Paths.get(args[0]).toUri().toURL();
        String name = args[1] + ".ThreadClock";
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        deploy(jar, name, 1, loaders);
        long ours = ours(mappings()); // this copy stays; the next ones are unloaded
        deploy(jar, name, WARM_UP - 1, loaders);
        awaitCollected(loaders);
        awaitUnloaded(ours);
        print("before");
        deploy(jar, name, Integer.parseInt(args[2]), loaders);
        awaitCollected(loaders);
        awaitUnloaded(ours);
        print("after");
        long left = loaders.stream().filter(loader -> loader.get() != null).count();
        System.out.println("left=" + left + " native=" + natives);
    }

    private static void deploy(URL jar, String name, int times, List<WeakReference<ClassLoader>> loaders)
            throws Exception {
        for (int i = 0; i < times; i++) {
            loaders.add(deploy(jar, name));
            if (i % 20 == 19) {
                awaitCollected(loaders); // an application server has full collections as well
            }
        }
    }

    private static WeakReference<ClassLoader> deploy(URL jar, String name) throws Exception {
        ClassLoader platform = ClassLoader.getSystemClassLoader().getParent();
        try (URLClassLoader loader = new URLClassLoader(new URL[]{jar}, platform)) {
            Class<?> clock = Class.forName(name, true, loader);
            if ((boolean) clock.getMethod("isNative").invoke(null)
                    && (long) clock.getMethod("userNanos").invoke(null) >= 0) {
                natives++;
            }
            return new WeakReference<>(loader);
        }
    }

    /** Waits until all loaders have been collected, but at most 30 seconds. */
    private static void awaitCollected(List<WeakReference<ClassLoader>> loaders) throws Exception {
        long end = System.nanoTime() + 30_000_000_000L;
        boolean left = true;
        while (left && System.nanoTime() - end < 0) {
            System.gc();
            System.runFinalization(); // JDK 8 unloads libraries in finalizers
            Thread.sleep(20);
            left = loaders.stream().anyMatch(loader -> loader.get() != null);
        }
    }

    /**
     * Waits until no more mappings of the library than these are left, but at most 30 seconds: the JVM
     * unloads a loader's libraries some time after it has collected the loader.
     */
    private static void awaitUnloaded(long expected) throws Exception {
        long end = System.nanoTime() + 30_000_000_000L;
        while (ours(mappings()) > expected && System.nanoTime() - end < 0) {
            System.gc();
            System.runFinalization();
            Thread.sleep(50);
        }
    }

    private static List<String> mappings() throws IOException {
        return Files.readAllLines(Paths.get("/proc/self/maps"), StandardCharsets.ISO_8859_1);
    }

    private static long ours(List<String> mappings) {
        return mappings.stream().filter(line -> line.contains("libthreadclock")).count();
    }

    private static void print(String when) throws Exception {
        List<String> mappings = mappings();
        long files = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) { // the JVM has some of its own open for microseconds
            try (Stream<Path> open = Files.list(Paths.get("/proc/self/fd"))) {
                files = Math.min(files, open.count());
            }
            Thread.sleep(2);
        }
        System.out.println("mappings." + when + "=" + mappings.size() + " ours." + when + "=" + ours(mappings)
                + " files." + when + "=" + files);
    }
}
