// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Finds the control groups, of version 1 or 2, that may limit a process. */
public final class Cgroups {
    private static final String CPU = "cpu";
    private static final int ROOT_FIELD = 3;
    private static final int MOUNT_FIELD = 4;
    private static final int GROUP_FIELDS = 3;

    private Cgroups() {}

    /** A folder that represents a group, and its mount: the groups between the two count as well. */
    record Place(Path mount, Path group, boolean version2) {
        private List<Path> upwards() {
            return Stream.iterate(group, at -> at != null && at.startsWith(mount), Path::getParent).toList();
        }
    }

    /** The tightest CPU limit of a process, whose arguments are as those of {@link #places}. */
    public static Optional<CgroupCpu> tightest(String groups, String mounts) {
        return places(groups, mounts).stream().flatMap(Cgroups::limits).reduce(CgroupCpu::tighter);
    }

    /**
     * @param groups as /proc/PID/cgroup: "0::/a/b" of version 2, "4:cpu,cpuacct:/a/b" of version 1
     * @param mounts as /proc/self/mountinfo (proc(5))
     */
    static List<Place> places(String groups, String mounts) {
        return places(groups, mounts, CPU, Files::isDirectory);
    }

    /**
     * The folder of a process's group and those of the groups around it, innermost first, in each hierarchy
     * that has this controller or is of version 2.
     *
     * @param mounts as /proc/PID/mountinfo of a process in whose file system the folders are
     * @param exists whether there is such a folder; one that the mount does not show is its topmost
     */
    public static List<Path> folders(String groups, String mounts, String controller,
            Predicate<Path> exists) {
        return places(groups, mounts, controller, exists).stream().flatMap(place -> place.upwards().stream())
                .toList();
    }

    private static List<Place> places(String groups, String mounts, String controller,
            Predicate<Path> exists) {
        List<Place> places = new ArrayList<>();
        for (String mount : mounts.split("\n")) {
            String[] halves = mount.split(" - ", 2);
            String[] before = halves[0].split(" ");
            String[] after = halves.length < 2 ? new String[]{""} : halves[1].split(" ");
            boolean version2 = after[0].equals("cgroup2");
            boolean version1 = after[0].equals("cgroup") && names(after[after.length - 1], controller);
            if ((version1 || version2) && before.length > MOUNT_FIELD) {
                Path folder = Path.of(before[MOUNT_FIELD]);
                group(groups, version2 ? "" : controller)
                        .map(group -> below(folder, before[ROOT_FIELD], group, exists))
                        .ifPresent(group -> places.add(new Place(folder, group, version2)));
            }
        }
        return places;
    }

    /** controller: "" for version 2. */
    private static Optional<String> group(String groups, String controller) {
        return Arrays.stream(groups.split("\n")).map(line -> line.split(":", GROUP_FIELDS))
                .filter(parts -> parts.length == GROUP_FIELDS && names(parts[1], controller))
                .map(parts -> parts[2]).findFirst();
    }

    private static boolean names(String controllers, String controller) {
        return Arrays.asList(controllers.split(",")).contains(controller);
    }

    /** In a container the mount may cover only part of the hierarchy, with the group itself at its top. */
    private static Path below(Path mount, String shown, String group, Predicate<Path> exists) {
        String rest = !shown.equals("/") && group.startsWith(shown) ? group.substring(shown.length()) : group;
        Path folder = mount.resolve(rest.replaceFirst("^/+", "")).normalize();
        return folder.startsWith(mount) && exists.test(folder) ? folder : mount;
    }

    /** Groups without cpu.stat are left out: their throttling is unknown. */
    private static Stream<CgroupCpu> limits(Place place) {
        return place.upwards().stream().flatMap(folder -> text(folder, "cpu.stat").map(stat -> place.version2
                ? CgroupCpu.version2(text(folder, "cpu.max").orElse(""), stat)
                : CgroupCpu.version1(text(folder, "cpu.cfs_quota_us").orElse(""),
                        text(folder, "cpu.cfs_period_us").orElse(""), stat))
                .stream());
    }

    /** Empty if there is no such file, or it cannot be read. */
    private static Optional<String> text(Path folder, String file) {
        try {
            return Optional.of(Files.readString(folder.resolve(file), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
