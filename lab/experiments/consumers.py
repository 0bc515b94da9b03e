# SPDX-License-Identifier: Apache-2.0
"""Who takes the slow path."""
import re

from frame import verdict
from frame.lab import BUILD, READ_CODE, Failure, jfr_settings

ROW = 12
SOURCE = "openjdk/jdk25u-dev 621"
CLAIM = (
    "Four consumers take the path: JMX ThreadMXBean, JVMTI GetThreadCpuTime, the JFR thread CPU load event, "
    "the JFR CPU-time sampler.")
OURS = "With threadclock no way of JMX takes it."
CONDITIONS = "strace counts openings of /proc/self/task/TID/stat: 1,000 reads, or 3 s of a recording at 10 Hz"
JMX = {"user": "getCurrentThreadUserTime()", "userById": "getThreadUserTime(id)",
       "userOfArray": "getThreadUserTime(ids)", "proxy": "the same by a JMX proxy"}
EVENTS = {"jdk.ThreadCPULoad": "period", "jdk.CPUTimeSample": "throttle"}
STAT_FILE = r'"/proc/(self|\d+)/task/\d+/stat"'
READS, SECONDS_RECORDED, STRAY = 1000, 3, 10
CODE = [*READ_CODE, "lab/programs/java/Reads.java", "lab/programs/for_java.c"]
SECONDS = 12, 35


def run(lab):
    strace, trace, jdk = lab.tool("strace"), BUILD / "trace", lab.legacy()

    def opened(arguments, agent, options=()):
        lab.java(jdk, "Reads", *arguments, agent=agent, options=options, wrap=[
            strace, "-f", "-qq", "-e", "trace=open,openat", "-e", "signal=none", "-o", trace])
        return len(re.findall(STAT_FILE, trace.read_text()))
    found, notes = {}, []
    for name, agent in (("as it is", None), ("with threadclock", "")):
        found |= {f"{title}, {name}": opened(("count", way, READS), agent) for way, title in JMX.items()}
        found[f"JVMTI GetThreadCpuTime, {name}"] = opened(
            ("count", "jvmti", READS), agent, (f"-agentpath:{lab.jvmti()}",))
        for event, setting in EVENTS.items() if agent is None else ():
            settings = jfr_settings(event, setting, "100 ms" if setting == "period" else "10ms")
            if event == "jdk.CPUTimeSample" and jdk.feature < 25:
                notes.append(f"{jdk} has no {event}")
                continue
            try:
                found[f"JFR {event}, {name}"] = opened(("seconds", "busy", SECONDS_RECORDED), agent, (
                    f"-XX:StartFlightRecording=settings={settings},filename={BUILD / 'lab.jfr'}",))
            except Failure as failure:
                notes.append(f"{jdk} makes no recording of {event}: {failure}")
    return {"jdk": str(jdk), "opened": found, "notes": notes}


def judge(data, quiet):
    opened, plain = data["opened"], ", as it is"
    takers = {name.removesuffix(plain): count > STRAY
              for name, count in opened.items() if name.endswith(plain)}
    groups = {"JMX ThreadMXBean": all(takers[title] for title in JMX.values()),
              **{name: taken for name, taken in takers.items() if name not in JMX.values()}}
    theirs = verdict.holds(len(groups) == 4 and all(groups.values()), ", ".join(
        f"{name} {'does' if taken else 'does not'}" for name, taken in groups.items()))
    ours = [name for name, count in opened.items()
            if count > STRAY and name.endswith("with threadclock") and not name.startswith("JFR")]
    return {"published": theirs, "ours": verdict.holds(
        not ours, f"{data['jdk']}; still: {', '.join(ours) or 'none'}"),
        "tables": [{"title": f"stat files opened by {data['jdk']}", "head": ["", "times"],
                    "rows": [[name, f"{count:,}"] for name, count in opened.items()]}],
        "why": "JVMTI GetThreadCpuTime and the CPU-time sampler ask for the total only, which never came "
               "from /proc. "
               + "; ".join(data["notes"])}
