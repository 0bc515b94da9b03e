# SPDX-License-Identifier: Apache-2.0
"""Which clocks there are."""
import re

from frame import jdks, verdict
from frame.lab import CORE

ROW = 13
SOURCE = "Packagecloud blog and JDK-8372625"
CLAIM = ("JDK 6 had the flag UseLinuxPosixThreadCPUClocks off by default; later JDKs detect the clock and "
         "use it.")
OURS = "threadclock has a source for each quantity; the precise clock is at most a microsecond coarse."
CONDITIONS = ("clock_getres on each clock, pthread_getcpuclockid, threadclock_describe; -XX:+PrintFlagsFinal "
              "of each JDK")
FLAG = re.compile(r"^\s*bool UseLinuxPosixThreadCPUClocks\s.*=\s*(true|false)\b", re.M)
FINE_NS = 1000
CODE = [*CORE, "lab/programs/reads.c"]
SECONDS = 1, 5


def run(lab):
    found = lab.json([lab.c("reads"), "clocks"])
    flags = {}
    for jdk in lab.jdks:
        shown = FLAG.search(lab.run([jdk.java, "-XX:+PrintFlagsFinal", "-version"]))
        flags[str(jdk)] = shown[1] if shown else None
    return {**found, "flags": flags}


def judge(data, quiet):
    flags = data["flags"]
    known = {name: flag for name, flag in flags.items() if flag}
    theirs = verdict.absent("no JDK here has the flag (8 to 24)") if not known else verdict.holds(
        "false" not in known.values(),
        f"the flag is on in {jdks.short(known)}; the others have none; JDK 6 is not here")
    missing = [name for name, source in data["sources"].items() if source["source"] == "none"]
    fine = data["resolution_ns"]["sched"]
    rows = [[name, source["source"], source["system_calls"], f"{source['resolution_ns']:,}",
             f"{source['age_ns']:,}"] for name, source in data["sources"].items()]
    clocks = [[name, f"{ns:,}"] for name, ns in data["resolution_ns"].items()]
    return {"published": theirs, "ours": verdict.holds(
        data["getcpuclockid_is_precise"] and 0 < fine <= FINE_NS and not missing,
        f"precise to {fine} ns, ticks of {data['tick_ns']:,} ns; without a source: "
        f"{', '.join(missing) or 'none'}"),
        "tables": [{"title": "where threadclock takes each quantity from", "rows": rows, "head": [
            "", "source", "system calls", "resolution, ns", "age at most, ns"]},
                   {"title": "clock_getres", "head": ["clock", "ns"], "rows": clocks}]}
