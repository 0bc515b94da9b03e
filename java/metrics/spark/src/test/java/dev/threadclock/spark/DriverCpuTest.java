// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuMeter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the driver keeps of the tasks' messages. */
class DriverCpuTest {
    private final DriverCpu driver = new DriverCpu();

    @BeforeEach
    @AfterEach
    void begin() {
        driver.init(null, null);
    }

    private void taskOf(int stage, long query) {
        driver.receive(new TaskCpu(stage, query, false, new CpuMeter().snapshot(), 0));
    }

    @Test
    void theSumsOfAnApplicationThatNeverEndsAreBounded() {
        for (int i = 0; i < 3 * DriverCpu.MOST; i++) {
            taskOf(i, 2 * i);
        }
        assertThat(StageCpu.ofStages()).hasSize(DriverCpu.MOST).containsKey(3 * DriverCpu.MOST - 1);
        assertThat(StageCpu.ofQueries()).hasSize(DriverCpu.MOST).containsKey(6L * DriverCpu.MOST - 2);
    }

    /** After a slow task its stage may have been removed: a new sum would lack the earlier tasks. */
    @Test
    void aSumThatMadeRoomForAnotherDoesNotComeBack() {
        taskOf(0, 0);
        for (int i = 1; i <= DriverCpu.MOST; i++) {
            taskOf(i, i);
        }
        taskOf(0, 0);
        assertThat(StageCpu.ofStages()).hasSize(DriverCpu.MOST).doesNotContainKey(0);
        assertThat(StageCpu.ofQueries()).hasSize(DriverCpu.MOST).doesNotContainKey(0L);
        taskOf(1, 1);
        assertThat(StageCpu.ofStages().get(1).tasks()).isEqualTo(2);
    }

    @Test
    void aNewApplicationBeginsWithoutSums() {
        for (int i = 0; i <= DriverCpu.MOST; i++) {
            taskOf(i, i);
        }
        driver.init(null, null);
        assertThat(StageCpu.ofStages()).isEmpty();
        taskOf(0, TaskCpu.NO_QUERY);
        assertThat(StageCpu.ofStages()).containsOnlyKeys(0);
        assertThat(StageCpu.ofQueries()).isEmpty();
    }
}
