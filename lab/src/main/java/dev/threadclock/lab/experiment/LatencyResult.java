// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

/**
 * What the program "latency" of lab/cpp reports for one source. Nanoseconds. bulkMean: of the fastest 90 %.
 * curve: percentile and nanoseconds.
 */
record LatencyResult(String name, String title, double mean, double bulkMean, double max, double[][] curve) {
    static LatencyResult of(JsonObject source) {
        JsonArray points = source.getAsJsonArray("curve");
        double[][] curve = new double[points.size()][];
        for (int i = 0; i < curve.length; i++) {
            JsonArray point = points.get(i).getAsJsonArray();
            curve[i] = new double[]{point.get(0).getAsDouble(), point.get(1).getAsDouble()};
        }
        return new LatencyResult(source.get("name").getAsString(),
                source.has("title") ? source.get("title").getAsString() : "",
                source.get("mean_ns").getAsDouble(), source.get("bulk_mean_ns").getAsDouble(),
                source.get("max_ns").getAsDouble(),
                curve);
    }

    /** The lowest value that this share of the reads (in percent) did not exceed. */
    double percentile(double percentile) {
        for (double[] point : curve) {
            if (point[0] >= percentile) {
                return point[1];
            }
        }
        return max;
    }
}
