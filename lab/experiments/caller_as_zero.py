# SPDX-License-Identifier: Apache-2.0
"""The caller's clock by PID 0 instead of its TID."""
from frame import stats, verdict

ROW = 2
SOURCE = "QuestDB blog, January 2026: Ryzen 9950X, JMH SampleTime"
CLAIM = "Naming the caller 0 saves the kernel the look-up of the TID: 13 % of a read (the means)."
CONDITIONS = "C: medians of blocks of reads, 5 runs"
UNIT_NS = 1
PUBLISHED = {"virt_tid": 81.746, "virt_pid0": 70.813}
FACTOR = PUBLISHED["virt_tid"] / PUBLISHED["virt_pid0"]
CODE = ["lab/programs/reads.c"]
SECONDS = 2, 35


def run(lab):
    command = [lab.c("reads"), "cost", 300 if lab.quick else 2000, *PUBLISHED, "getppid"]
    return {"c": [one["C"] for one in lab.rounds({"C": lambda: lab.json(command)}, 5)]}


def judge(data, quiet):
    of = {kind: stats.column(data["c"], kind) for kind in (*PUBLISHED, "getppid")}
    measured = stats.ratio(of["virt_tid"], of["virt_pid0"])
    # A gain of 13 % is small: what must be shown is that there is one at all, and of this order.
    theirs = verdict.at_least(measured, 1 + verdict.TOLERANCE * (FACTOR - 1),
                              True, f"medians: {measured} x; published {FACTOR:.2f} x")
    if not quiet and theirs.kind != verdict.UNDECIDED:
        theirs = verdict.Verdict(verdict.UNDECIDED, theirs.text + "; measured under load")
    rows = [[name, stats.number(PUBLISHED[kind]) if kind in PUBLISHED else "", str(stats.interval(of[kind]))]
            for name, kind in (("by TID", "virt_tid"), ("by PID 0", "virt_pid0"), ("getppid()", "getppid"))]
    return {"published": theirs,
            "tables": [{"title": "clock_gettime on the caller's VIRT clock",
                        "head": ["ns", "published, mean", "here"], "rows": rows}],
            "why": "Each published sample includes a read of nanoTime(), which makes the share smaller than "
                   "in C."}
