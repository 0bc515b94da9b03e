// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where the groups of a process are mounted: version 1, version 2, both, and a container that sees part of
 * the hierarchy.
 */
class CgroupsTest {
    @TempDir
    Path mount;

    private String mounts(String shown, String type, String options) {
        return "23 28 0:21 / /proc rw,nosuid - proc proc rw\n"
                + "31 23 0:28 " + shown + " " + mount + " rw,relatime shared:9 - " + type + " cgroup "
                + options + "\n";
    }

    @Test
    void version2() throws Exception {
        Path group = Files.createDirectories(mount.resolve("system.slice/app"));
        assertThat(Cgroups.places("0::/system.slice/app\n", mounts("/", "cgroup2", "rw")))
                .containsExactly(new Cgroups.Place(mount, group, true));
    }

    @Test
    void version1CountsWhereItHasTheCpuController() throws Exception {
        Path group = Files.createDirectories(mount.resolve("app"));
        String groups = "5:memory:/elsewhere\n4:cpu,cpuacct:/app\n0::/\n";
        assertThat(Cgroups.places(groups, mounts("/", "cgroup", "rw,cpu,cpuacct")))
                .containsExactly(new Cgroups.Place(mount, group, false));
        assertThat(Cgroups.places(groups, mounts("/", "cgroup", "rw,memory"))).isEmpty();
        assertThat(Cgroups.places(groups, mounts("/", "cgroup", "rw,cpuset"))).isEmpty();
    }

    @Test
    void aContainersOwnGroupIsAtTheTopOfItsMount() {
        assertThat(Cgroups.places("0::/docker/abc\n", mounts("/docker/abc", "cgroup2", "rw")))
                .containsExactly(new Cgroups.Place(mount, mount, true));
        assertThat(Cgroups.places("0::/../../elsewhere\n", mounts("/", "cgroup2", "rw")))
                .containsExactly(new Cgroups.Place(mount, mount, true));
    }
}
