// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.util.HashSet;
import java.util.Set;

/**
 * /proc/PID/net/unix: which sockets are listening, by inode number. Finds the sockets that a JVM's attach
 * listener may have.
 */
final class UnixSockets {
    private static final int FLAGS_FIELD = 3;
    private static final int INODE_FIELD = 6;
    private static final int PATH_FIELD = 7;
    private static final long ACCEPTS = 0x10000; // __SO_ACCEPTCON, include/uapi/linux/net.h

    private UnixSockets() {}

    /**
     * The inode numbers of the listening sockets that were bound to this file name in any folder; HotSpot
     * binds to NAME.tmp and renames the file.
     */
    public static Set<String> listening(String text, String name) {
        Set<String> inodes = new HashSet<>();
        for (String line : text.split("\n")) {
            String[] fields = line.trim().split(" +", PATH_FIELD + 1);
            if (fields.length > PATH_FIELD && accepts(fields[FLAGS_FIELD])) {
                String path = fields[PATH_FIELD];
                if (path.endsWith("/" + name) || path.endsWith("/" + name + ".tmp")) {
                    inodes.add(fields[INODE_FIELD]);
                }
            }
        }
        return inodes;
    }

    private static boolean accepts(String flags) {
        return flags.matches("[0-9A-Fa-f]{8}") && (Long.parseLong(flags, 16) & ACCEPTS) != 0;
    }
}
