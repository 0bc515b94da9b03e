// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * /proc/PID/maps, the mapped files of a process, each once, in the order of their first mapping: which
 * libraries it has loaded.
 */
record ProcMaps(List<Mapped> files) {
    private static final String DELETED = " (deleted)";
    private static final int PATH_FIELD = 5;
    /** Of the library. Each is asked, and compared with all options. */
    private static final int MOST_COPIES = 16;

    /**
     * With a version, if installed; with the name of a class, if the library's package was renamed
     * (NativeLibrary).
     */
    private static final Pattern LIBRARY = Pattern.compile("libthreadclock\\.so([.@].*)?", Pattern.DOTALL);

    /**
     * @param path as the kernel shows it to us, without the mark for a removed file
     * @param deleted the file has been removed or replaced since
     * @param code part of it is mapped executable
     */
    public record Mapped(String path, boolean deleted, boolean code) {
        String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }

        boolean isNamedThreadclock() {
            return LIBRARY.matcher(name()).matches();
        }

        /** Combines two mappings of the same file. */
        private Mapped and(Mapped other) {
            return new Mapped(path, deleted, code || other.code);
        }
    }

    public static ProcMaps parse(String text) {
        Map<String, Mapped> files = new LinkedHashMap<>();
        for (String line : text.split("\n")) {
            // address perms offset dev inode          path
            String[] fields = line.split(" +", PATH_FIELD + 1);
            if (fields.length > PATH_FIELD && fields[PATH_FIELD].startsWith("/")) {
                String shown = fields[PATH_FIELD];
                boolean deleted = shown.endsWith(DELETED);
                String path = (deleted ? shown.substring(0, shown.length() - DELETED.length()) : shown)
                        .replace("\\012", "\n");
                files.merge(shown, new Mapped(path, deleted, fields[1].contains("x")), Mapped::and);
            }
        }
        return new ProcMaps(List.copyOf(files.values()));
    }

    /** libjvm.so of any JVM. */
    public Optional<Mapped> jvm() {
        return first(file -> file.code() && file.name().equals("libjvm.so"));
    }

    /** OpenJ9 has a libjvm.so, too, but another protocol. */
    public boolean isOpenJ9() {
        return first(file -> file.name().startsWith("libj9vm")).isPresent();
    }

    /** Of Alpine, where the dynamic linker is the file; Debian has a link to libc.so there. */
    public boolean isMusl() {
        return first(file -> file.name().startsWith("ld-musl-") || file.name().equals("libc.so")).isPresent();
    }

    /** HotSpot's file of performance counters, unless disabled. jvmstat maps those of other JVMs. */
    public Optional<Mapped> counters(int namespacePid) {
        String end = "/" + namespacePid;
        return first(file -> file.path().contains("/hsperfdata_") && file.path().endsWith(end));
    }

    /** The archive of classes that a JVM uses: its AOT cache, if that is named, or a CDS archive. */
    public Optional<String> archive(String aotCache) {
        String name = aotCache.substring(aotCache.lastIndexOf('/') + 1);
        return first(file -> file.name().endsWith(".jsa") || !name.isEmpty() && file.name().equals(name))
                .map(Mapped::name);
    }

    /**
     * The first copies of the library. A file that the dynamic linker rejected has no code mapped.
     *
     * @param renamed paths of copies under other names
     */
    public List<Mapped> threadclocks(Set<String> renamed) {
        return files.stream().filter(file -> file.code() && (file.isNamedThreadclock()
                || renamed.contains(file.path()))).limit(MOST_COPIES).toList();
    }

    private Optional<Mapped> first(Predicate<Mapped> wanted) {
        return files.stream().filter(wanted).findFirst();
    }
}
