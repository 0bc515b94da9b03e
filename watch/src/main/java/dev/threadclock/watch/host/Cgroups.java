// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.host;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Finds the control groups, of version 1 or 2, that may limit the CPU time of a process. */
public final class Cgroups {
    private static final int ROOT_FIELD = 3;
    private static final int MOUNT_FIELD = 4;

    private Cgroups() {}

    /** A folder that represents a group, and its mount: the groups between the two count as well. */
    record Place(Path mount, Path group, boolean version2) {}

    public static Optional<CgroupCpu> tightest(String groups, String mounts) {
        return places(groups, mounts).stream().flatMap(place -> limits(place).stream())
                .reduce(CgroupCpu::tighter);
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
                Path folder = Path.of(before[MOUNT_FIELD]);
                group(groups, version2).map(group -> below(folder, before[ROOT_FIELD], group))
                        .ifPresent(group -> places.add(new Place(folder, group, version2)));
            }
        }
        return places;
    }

    private static Optional<String> group(String groups, boolean version2) {
        return groups.lines().map(line -> line.split(":", 3))
                .filter(parts -> parts.length == 3
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
        for (Path folder = place.group(); folder != null
                && folder.startsWith(place.mount()); folder = folder.getParent()) {
            String stat = text(folder, "cpu.stat");
            limits.add(place.version2() ? CgroupCpu.version2(text(folder, "cpu.max"), stat)
                    : CgroupCpu.version1(text(folder, "cpu.cfs_quota_us"), text(folder, "cpu.cfs_period_us"),
                            stat));
        }
        return limits;
    }

    private static String text(Path folder, String file) {
        return SystemFiles.text(folder.resolve(file).toString()).orElse("");
    }
}
