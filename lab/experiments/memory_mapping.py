# SPDX-License-Identifier: Apache-2.0
"""Every source in C, idle and while other threads map memory."""
from frame import stats, verdict
from frame.lab import CORE

ROW = 5
SOURCE = "Norlinder's blog, a program in C++"
CLAIM = (
    "Under threads that mmap and munmap, legacy has a maximum of 3.6 ms, 1.8 times that of VIRT, and a "
    "median of more than 2 ms against 0.3 ms, 7 times.")
OURS = "A tick read has a lower median than both, idle and stressed."
CONDITIONS = ("lab/programs/reads latency: sources take turns of 20 ms in one thread, beside 0, 2 and 8 "
              "threads that map 1 MB")
PUBLISHED = {"legacy, median": "> 2 ms", "VIRT, median": "0.3 ms", "median, factor": 7,
             "legacy, max": "3.6 ms", "max, factor": 1.8}
MAPPERS = (0, 2, 8)
NAMES = {"proc": "/proc (legacy)", "virt_tid": "VIRT by TID", "tick": "threadclock, tick"}
CODE = [*CORE, "lab/programs/reads.c"]
SECONDS = 5, 100


def run(lab):
    reads, seconds = lab.c("reads"), .3 if lab.quick else 6

    def measure(mappers):
        found = lab.json([reads, "latency", seconds, mappers, *NAMES])
        return {name: stats.quantiles(pairs) for name, pairs in found.items()}
    rounds = lab.rounds({f"{count} mappers": lambda count=count: measure(count) for count in MAPPERS}, 5)
    return {"rounds": rounds}


def ratio(data, load, above, below, quantile):
    return stats.ratio(*(stats.column(data["rounds"], load, name, quantile) for name in (above, below)))


def judge(data, quiet):
    loads = [f"{count} mappers" for count in MAPPERS]
    most = loads[-1]
    median, maximum = (ratio(data, most, "proc", "virt_tid", quantile) for quantile in ("p50", "max"))
    kinds = [verdict.published_factor(measured, PUBLISHED[name], quiet) for measured, name in
             ((median, "median, factor"), (maximum, "max, factor"))]
    # 2 ms in the median means that the reader waited for a CPU or a lock in each read: that is the claim.
    at_all = stats.interval(stats.column(data["rounds"], most, "proc", "p50"))
    reproduced = verdict.at_least(at_all, verdict.TOLERANCE * 2e6, quiet, "")
    found = {one.kind for one in (reproduced, *kinds)}
    kind = (verdict.REFUTED if verdict.REFUTED in found else
            verdict.CONFIRMED if found == {verdict.CONFIRMED} else verdict.UNDECIDED)
    theirs = verdict.Verdict(
        kind, f"{most}: legacy / VIRT median {median} x, published 7 x; max {maximum} x, published 1.8 x; "
              f"the legacy median is {at_all} ns, published more than 2 ms")
    worst = min((ratio(data, load, other, "tick", "p50") for load in loads for other in ("proc", "virt_tid")),
                key=lambda each: each.low)
    rows = [[f"{load}: {quantile}",
             *(str(stats.interval(stats.column(data["rounds"], load, name, quantile))) for name in NAMES)]
            for load in loads for quantile in ("p50", "p99", "max")]
    virt = stats.interval(stats.column(data["rounds"], most, "virt_tid", "p50")).value
    ours = verdict.at_least(worst, 1, quiet, f"the nearest of the others is {worst} x the tick read")
    return {"published": theirs, "ours": ours,
        "tables": [{
            "title": "ns of a single read, with two reads of the vDSO clock", "head": ["", *NAMES.values()],
            "rows": rows}],
        "why": "Their stress, of which threads, sizes and CPUs are not published, made even the VIRT read "
               "wait (0.3 ms in the median), so 7 x is a ratio of waits; here the VIRT read does not wait "
               f"({virt:.0f} ns), so this is the ratio of the reads. Being preempted makes the maxima."}
