// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Throttling, read from simulated files of control groups. */
class ThrottlingTest {
    @TempDir
    Path folder;

    private Throttling throttling;

    @BeforeEach
    void mount() throws IOException {
        write("mounts", "31 23 0:28 / " + folder + " rw,relatime - cgroup2 cgroup rw\n");
        throttling = new Throttling(folder.resolve("groups"), folder.resolve("mounts"));
    }

    private void write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void group(String name, int throttled, int micros) throws IOException {
        write(name + "/cpu.max", "50000 100000\n");
        write(name + "/cpu.stat",
                "usage_usec 1\nnr_periods 9\nnr_throttled " + throttled + "\nthrottled_usec " + micros
                        + "\n");
    }

    private void assertRead(long periods, long nanos) {
        throttling.read();
        assertThat(throttling.periods()).isEqualTo(periods);
        assertThat(throttling.nanos()).isEqualTo(nanos);
    }

    @Test
    void isUnknownWithoutFiles() {
        assertRead(-1, -1);
    }

    @Test
    void isZeroWithoutALimit() throws IOException {
        write("groups", "0::/app\n");
        write("app/cpu.max", "max 100000\n");
        write("app/cpu.stat", "usage_usec 5\n");
        assertRead(0, 0);
    }

    @Test
    void follows() throws IOException {
        write("groups", "0::/app\n");
        group("app", 3, 40);
        assertRead(3, 40_000);
        group("app", 5, 70);
        assertRead(5, 70_000);
    }

    @Test
    void afterAMoveOnlyNewThrottlingOfTheOtherGroupCounts() throws IOException {
        write("groups", "0::/app\n");
        group("app", 3, 40);
        group("elsewhere", 100, 1_000);
        assertRead(3, 40_000);
        write("groups", "0::/elsewhere\n");
        assertRead(3, 40_000);
        group("elsewhere", 101, 1_010);
        assertRead(4, 50_000);
    }

    @Test
    void onceAnOuterLimitIsTighterOnlyItsNewThrottlingCounts() throws IOException {
        write("groups", "0::/above/app\n");
        group("above", 100, 1_000);
        write("above/cpu.max", "90000 100000\n");
        group("above/app", 3, 40);
        assertRead(3, 40_000);
        write("above/cpu.max", "10000 100000\n");
        assertRead(3, 40_000);
        group("above", 102, 1_030);
        write("above/cpu.max", "10000 100000\n");
        assertRead(5, 70_000);
    }

    @Test
    void aFailedReadAddsNothing() throws IOException {
        write("groups", "0::/app\n");
        Files.move(folder.resolve("mounts"), folder.resolve("mounts.away"));
        assertRead(-1, -1);
        Files.move(folder.resolve("mounts.away"), folder.resolve("mounts"));
        group("app", 3, 40);
        assertRead(3, 40_000);
        Files.delete(folder.resolve("app/cpu.stat"));
        assertRead(3, 40_000);
        group("app", 4, 50);
        assertRead(4, 50_000);
    }

    @Test
    void neverDecreases() throws IOException {
        write("groups", "0::/app\n");
        group("app", 3, 40);
        throttling.read();
        group("app", 1, 10); // created again under the same name
        assertRead(3, 40_000);
        write("app/cpu.stat", "nr_throttled many\n");
        assertRead(3, 40_000);
    }
}
