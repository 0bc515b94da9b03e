# SPDX-License-Identifier: Apache-2.0
"""User time of the calling thread, 16 threads at once."""
from frame import sampled

ROW = 1
SOURCE = "QuestDB blog, January 2026: Ryzen 9950X, JDK main with the fix reverted and applied"
CLAIM = ("Reading the VIRT clock instead of /proc makes getCurrentThreadUserTime() 40 times faster (the "
         "means).")
OURS = "With threadclock it is faster than on the same JDK as it is, legacy or VIRT (the medians)."
CONDITIONS = "JMH SampleTime, 16 threads, 2 x 5 s warm-up, 5 x 5 s, 3 forks of each by turns"
FACTOR = "mean", 11.186 / 0.279
UNIT_NS = 1000
PUBLISHED = {
    "legacy": {"samples": 8_912_714, "mean": 11.186, "p0": 2.000, "p50": 10.272, "p90": 17.984, "p95": 20.832,
               "p99": 27.552, "p99.9": 56.768, "p99.99": 79.709, "max": 1179.648},
    "virt": {"samples": 11_037_102, "mean": 0.279, "p0": 0.070, "p50": 0.310, "p90": 0.440, "p95": 0.530,
             "p99": 0.610, "p99.9": 1.030, "p99.99": 3.088, "max": 1230.848},
}
CODE = sampled.CODE
SECONDS = 20, 480


def run(lab):
    return sampled.run(lab, *lab.pair(), threads=16, forks=3, full=(2, 5, 5, 5))


def judge(data, quiet):
    return {**sampled.judge(data, quiet, FACTOR, PUBLISHED, UNIT_NS), "why": (
        "Sixteen threads on fewer CPUs also wait for each other: a sample that is interrupted lasts as long "
        "as the others' turns, with either clock, so the means here are closer than the medians.")}
