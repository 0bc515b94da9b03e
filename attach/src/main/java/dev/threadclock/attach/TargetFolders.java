// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.internal.Printable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The folders of the target in which a file of ours can be placed for a moment, best first. Opened as our
 * original user; used as the target's user.
 */
final class TargetFolders implements Closeable {
    /**
     * @param name the target's path without links: a library can be found again by it after its file has been
     *     removed
     * @param noexec no library can be loaded from there
     */
    record Place(String name, HeldFolder folder, boolean noexec) {}

    private final List<Place> all = new ArrayList<>();
    private final Map<String, String> refusals = new LinkedHashMap<>();

    TargetFolders(Target target) {
        Map<String, String> environment = target.process().environment();
        MountTable mounts = MountTable.parse(target.process().read("mountinfo"));
        List<String> names = new ArrayList<>(List.of("/tmp"));
        names.add(environment.getOrDefault("TMPDIR", ""));
        names.add(environment.getOrDefault("XDG_RUNTIME_DIR", ""));
        names.addAll(List.of("/dev/shm", "/var/tmp", target.workingFolder()));
        // The agent's options are separated by commas.
        names.stream().filter(name -> name.startsWith("/") && !name.contains(",")).distinct()
                .forEach(name -> open(name, target, mounts));
    }

    private void open(String name, Target target, MountTable mounts) {
        HeldFolder folder;
        String real;
        try {
            folder = target.root().folder(name);
            real = target.root().inside(Files.readSymbolicLink(folder.path()).toString());
        } catch (IOException e) {
            refuse(name, Refusal.reason(e));
            return;
        }
        all.add(new Place(real, folder, mounts.has("noexec", real)));
    }

    List<Place> all() {
        return all;
    }

    void refuse(String name, String why) {
        refusals.put(name, why);
    }

    /** "/tmp (No space left on device), /dev/shm (mounted noexec)". */
    String refusals() {
        StringBuilder text = new StringBuilder();
        refusals.forEach((name, why) -> text.append(text.length() == 0 ? "" : ", ")
                .append(Printable.line(name + " (" + why + ")")));
        return text.toString();
    }

    @Override
    public void close() {
        for (Place place : all) {
            place.folder().close();
        }
    }
}
