# SPDX-License-Identifier: Apache-2.0
"""The upstream fix: HotSpot as it is, patched, and with the agent."""
import os

from experiments import rightness
from frame import jdks, stats, verdict
from frame.lab import ROOT, NotRunnable

ROW = 19
OURS = ("A HotSpot with the patch of upstream/ splits as the kernel does without an agent; unpatched it does "
        "not.")
CONDITIONS = ("the copies of JDK 27 or 26 that upstream/build makes: Loads of row 14, and JMH AverageTime of "
              "user time, 3 rounds")
CODE = [*rightness.WORK, "upstream/26", "upstream/27", "lab/programs/jmh/src"]
SECONDS = 45, 95
JMH = (1, .5, 1, .5)  # iterations and their seconds: warm-up, measurement


def built():
    """The unpatched and the patched copy of the newest JDK that was built."""
    named = os.environ.get("THREADCLOCK_UPSTREAM")
    for folder in [named] if named else [ROOT / "build/upstream", ROOT / "build/upstream/26"]:
        found = [jdks.of(f"{folder}/jdks/{name}/jdk") for name in ("unpatched", "patched")]
        if all(found):
            return found
    raise NotRunnable("there is no patched HotSpot here: run upstream/build, half an hour of CPU time")


def run(lab):
    unpatched, patched = built()
    tick_ns, phase_ns = rightness.ticks(lab)
    subjects = {"unpatched": (unpatched, None), "patched": (patched, None),
                "unpatched, with threadclock": (unpatched, "")}

    def measure(jdk, agent):
        lines = lab.java(jdk, "Loads", "alone", 500 if lab.quick else 1000, tick_ns, phase_ns, agent=agent)
        read = lab.bean(jdk, "user", "avgt", JMH, 1, agent)["user"]
        return {"loads": rightness.loads(lines), "ns": read["mean"]}
    return {"jdk": str(unpatched), "rounds": lab.rounds(
        {name: lambda one=one: measure(*one) for name, one in subjects.items()}, 3)}


def judge(data, quiet):
    def wrong(name):
        return [load for one in data["rounds"] for load, found in one[name]["loads"].items()
                if found["on_time"] >= rightness.ON_TIME
                and not rightness.as_kernel(found["user"], found["kernel_user"], found["total"])]
    names = list(data["rounds"][0])
    rows = [[name, str(stats.interval(stats.column(data["rounds"], name, "ns"))),
             ", ".join(sorted(set(wrong(name)))) or "right"] for name in names]
    text = "; ".join([data["jdk"], *(f"{row[0]}: {row[1]} ns, {row[2]}" for row in rows)])
    return {"ours": verdict.holds(not wrong("patched") and wrong("unpatched"), text),
        "tables": [{"title": data["jdk"], "head": ["", "ns a read", "loads that it misjudges"],
                    "rows": rows}]}
