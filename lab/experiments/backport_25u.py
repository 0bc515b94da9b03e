# SPDX-License-Identifier: Apache-2.0
"""JDK 25 before and after its backport."""
from frame import sampled

ROW = 4
SOURCE = "openjdk/jdk25u-dev 621: JMH 1.37, a baseline build and a fixed one"
CLAIM = "The backport to 25u makes getCurrentThreadUserTime() 24.5 times faster (the means)."
OURS = "With threadclock it is faster than on the same JDK as it is, legacy or VIRT (the medians)."
CONDITIONS = "JMH SampleTime, 1 thread, 2 x 5 s warm-up, 5 x 5 s, 3 forks of each by turns, shared with row 3"
FACTOR = "mean", 24.5
UNIT_NS = 1_000_000
PUBLISHED = {
    "legacy": {"samples": 6_586_868, "mean": 0.019014, "p50": 0.018528, "p90": 0.019680, "p99": 0.025184,
               "p99.9": 0.039232, "p99.99": 0.607232, "max": 10.059776},
    "virt": {"samples": 5_230_948, "mean": 0.000775, "p50": 0.000760, "p90": 0.000770, "p99": 0.001090,
             "p99.9": 0.005656, "p99.99": 0.014432, "max": 1.470464},
}
CODE = sampled.CODE
SECONDS = 1, 1


def run(lab):
    return sampled.run(lab, *lab.pair(25), threads=1, forks=3, full=(2, 5, 5, 5))


def judge(data, quiet):
    return {**sampled.judge(data, quiet, FACTOR, PUBLISHED, UNIT_NS), "why": (
        "Their VIRT read takes 760 ns, so their machine pays much for a system call; the ratio depends on "
        "what a system call costs against opening a file.")}
