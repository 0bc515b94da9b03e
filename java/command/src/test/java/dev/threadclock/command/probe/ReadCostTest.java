// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** On a busy machine the time for a measurement may be over before it has begun. */
class ReadCostTest {
    @Test
    void aMedianIsOfManyBatchesHoweverShortTheTime() {
        ReadCost cost = new ReadCost(new ReadCost.Loop("read", reads -> reads));
        cost.run(0, 0);
        Map<String, Object> results = new HashMap<>();
        cost.putInto(results);
        assertThat(results.get("read")).asString().contains("batches=25");
    }
}
