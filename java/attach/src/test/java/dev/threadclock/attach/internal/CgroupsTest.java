// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where the groups of a process are mounted (version 1, version 2, both, and a container that sees part of
 * the hierarchy), and their limits and throttling.
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
    void placesOfVersion2() throws Exception {
        Path group = Files.createDirectories(mount.resolve("system.slice/app"));
        assertThat(Cgroups.places("0::/system.slice/app\n", mounts("/", "cgroup2", "rw")))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(new Cgroups.Place(mount, group, true));
    }

    @Test
    void version1CountsWhereItHasTheCpuController() throws Exception {
        Path group = Files.createDirectories(mount.resolve("app"));
        String groups = "5:memory:/elsewhere\n4:cpu,cpuacct:/app\n0::/\n";
        assertThat(Cgroups.places(groups, mounts("/", "cgroup", "rw,cpu,cpuacct")))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(new Cgroups.Place(mount, group, false));
        assertThat(Cgroups.places(groups, mounts("/", "cgroup", "rw,memory"))).isEmpty();
        assertThat(Cgroups.places(groups, mounts("/", "cgroup", "rw,cpuset"))).isEmpty();
    }

    @Test
    void aContainersOwnGroupIsAtTheTopOfItsMount() {
        assertThat(Cgroups.places("0::/docker/abc\n", mounts("/docker/abc", "cgroup2", "rw")))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(new Cgroups.Place(mount, mount, true));
        assertThat(Cgroups.places("0::/../../elsewhere\n", mounts("/", "cgroup2", "rw")))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(new Cgroups.Place(mount, mount, true));
    }

    @Test
    void foldersLeadUpwardsWhereverTheControllerIs() {
        String groups = "5:pids:/a/b\n0::/c\n";
        assertThat(Cgroups.folders(groups, mounts("/", "cgroup", "rw,pids"), "pids", folder -> true))
                .containsExactly(mount.resolve("a/b"), mount.resolve("a"), mount);
        assertThat(Cgroups.folders(groups, mounts("/a", "cgroup", "rw,pids"), "pids", folder -> true))
                .containsExactly(mount.resolve("b"), mount);
        assertThat(Cgroups.folders(groups, mounts("/", "cgroup2", "rw"), "pids", folder -> true))
                .containsExactly(mount.resolve("c"), mount);
        assertThat(Cgroups.folders(groups, mounts("/", "cgroup", "rw,cpu"), "pids", folder -> true))
                .isEmpty();
    }

    private static final String STAT_2 = """
            usage_usec 1234567
            user_usec 1000000
            system_usec 234567
            nr_periods 300
            nr_throttled 12
            throttled_usec 2500000
            """;
    private static final String STAT_1 = "nr_periods 300\nnr_throttled 12\nthrottled_time 2500000000\n";

    @Test
    void limitsOfVersion2() {
        CgroupCpu limited = CgroupCpu.version2("150000 100000\n", STAT_2);
        assertThat(limited.cpus()).isEqualTo(1.5);
        assertThat(limited.periods()).isEqualTo(300);
        assertThat(limited.throttledPeriods()).isEqualTo(12);
        assertThat(limited.throttledNanos()).isEqualTo(2_500_000_000L);
        assertThat(limited.limited()).isTrue();
        assertThat(CgroupCpu.version2("max 100000\n", "usage_usec 5\n").limited()).isFalse();
        assertThat(CgroupCpu.version2("", "").limited()).as("the root group has no such file")
                .isFalse();
    }

    @Test
    void version1ReportsTheSame() {
        assertThat(CgroupCpu.version1("150000\n", "100000\n", STAT_1)).usingRecursiveComparison()
                .isEqualTo(CgroupCpu.version2("150000 100000\n", STAT_2));
        assertThat(CgroupCpu.version1("-1\n", "100000\n", STAT_1).limited()).isFalse();
        assertThat(CgroupCpu.version1("", "", "").limited()).isFalse();
    }

    @Test
    void theTighterOfNestedGroupsApplies() {
        CgroupCpu half = CgroupCpu.version2("50000 100000", "nr_periods 1\n");
        CgroupCpu two = CgroupCpu.version2("200000 100000", "");
        CgroupCpu none = CgroupCpu.version2("max 100000", "");
        assertThat(half.tighter(two)).isEqualTo(half);
        assertThat(two.tighter(half)).isEqualTo(half);
        assertThat(none.tighter(two)).isEqualTo(two);
        assertThat(none.tighter(none).limited()).isFalse();
    }

    @Test
    void textThatIsNotUnderstoodIsNoLimit() {
        assertThatThrownBy(() -> CgroupCpu.version2("x y", ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> CgroupCpu.version2("100000 0", ""))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
