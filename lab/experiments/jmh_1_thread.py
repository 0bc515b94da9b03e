# SPDX-License-Identifier: Apache-2.0
"""User time of the calling thread, one thread."""
from frame import sampled

ROW = 3
SOURCE = "Norlinder's blog and openjdk/jdk 28556: Linux, a machine that is not named"
CLAIM = "The maximum falls by 95 %, from 1.030 to 0.054 ms; nearly all reads are below 1 us instead of 8."
OURS = "With threadclock it is faster than on the same JDK as it is, legacy or VIRT (the medians)."
CONDITIONS = ("JMH SampleTime, 1 thread, 2 x 5 s warm-up, 5 x 5 s, 10 forks of each by turns; 3 shorter ones "
              "with threadclock")
FACTOR = "max", 1.030 / 0.054
UNIT_NS = 1_000_000
TINY = "≈ 10⁻³ ms" # as JMH printed it: 1 us, rounded; no number to divide by
PUBLISHED = {
    "legacy": {"samples": 7_506_555, "mean": 0.008, "p0": 0.008, "p50": 0.008, "p90": 0.008, "p95": 0.008,
               "p99": 0.012, "p99.9": 0.015, "p99.99": 0.021, "max": 1.030},
    "virt": {"samples": 8_984_189, "mean": TINY, "p0": TINY, "p50": TINY, "p90": TINY, "p95": TINY,
             "p99": 0.001, "p99.9": 0.001, "p99.99": 0.006, "max": 0.054},
}
CODE = sampled.CODE
SECONDS = 15, 760


def run(lab):
    return sampled.run(lab, *lab.pair(), threads=1, forks=10, full=(2, 5, 5, 5))


def judge(data, quiet):
    return {**sampled.judge(data, quiet, FACTOR, PUBLISHED, UNIT_NS), "why": (
        "A maximum is one sample of millions: an interrupt or another thread's turn. It says more about the "
        "machine than about the clock; the quantiles below it are what the change is about.")}
