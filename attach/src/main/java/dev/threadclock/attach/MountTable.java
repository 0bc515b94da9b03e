// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * /proc/PID/mountinfo, the mounts that a process sees, in the order of mounting: whether programs may be run
 * from a folder.
 */
final class MountTable {
    private record Mount(String point, List<String> options) {
        boolean holds(String path) {
            return point.equals("/") || path.equals(point) || path.startsWith(point + "/");
        }
    }

    private static final int POINT_FIELD = 4;
    private static final int OPTIONS_FIELD = 5;

    private final List<Mount> mounts = new ArrayList<>();

    private MountTable() {}

    public static MountTable parse(String text) {
        MountTable table = new MountTable();
        for (String line : text.split("\n")) {
            String[] fields = line.split(" ");
            if (fields.length > OPTIONS_FIELD) {
                table.mounts.add(new Mount(unescaped(fields[POINT_FIELD]),
                        Arrays.asList(fields[OPTIONS_FIELD].split(","))));
            }
        }
        return table;
    }

    /** The folder's mount has this option: noexec, ro. */
    public boolean has(String option, String folder) {
        Mount mount = null;
        for (Mount candidate : mounts) {
            // The longest mount point is the nearest; of two at the same place the later one covers the
            // earlier.
            if (candidate.holds(folder)
                    && (mount == null || candidate.point.length() >= mount.point.length())) {
                mount = candidate;
            }
        }
        return mount != null && mount.options.contains(option);
    }

    /** seq_file writes blanks, tabs, newlines and backslashes as three octal digits. */
    private static String unescaped(String text) {
        return text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134",
                "\\");
    }
}
