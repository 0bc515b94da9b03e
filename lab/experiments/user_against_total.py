# SPDX-License-Identifier: Apache-2.0
"""User time against total, as first reported."""
from frame import stats, verdict
from frame.lab import OWN_READ, QUICK
from frame.machine import CPUS

ROW = 9
SOURCE = "JDK-8210452 (2018)"
CLAIM = "User time costs 30 to 400 times as much as total, and more so with concurrent readers."
OURS = "With threadclock user time costs less than the JDK's own total."
CONDITIONS = "JMH AverageTime of both reads by turns, 1 thread and twice the CPUs, 3 forks"
LEAST = 30
CODE = [*OWN_READ, "lab/programs/jmh/src"]
SECONDS = 35, 175


def run(lab):
    pair, reason = lab.pair()
    settings = QUICK if lab.quick else (1, 1, 2, 1)
    subjects = {}
    for kind, jdk in pair.items():
        for threads in (1,) if lab.quick else (1, 2 * CPUS):
            for agent in (None, ""):
                name = f"{jdk}, {threads} thread(s){'' if agent is None else ', with threadclock'}"
                subjects[name] = lambda jdk=jdk, threads=threads, agent=agent: {
                    read: one["mean"] for read, one in lab.bean(
                        jdk, "user|total", "avgt", settings, threads, agent).items()}
    return {"absent": reason if "legacy" not in pair else None, "legacy": str(pair.get("legacy", "")),
            "rounds": lab.rounds(subjects, 3)}


def judge(data, quiet):
    rounds = data["rounds"]
    of = {name: [stats.column(rounds, name, read) for read in ("user", "total")] for name in rounds[0]}
    ratios = {name: stats.ratio(*both) for name, both in of.items()}
    legacy = {name: each for name, each in ratios.items() if "threadclock" not in name
              and data["legacy"] and name.startswith(data["legacy"])}
    if data["absent"]:
        theirs = verdict.absent(data["absent"])
    else:
        least = min(legacy.values(), key=lambda each: each.value)
        theirs = verdict.published_factor(least, LEAST, quiet)
        theirs = verdict.Verdict(theirs.kind, "; ".join(f"{name}: {each} x" for name, each in legacy.items())
                                 + ", published 30 to 400 x" + ("" if quiet else "; measured under load"))
    worst = min((stats.ratio(of[name.removesuffix(", with threadclock")][1], user)
                 for name, (user, _) in of.items() if "threadclock" in name), key=lambda each: each.low)
    rows = [[name, *(str(stats.interval(values)) for values in of[name]), str(each)]
            for name, each in ratios.items()]
    ours = verdict.at_least(worst, 1, quiet, f"the JDK's total is at least {worst} x our user time")
    return {"published": theirs, "ours": ours,
        "tables": [{"title": "ns a read, means of forks", "head": ["", "user", "total", "user / total"],
            "rows": rows}],
        "why": "In 2018 a clock read on their machine took 70 ns; mitigations have made system calls dearer "
               "since, and the total costs one."}
