// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** The driver's side: adds what the executors report of tasks to stages and queries. */
final class DriverCpu implements DriverPlugin {
    /** The number of stages that are kept, and of queries. */
    static final int MOST = 1000;
    static final Recent<Integer> STAGES = new Recent<>();
    static final Recent<Long> QUERIES = new Recent<>();

    /** Sums by id, of those that last had a task. */
    static final class Recent<K> {
        private final Map<K, StageCpu> sums = new LinkedHashMap<K, StageCpu>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, StageCpu> eldest) {
                return size() > MOST;
            }
        };

        synchronized void add(K id, TaskCpu task) {
            sums.put(id, sums.getOrDefault(id, StageCpu.NONE).plus(task));
        }

        synchronized Map<K, StageCpu> copy() {
            return Collections.unmodifiableMap(new LinkedHashMap<>(sums));
        }

        synchronized void clear() {
            sums.clear();
        }
    }

    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
        STAGES.clear(); // ids begin anew with each application
        QUERIES.clear();
        return Collections.emptyMap();
    }

    @Override
    public Object receive(Object message) {
        if (message instanceof TaskCpu) {
            TaskCpu task = (TaskCpu) message;
            STAGES.add(task.stage, task);
            if (task.query != TaskCpu.NO_QUERY) {
                QUERIES.add(task.query, task);
            }
        }
        return null;
    }
}
