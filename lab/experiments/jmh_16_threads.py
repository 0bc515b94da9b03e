# SPDX-License-Identifier: Apache-2.0
"""User time of the calling thread, 16 threads at once."""
from frame import sampled

ROW = 1
SOURCE = "QuestDB blog, January 2026: Ryzen 9950X, JDK main with the fix reverted and applied"
CLAIM = ("Reading the VIRT clock instead of /proc makes getCurrentThreadUserTime() 40 times faster (the "
         "means).")
OURS = "With threadclock it is faster than on the same JDK as it is, legacy or VIRT (the medians)."
CONDITIONS = ("JMH SampleTime, 16 threads, 2 x 5 s warm-up, 5 x 5 s, 3 forks of each by turns; shorter with "
              "threadclock")
FACTOR = "mean", 11.186 / 0.279
UNIT_NS = 1000
PUBLISHED = {
    "legacy": {"samples": 8_912_714, "mean": 11.186, "p0": 2.000, "p50": 10.272, "p90": 17.984, "p95": 20.832,
               "p99": 27.552, "p99.9": 56.768, "p99.99": 79.709, "max": 1179.648},
    "virt": {"samples": 11_037_102, "mean": 0.279, "p0": 0.070, "p50": 0.310, "p90": 0.440, "p95": 0.530,
             "p99": 0.610, "p99.9": 1.030, "p99.99": 3.088, "max": 1230.848},
}
CODE = sampled.CODE
SECONDS = 20, 255


def run(lab):
    return sampled.run(lab, *lab.pair(), threads=16, forks=3, full=(2, 5, 5, 5))


def judge(data, quiet):
    median = PUBLISHED["legacy"]["p50"] / PUBLISHED["virt"]["p50"]
    here = f", {sampled.ratio(data, 'legacy', 'virt', 'p50').value:.1f} x here" if not data["absent"] else ""
    return {**sampled.judge(data, quiet, FACTOR, PUBLISHED, UNIT_NS), "why": (
        "Their 16 threads had a core each; on fewer CPUs a sample that is preempted contains other threads' "
        f"turns, which adds the same to both means: the medians differ by {median:.1f} x there{here}.")}
