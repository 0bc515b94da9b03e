// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuAttribution;
import dev.threadclock.internal.Native;
import java.io.File;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A child program that exports CPU time by key to the agent. Argument: a folder. Eight threads work for keys,
 * until it is killed, but no longer than ten minutes. It prints lines {@code running}. While the folder has a
 * file {@code lock}, it holds the attribution's lock; if it has a file {@code fill}, it fills its heap for
 * two seconds and prints {@code freed}. {@link Failing} and {@link Redeployed} are programs as well.
 */
public final class Keyed {
    /** With what must be escaped, and half of a surrogate pair. */
    public static final String STRANGE = "a\nb\"c\\d\u0000\u20ac\ud83d\ude00\ud800";

    /** Longer than scrapes share a reading. */
    public static final int SHARED_MILLIS = 150;

    private static final int THREADS = 8;
    private static final long LONGEST_NANOS = 600_000_000_000L;

    private static Object[] held;

    public static void main(String[] args) throws Exception {
        CpuAttribution tenants = new CpuAttribution("tenant").exportToAgent();
        for (int i = 0; i < THREADS; i++) {
            String key = i == 0 ? STRANGE : "tenant" + i;
            Threads.daemon("worker", () -> work(tenants, key));
        }
        long began = System.nanoTime();
        while (System.nanoTime() - began < LONGEST_NANOS) {
            try {
                System.out.println("running");
                Thread.sleep(20);
                obey(tenants, new File(args[0], "lock"), new File(args[0], "fill"));
            } catch (OutOfMemoryError e) {
                // Continues: G1 of JDK 28 may refuse memory even after it has been freed.
            }
        }
    }

    private static void obey(CpuAttribution tenants, File lock, File fill) throws Exception {
        if (lock.exists()) {
            holdLock(tenants, lock);
        } else if (fill.exists()) {
            fill();
            System.out.println("freed");
            fill.delete();
        }
    }

    private static void work(CpuAttribution tenants, String key) {
        for (;;) {
            try (CpuAttribution.Scope running = tenants.open(key)) {
                Burn.cpuNanos(1_000_000);
                Thread.sleep(20);
            } catch (InterruptedException | OutOfMemoryError e) {
                // Continues, as a server would.
            }
        }
    }

    private static void holdLock(CpuAttribution tenants, File file) throws Exception {
        Field scopes = CpuAttribution.class.getDeclaredField("scopes");
        scopes.setAccessible(true);
        synchronized (scopes.get(tenants)) {
            System.out.println("locked");
            while (file.exists()) {
                Thread.sleep(20);
            }
        }
    }

    private static void fill() {
        held = new Object[1 << 20];
        int count = 0;
        for (long began = System.nanoTime(), bytes = 1 << 20; System.nanoTime() - began < 2_000_000_000L;) {
            try {
                held[count] = new byte[(int) bytes];
                count++;
            } catch (OutOfMemoryError e) {
                bytes = Math.max(1, bytes / 2);
            }
        }
        held = null;
    }

    /**
     * A program with sources that fail, before and after one that does not, then with more than are served.
     * Argument: a file, which says when to export the latter.
     */
    public static final class Failing {
        public static void main(String[] args) throws Exception {
            CpuAttribution right = new CpuAttribution("right");
            List<Object> exported = new ArrayList<>();
            Supplier<Object[]> overflows = new Supplier<Object[]>() {
                @Override
                public Object[] get() {
                    return get();
                }
            };
            exported.add(overflows);
            Native.exportKeys("overflows", overflows);
            right.exportToAgent();
            Supplier<Object[]> throwing = () -> {
                throw new OutOfMemoryError("of the test");
            };
            exported.add(throwing);
            Native.exportKeys("throws", throwing);
            Supplier<Object[]> nameless = () -> new Object[]{new String[1], new long[2]};
            exported.add(nameless);
            Native.exportKeys("has a key that is null", nameless);
            while (!new File(args[0]).exists()) {
                System.out.println("running");
                Thread.sleep(20);
            }
            for (int i = 0; i < 20; i++) {
                exported.add(new CpuAttribution("one of many " + i).exportToAgent());
            }
            System.out.println("exported");
            Thread.sleep(LONGEST_NANOS / 1_000_000);
            System.out.println(exported);
        }
    }

    /**
     * A program that redeploys an application. Arguments: the library's jar, the agent's log, and how often.
     * Each application is scraped, and so is an attribution of another class loader. Prints how many class
     * loaders are {@code left=}.
     */
    public static final class Redeployed {
        public static void main(String[] args) throws Exception {
            CpuAttribution jobs = new CpuAttribution("job").exportToAgent();
            List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
            URL jar = Paths.get(args[0]).toUri().toURL();
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                loaders.add(deploy(jar, "application" + i, args[1]));
            }
            long left = loaders.size();
            for (long began = System.nanoTime(); left > 0 && System.nanoTime() - began < 30_000_000_000L;) {
                System.gc();
                Thread.sleep(20);
                left = loaders.stream().filter(loader -> loader.get() != null).count();
            }
            String last = scrape(args[1]);
            check(!last.contains("tenant"), last);
            check(last.contains("by=\"" + jobs.name() + "\",key=\"(unattributed)\""), last);
            System.out.println("left=" + left);
        }

        /** The loader is closed before the scrape, which can load no more of its classes. */
        private static WeakReference<ClassLoader> deploy(URL jar, String key, String log) throws Exception {
            Object tenants;
            URLClassLoader loader = new URLClassLoader(new URL[]{jar},
                    ClassLoader.getSystemClassLoader().getParent());
            try (URLClassLoader closed = loader) {
                Class<?> type = Class.forName(CpuAttribution.class.getName(), true, closed);
                tenants = type.getConstructor(String.class).newInstance("tenant");
                type.getMethod("exportToAgent").invoke(tenants);
                try (AutoCloseable running = (AutoCloseable) type.getMethod("open", String.class)
                        .invoke(tenants, key)) {
                    Burn.cpuNanos(5_000_000);
                }
            }
            String text = scrape(log);
            check(text.contains("by=\"tenant\",key=\"" + key + '"'), text);
            check(text.split("tenant\",key=\"application").length == 3, text); // user and system of one
            check(text.contains("by=\"job\""), text);
            return new WeakReference<>(tenants.getClass().getClassLoader());
        }

        /** A new reading. On a busy machine, it may take longer than a scrape waits. */
        private static String scrape(String log) throws Exception {
            Thread.sleep(SHARED_MILLIS);
            String text = Scraped.scrape(log);
            for (int i = 0; i < 30 && !text.contains("threadclock_key_"); i++) {
                text = Scraped.scrape(log);
            }
            return text;
        }

        private static void check(boolean holds, String text) {
            if (!holds) {
                throw new AssertionError(text);
            }
        }
    }
}
