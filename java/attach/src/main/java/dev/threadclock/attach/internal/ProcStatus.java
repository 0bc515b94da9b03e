// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.util.HashMap;
import java.util.Map;

/**
 * /proc/PID/status: the owner of a process, its PID in its own namespace, its state, its rights, the signals
 * that it handles.
 *
 * @param group the process that a thread belongs to; equal to the requested number unless that was a thread's
 * @param namespacePid the PID in the process's own namespace
 * @param state one letter as in proc(5): R, S, T, Z, ...
 * @param uid the effective user
 * @param gid the effective group
 * @param mixed the real user or group is another one: a setuid program, or one that is about to change its
 *     user
 * @param caught the handled signals, signal N at bit N - 1
 * @param permitted the capabilities that it may use, N at bit N; effective: those that it uses
 * @param descriptorTable no file that it has open has a number as high as this
 */
record ProcStatus(int group, int namespacePid, char state, int uid, int gid, boolean mixed, int threads,
        long caught, long permitted, long effective, long descriptorTable) {
    private static final int SIGQUIT = 3;
    private static final int REAL = 0;
    private static final int EFFECTIVE = 1;

    public static ProcStatus parse(String text) {
        Map<String, String[]> fields = new HashMap<>();
        for (String line : text.split("\n")) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).trim().split("\\s+"));
            }
        }
        int group = Integer.parseInt(fields.get("Tgid")[0]);
        // There is no such line before Linux 4.1.
        String[] pids = fields.getOrDefault("NStgid", new String[]{Integer.toString(group)});
        return new ProcStatus(group, Integer.parseInt(pids[pids.length - 1]),
                fields.get("State")[0].charAt(0),
                Integer.parseUnsignedInt(fields.get("Uid")[EFFECTIVE]),
                Integer.parseUnsignedInt(fields.get("Gid")[EFFECTIVE]),
                !fields.get("Uid")[REAL].equals(fields.get("Uid")[EFFECTIVE])
                        || !fields.get("Gid")[REAL].equals(fields.get("Gid")[EFFECTIVE]),
                Integer.parseInt(fields.getOrDefault("Threads", new String[]{"1"})[0]),
                Long.parseUnsignedLong(fields.get("SigCgt")[0], 16),
                bits(fields, "CapPrm"), bits(fields, "CapEff"),
                Long.parseLong(fields.getOrDefault("FDSize", new String[]{"0"})[0]));
    }

    private static long bits(Map<String, String[]> fields, String name) {
        return Long.parseUnsignedLong(fields.getOrDefault(name, new String[]{"0"})[0], 16);
    }

    /** SIGQUIT has a handler, so it does not end the process. */
    public boolean handlesQuit() {
        return (caught >> SIGQUIT - 1 & 1) != 0;
    }

    public boolean hasEnded() {
        return state == 'Z' || state == 'X';
    }

    /** By SIGSTOP or by a debugger. */
    public boolean isStopped() {
        return state == 'T' || state == 't';
    }

    public boolean sameUser(ProcStatus other) {
        return uid == other.uid && gid == other.gid;
    }
}
