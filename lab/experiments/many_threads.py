# SPDX-License-Identifier: Apache-2.0
"""All threads at once, up to 10,000."""
from frame import page, stats, verdict
from frame.lab import CORE, Failure, NotRunnable

ROW = 16
OURS = "Reading all threads of a process takes less than a fifth of the time that their files in /proc take."
CONDITIONS = ("lab/programs/all_threads with 100, 1,000 and 10,000 threads; medians of 21 passes by turns, 5 "
              "processes")
FACTOR = 5
COUNTS = (100, 1000, 10000)
CODE = [*CORE, "lab/programs/all_threads.c"]
SECONDS = 19, 90


def run(lab):
    program = lab.c("all_threads", "native/test/loads.c")
    try:
        rounds = lab.rounds({f"{count:,} threads": lambda count=count: lab.json([program, count]) for count in
                             (COUNTS[:2] if lab.quick else COUNTS)}, 3 if lab.quick else 5)
    except Failure as failure:
        raise NotRunnable(f"so many threads cannot be started here: {failure}") from None
    return {"rounds": rounds}


def judge(data, quiet):
    ratios = {load: ratio(data, load) for load in data["rounds"][0]}
    worst = min(ratios.values(), key=lambda each: each.low)
    return {"ours": verdict.at_least(worst, FACTOR, quiet, "; ".join(
        f"{load}: /proc takes {each} x" for load, each in ratios.items())),
        "tables": [{"title": "microseconds a pass", "head": HEAD, "rows": rows(data)}]}


HEAD = ["", "bare system calls", "threadclock", "threadclock, a thread having started", "/proc",
        "/proc / threadclock"]


def ratio(data, load):
    return stats.ratio(*(stats.column(data["rounds"], load, way) for way in ("/proc", "threadclock")))


def rows(data):
    return [[load, *(str(stats.interval(stats.column(data["rounds"], load, name))) for name in found),
             str(ratio(data, load))] for load, found in data["rounds"][0].items()]


VIEWS = {"": lambda data: "Microseconds a pass over all threads of a process:\n\n" +
         page.markdown_table(HEAD, rows(data))}
