# SPDX-License-Identifier: Apache-2.0
"""The caller's clock by PID 0 instead of its TID."""
from frame import stats, verdict
from frame.lab import QUICK, NotRunnable

ROWS = (2,)
SOURCE = "QuestDB blog, January 2026: Ryzen 9950X"
CLAIM = "Naming the caller 0 saves the kernel the look-up of the TID: 13 % of a read (the means)."
OURS = None
CONDITIONS = ("JMH SampleTime, 1 thread, 4 x 5 s warm-up, 10 x 5 s, 3 forks by turns; C: medians of blocks, "
              "5 runs")
UNIT_NS = 1
PUBLISHED = {
    "tid": {
        "samples": 4_347_067,
        "mean": 81.746,
        "p0": 69,
        "p50": 80,
        "p90": 90,
        "p95": 90,
        "p99": 90,
        "p99.9": 230,
        "p99.99": 1980,
        "max": 653_312},
        "pid0": {
            "samples": 5_081_223,
            "mean": 70.813,
            "p0": 59,
            "p50": 70,
            "p90": 70,
            "p95": 70,
            "p99": 80,
            "p99.9": 170,
            "p99.99": 1830,
            "max": 425_472},
             }
FACTOR = 81.746 / 70.813
CODE = ["lab/programs/jmh/src", "lab/programs/reads.c"]
SECONDS = 15, 500


def run(lab):
    reads = lab.c("reads")
    milliseconds = 300 if lab.quick else 2000
    in_c = lab.rounds({"C": lambda: lab.json(
        [reads, "cost", milliseconds, "virt_tid", "virt_pid0", "getppid"])}, 5)
    data = {"c": [one["C"] for one in in_c], "absent": None, "rounds": []}
    try:
        jdk = lab.newest(22)
    except NotRunnable as missing:
        return {**data, "absent": f"JMH needs foreign functions: {missing}"}
    settings = QUICK if lab.quick else (4, 5, 10, 5)
    data["rounds"] = lab.rounds({name: lambda name=name: lab.jmh(
        jdk, rf"VirtClock\.{name}$", "sample", settings)[name] for name in ("tid", "pid0")}, 3)
    return {**data, "jdk": str(jdk), "settings": settings}


def judge(data, quiet):
    in_c = stats.ratio([one["virt_tid"] for one in data["c"]], [one["virt_pid0"] for one in data["c"]])
    text = f"C, medians: {in_c} x"
    measured = in_c
    if data["rounds"]:
        measured = stats.ratio([one["tid"]["mean"] for one in data["rounds"]],
                               [one["pid0"]["mean"] for one in data["rounds"]])
        text = f"JMH, means: {measured} x; {text}"
    # A gain of 13 % is small: what must be shown is that there is one at all, and of this order.
    theirs = verdict.at_least(measured, 1 + verdict.TOLERANCE * (FACTOR - 1),
                              True, f"{text}; published {FACTOR:.2f} x")
    if not quiet and theirs.kind != verdict.NOISY:
        theirs = verdict.Verdict(verdict.NOISY, theirs.text + "; measured under load")
    head = ["ns", "TID, published", "TID here", "PID 0, published", "PID 0 here"]
    rows = [[name, *(cell for kind in ("tid", "pid0") for cell in (stats.number(PUBLISHED[kind][name]),
        str(stats.interval([one[kind][name] for one in data["rounds"]]))))]
        for name in ("samples", "mean", *stats.QUANTILES)] if data["rounds"] else []
    rows.append(["C, median", "", str(stats.interval([one["virt_tid"] for one in data["c"]])), "",
                 str(stats.interval([one["virt_pid0"] for one in data["c"]]))])
    return {"verdicts": {2: {"published": theirs, "ours": None}},
            "tables": [{"title": "clock_gettime on the caller's VIRT clock", "head": head, "rows": rows}],
            "why": "Each of JMH's samples includes a read of nanoTime(), which makes the share smaller than "
                   "in C. "
                   + (data["absent"] or "")}
