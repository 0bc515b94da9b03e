// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** The driver's side: adds the tasks that executors report to their stages and queries. */
final class DriverCpu implements DriverPlugin {
    /** The number of stages, and of queries, that are kept. */
    static final int MOST = 1000;
    static final Recent<Integer> STAGES = new Recent<>();
    static final Recent<Long> QUERIES = new Recent<>();

    /**
     * Sums by id of those that last had a task. Because ids increase, one number shows which may have been
     * removed.
     */
    static final class Recent<K extends Number> {
        private long dropped = -1;

        private final Map<K, StageCpu> sums = new LinkedHashMap<K, StageCpu>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, StageCpu> eldest) {
                if (size() <= MOST) {
                    return false;
                }
                dropped = Math.max(dropped, eldest.getKey().longValue());
                return true;
            }
        };

        /** Adds a task, but not to a new sum that would lack earlier tasks. */
        synchronized void add(K id, TaskCpu task) {
            StageCpu before = sums.get(id);
            if (before != null || id.longValue() > dropped) {
                sums.put(id, (before == null ? StageCpu.NONE : before).plus(task));
            }
        }

        synchronized Map<K, StageCpu> copy() {
            return Collections.unmodifiableMap(new LinkedHashMap<>(sums));
        }

        synchronized void clear() {
            sums.clear();
            dropped = -1;
        }
    }

    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
        STAGES.clear(); // each application begins again with the same ids
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
