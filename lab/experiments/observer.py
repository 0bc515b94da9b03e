# SPDX-License-Identifier: Apache-2.0
"""What a pass over all threads costs, and top."""
import signal
import subprocess
import time

from frame import page, stats, verdict
from frame.lab import BUILD, CORE, JAR, library_java
from frame.machine import TICK, text

ROW = 17
OURS = "A pass over all threads costs less than half the CPU time that ThreadMXBean's takes on a legacy JDK."
CONDITIONS = (
    "200 idle threads and 4 that work, sampled from within at 10 and 100 Hz; and top beside a JVM with 1,000 "
    "sleeping threads, ten times a second: both processes' CPU time, top's own included, from its start on")
FACTOR = 2
HERTZ = (10, 100)
SLEEPERS, TOP_HERTZ = 1000, 10
CODE = [*CORE, *library_java("ThreadTimes", "internal/ThreadTable", "internal/JavaThreads"),
        "native/jvm/process_roster.c", "native/account/roster.c", "lab/programs/java/Reads.java",
        "java/command/src/main/java/dev/threadclock/command/top", "lab/programs/java/Costs.java",
        "java/command/src/main/java/dev/threadclock/command/sample",
        "java/command/src/main/java/dev/threadclock/command/interval"]
SECONDS = 30, 275


def process_seconds(pid):
    """The CPU time of a process and its ended children, by the scheduler's run times."""
    return sum(map(int, text(f"/proc/{pid}/stat").rpartition(")")[2].split()[11:15])) * TICK


def beside(lab, jdk, way, seconds):
    """The share of a CPU that a JVM with sleeping threads uses, with what watches it."""
    end = BUILD / "end"
    end.unlink(missing_ok=True)
    arguments = ["bean", end, SLEEPERS, TOP_HERTZ] if way == "bean" else ["until", end, SLEEPERS]
    options = ["-XX:+EnableDynamicAgentLoading"] if jdk.feature >= 21 else []
    command = [jdk.java, *options, "-cp", lab.class_file("Reads"), "Reads", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        watcher = None
        try:
            pid = child.stdout.readline().split()[1]
            time.sleep(2)
            began, before = time.monotonic(), process_seconds(pid)
            if way == "top":
                watcher = subprocess.Popen([lab.builder.java, "-XX:TieredStopAtLevel=1", "-jar", JAR, "top",
                pid, "--csv", "-i", str(1 / TOP_HERTZ)], stdout=subprocess.DEVNULL)
            time.sleep(seconds)
            own = process_seconds(watcher.pid) if watcher else 0.0
            used = process_seconds(pid) - before
            return {"jvm": used / (time.monotonic() - began), "watcher": own / (time.monotonic() - began)}
        finally:
            if watcher:
                watcher.send_signal(signal.SIGTERM)
                watcher.wait()
            end.touch()


def run(lab):
    jdk, seconds = lab.legacy(), 1 if lab.quick else 5

    def sampled(way, hertz):
        return {"pass_ns": float(lab.java(jdk, "Costs", "pass", way, hertz, 200, seconds)[0][0])}
    inside = lab.rounds({f"{way}, {hertz} Hz": lambda way=way, hertz=hertz: sampled(way, hertz)
                         for hertz in (HERTZ[-1:] if lab.quick else HERTZ)
                         for way in ("bean", "threadclock")}, 2 if lab.quick else 3)
    # top's start is part of its cost, so it is watched for longer than what has none.
    seconds = {"nothing": 10, "top": 40, "bean": 10} if not lab.quick else dict.fromkeys(WAYS, 2)
    outside = lab.rounds({way: lambda way=way: beside(lab, jdk, way, seconds[way])
                         for way in WAYS}, 2 if lab.quick else 3)
    return {"jdk": str(jdk), "inside": inside, "outside": outside, "seconds": seconds["top"]}


def judge(data, quiet):
    ratios = {hertz: stats.ratio(*(stats.column(data["inside"], f"{way}, {hertz} Hz", "pass_ns")
                                   for way in ("bean", "threadclock")))
              for hertz in HERTZ if f"bean, {hertz} Hz" in data["inside"][0]}
    worst = min(ratios.values(), key=lambda each: each.low)
    rows = [[name, str(stats.interval([one[name]["pass_ns"] / 1000 for one in data["inside"]]))]
            for name in data["inside"][0]]
    return {"ours": verdict.at_least(
        worst, FACTOR, quiet, "; ".join(f"{hertz} Hz: ThreadMXBean's pass costs {each} x"
                                        for hertz, each in ratios.items())),
        "tables": [
            {"title": f"from within, {data['jdk']}", "rows": rows,
             "head": ["", "CPU us a pass"]},
            {"title": f"top, {SLEEPERS:,} sleeping threads, % of a CPU", "head": HEAD,
             "rows": top_rows(data)}],
        "why": "top's own process starts a JVM: over a short look that start is most of its cost."}


HEAD = ["% of one CPU", "the JVM", "the process that looks", "together"]
WAYS = {"nothing": "alone", "top": "with `threadclock top`", "bean": "with ThreadMXBean, from within"}


def top_rows(data):
    return [[title, *(str(stats.interval([100 * total(one[way]) for one in data["outside"]])) for total in (
        lambda one: one["jvm"], lambda one: one["watcher"], lambda one: one["jvm"] + one["watcher"]))]
            for way, title in WAYS.items()]


VIEWS = {"top": lambda data: (
    f"{page.markdown_table(HEAD, top_rows(data))}\n\n{data['jdk']}, {SLEEPERS:,} sleeping threads, "
    f"{TOP_HERTZ} times a second, for {data['seconds']} s from top's start.")}
