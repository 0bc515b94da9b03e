# SPDX-License-Identifier: Apache-2.0
"""Which implementation answers."""
import json
import subprocess

from frame import jdks, verdict
from frame.lab import BUILD, JAR, LIBRARY, READ_CODE

ROW = 10
SOURCE = "openjdk/jdk25u-dev 621, nm on libjvm"
CLAIM = "The baseline has the symbol slow_thread_cpu_time, the fix thread_cpu_time(clockid_t)."
OURS = ("With the agent, both native methods of ThreadImpl for user time are bound to threadclock, on each "
        "JDK.")
CONDITIONS = ("nm -C on each libjvm.so that has symbols, else the name of the /proc file in it; threadclock "
              "status")
CODE = [*READ_CODE, "java/agent/src/main", "java/command/src/main/java/dev/threadclock/command/attach"]
SECONDS = 1, 15


def run(lab):
    nm = lab.tool("nm", "binutils")
    found = {}
    for jdk in lab.chosen():
        listed = lab.run([nm, "-C", jdk.libjvm], check=False)[1].splitlines()
        symbols = [line.split(maxsplit=2)[-1] for line in listed if "thread_cpu_time" in line]
        found[str(jdk)] = {"legacy": jdk.legacy, "symbols": symbols, "bound": bound(lab, jdk)}
    return {"jdks": found}


def bound(lab, jdk):
    """What threadclock status says of a JVM with the agent."""
    end = BUILD / "end"
    end.unlink(missing_ok=True)
    command = [jdk.java, f"-agentpath:{LIBRARY}", "-cp", lab.class_file("Reads"), "Reads", "until", end]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            pid = process.stdout.readline().split()[1]
            status = lab.run([lab.builder.java, "-jar", JAR, "status", "--json", pid])
        finally:
            end.touch()
    return json.loads(status)["bound"]


def judge(data, quiet):
    stripped = [name for name, one in data["jdks"].items() if not one["symbols"]]
    shown = {name: any("slow_thread_cpu_time" in symbol for symbol in one["symbols"])
             for name, one in data["jdks"].items() if one["symbols"]}
    kinds = {data["jdks"][name]["legacy"] for name in shown}
    if len(kinds) < 2:
        theirs = verdict.absent(
            f"symbols are in those of {jdks.short(shown)}: one of each kind is needed")
    else:
        wrong = [name for name, slow in shown.items() if slow != data["jdks"][name]["legacy"]]
        theirs = verdict.holds(not wrong,
                               f"with symbols: {jdks.short(shown)}; contradicted by {wrong or 'none'}")
    user = {name: [owner for method, owner in one["bound"].items() if "User" in method]
            for name, one in data["jdks"].items()}
    wrong = [name for name, owners in user.items() if not owners or not all(
        "threadclock" in one for one in owners)]
    rows = [[name, "/proc" if one["legacy"] else "VIRT clock", "; ".join(one["symbols"]) or "stripped",
             ", ".join(f"{method}: {owner}" for method, owner in one["bound"].items())]
            for name, one in data["jdks"].items()]
    text = f"{len(user) - len(wrong)} of {len(user)} JDKs{', not ' + ', '.join(wrong) if wrong else ''}"
    return {"published": theirs, "ours": verdict.holds(not wrong, text),
        "tables": [{"title": "in the binary, and bound with the agent",
                    "head": ["JDK", "user time from", "symbols", "bound"], "rows": rows}],
        "why": f"Distributions strip libjvm.so: here {jdks.short(stripped)}."}
