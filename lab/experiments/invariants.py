# SPDX-License-Identifier: Apache-2.0
"""The invariants of thread times."""
from frame import verdict
from frame.lab import READ_CODE

ROW = 11
SOURCE = "OpenJDK's tests ThreadUserTime, ThreadCpuTime and ThreadCpuTimeArray"
CLAIM = ("-1 while disabled, never negative once enabled, never decreasing: on each JDK. User within CPU "
         "time as well.")
OURS = "All of them hold on each JDK with threadclock."
CONDITIONS = "three threads that work around ticks, in user mode and in the kernel, read each millisecond"
CODE = [*READ_CODE, "lab/programs/java/Invariants.java"]
SECONDS = 6, 60


def run(lab):
    milliseconds, found = 1500 if lab.quick else 3000, {}
    for jdk in lab.chosen():
        for agent in (None, ""):
            lines = lab.java(jdk, "Invariants", milliseconds, agent=agent)
            found[f"{jdk}{'' if agent is None else ', with threadclock'}"] = {
                "kind": "ours" if agent == "" else "legacy" if jdk.legacy else "virt", "broken": {
                    line[1]: [int(line[2]), int(line[3])] for line in lines
                    if line[0] in ("holds", "broken")}}
    return {"found": found}


def judge(data, quiet):
    broken = {name: [invariant for invariant, (_, times) in one["broken"].items() if times]
              for name, one in data["found"].items()}
    kinds = {name: one["kind"] for name, one in data["found"].items()}
    plain = [name for name in broken if kinds[name] != "ours" and broken[name]]
    if "virt" not in kinds.values():
        theirs = verdict.absent("without a JDK from 25.0.5 on nothing is at stake: legacy JDKs keep them")
    else:
        theirs = verdict.holds(not plain, "all hold" if not plain else "; ".join(
            f"{name}: {', '.join(broken[name])}" for name in plain))
    wrong = [name for name in broken if kinds[name] == "ours" and broken[name]]
    names = list(next(iter(data["found"].values()))["broken"])
    rows = [[name, *(f"{one['broken'][each][1]:,} of {one['broken'][each][0]:,}" for each in names)]
            for name, one in data["found"].items()]
    text = "; ".join(f"{name}: {', '.join(broken[name])}" for name in wrong)
    text = text or f"on {list(kinds.values()).count('ours')} JDKs"
    return {"published": theirs, "ours": verdict.holds(not wrong, text),
        "tables": [{"title": "how often each was broken", "head": ["", *names], "rows": rows}],
        "why": "OpenJDK's test of user time compares it with nothing. The VIRT clock counts ticks, so a "
               "thread that works only around them has more user time than CPU time."}
