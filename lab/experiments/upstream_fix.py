# SPDX-License-Identifier: Apache-2.0
"""The upstream fix: HotSpot as it is, patched, and with the agent."""
import os

from experiments import rightness
from frame import jdks, stats, verdict
from frame.lab import QUICK, ROOT, NotRunnable

ROWS = (19,)
SOURCE = CLAIM = None
OURS = ("A HotSpot with the patch of upstream/27 splits as the kernel does without an agent; unpatched it "
        "does not.")
CONDITIONS = ("the copies of JDK 27 that upstream/build makes: Loads of row 14, and JMH AverageTime of user "
              "time, 3 rounds")
CODE = ["upstream/27", "lab/programs/java/Loads.java",
        "java/command/src/main/java/dev/threadclock/command/probe"]
SECONDS = 60, 120


def run(lab):
    folder = os.environ.get("THREADCLOCK_UPSTREAM") or ROOT / "build/upstream"
    found = {name: jdks.of(f"{folder}/jdks/{name}/jdk") for name in ("unpatched", "patched")}
    if not all(found.values()):
        where = os.path.relpath(folder, ROOT)
        raise NotRunnable(f"{where} has no patched HotSpot: run upstream/build, half an hour of CPU time")
    tick_ns, phase_ns = rightness.ticks(lab)
    subjects = {**{name: (jdk, None) for name, jdk in found.items()}, "unpatched, with threadclock": (
        found["unpatched"], "")}

    def measure(jdk, agent):
        lines = lab.java(jdk, "Loads", "alone", 500 if lab.quick else 2000, tick_ns, phase_ns, agent=agent)
        read = lab.jmh(jdk, r"UserTime\.user$", "avgt", QUICK, 1, agent)["user"]
        return {"loads": rightness.loads(lines), "ns": read["mean"]}
    return {"rounds": lab.rounds({name: lambda one=one: measure(*one) for name, one in subjects.items()}, 3)}


def judge(data, quiet):
    def wrong(name):
        return [load for one in data["rounds"] for load, found in one[name]["loads"].items()
                if found["on_time"] >= rightness.ON_TIME
                and not rightness.as_kernel(found["user"], found["kernel_user"], found["total"])]
    names = list(data["rounds"][0])
    rows = [[name, str(stats.interval([one[name]["ns"] for one in data["rounds"]])),
             ", ".join(sorted(set(wrong(name)))) or "right"] for name in names]
    return {"verdicts": {19: {"published": None,
                "ours": verdict.holds(not wrong("patched") and wrong("unpatched"),
                                      "; ".join(f"{row[0]}: {row[1]} ns, {row[2]}" for row in rows))}},
        "tables": [{"title": "JDK 27", "head": ["", "ns a read", "loads that it misjudges"],
                    "rows": rows}], "why": ""}
