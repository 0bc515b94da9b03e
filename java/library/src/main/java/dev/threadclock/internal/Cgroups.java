// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Internal: finds the control groups, of version 1 or 2, that may limit the CPU time of a process. */
public final class Cgroups {
    private static final int ROOT_FIELD = 3;
    private static final int MOUNT_FIELD = 4;
    private static final int GROUP_FIELDS = 3;

    private Cgroups() {}

    /** A folder that represents a group, and its mount: the groups between the two count as well. */
    static final class Place {
        final Path mount;
        final Path group;
        final boolean version2;

        Place(Path mount, Path group, boolean version2) {
            this.mount = mount;
            this.group = group;
            this.version2 = version2;
        }
    }

    public static Optional<CgroupCpu> tightest(String groups, String mounts) {
        return tightest(places(groups, mounts));
    }

    static Optional<CgroupCpu> tightest(List<Place> places) {
        return places.stream().flatMap(place -> limits(place).stream()).reduce(CgroupCpu::tighter);
    }

    /**
     * @param groups as /proc/PID/cgroup: "0::/a/b" of version 2, "4:cpu,cpuacct:/a/b" of version 1
     * @param mounts as /proc/self/mountinfo (proc(5))
     */
    static List<Place> places(String groups, String mounts) {
        List<Place> places = new ArrayList<>();
        for (String mount : mounts.split("\n")) {
            String[] halves = mount.split(" - ", 2);
            String[] before = halves[0].split(" ");
            String[] after = halves.length < 2 ? new String[]{""} : halves[1].split(" ");
            boolean version2 = after[0].equals("cgroup2");
            boolean version1 = after[0].equals("cgroup") && hasCpu(after[after.length - 1]);
            if ((version1 || version2) && before.length > MOUNT_FIELD) {
                Path folder = Paths.get(before[MOUNT_FIELD]);
                group(groups, version2).map(group -> below(folder, before[ROOT_FIELD], group))
                        .ifPresent(group -> places.add(new Place(folder, group, version2)));
            }
        }
        return places;
    }

    private static Optional<String> group(String groups, boolean version2) {
        return Arrays.stream(groups.split("\n")).map(line -> line.split(":", GROUP_FIELDS))
                .filter(parts -> parts.length == GROUP_FIELDS
                        && (version2 ? parts[0].equals("0") && parts[1].isEmpty() : hasCpu(parts[1])))
                .map(parts -> parts[2]).findFirst();
    }

    private static boolean hasCpu(String controllers) {
        return Arrays.asList(controllers.split(",")).contains("cpu");
    }

    /** In a container the mount may cover only part of the hierarchy, with the group itself at its top. */
    private static Path below(Path mount, String shown, String group) {
        String rest = !shown.equals("/") && group.startsWith(shown) ? group.substring(shown.length()) : group;
        Path folder = mount.resolve(rest.replaceFirst("^/+", "")).normalize();
        return folder.startsWith(mount) && Files.isDirectory(folder) ? folder : mount;
    }

    private static List<CgroupCpu> limits(Place place) {
        List<CgroupCpu> limits = new ArrayList<>();
        for (Path folder = place.group; folder != null
                && folder.startsWith(place.mount); folder = folder.getParent()) {
            Optional<String> read = text(folder.resolve("cpu.stat"));
            if (!read.isPresent()) {
                continue; // the throttling is unknown
            }
            String stat = read.get();
            limits.add(place.version2
                    ? CgroupCpu.version2(folder, limit(folder.resolve("cpu.max")), stat)
                    : CgroupCpu.version1(folder, text(folder.resolve("cpu.cfs_quota_us")).orElse(""),
                            text(folder.resolve("cpu.cfs_period_us")).orElse(""), stat));
        }
        return limits;
    }

    /** A topmost group has none; looking for it costs less than an exception. */
    private static String limit(Path file) {
        return file.toFile().exists() ? text(file).orElse("") : "";
    }

    /** Empty if the file cannot be read. */
    static Optional<String> text(Path file) {
        try {
            return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).trim());
        } catch (IOException | SecurityException e) {
            return Optional.empty();
        }
    }
}
