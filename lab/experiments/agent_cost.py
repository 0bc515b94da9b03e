# SPDX-License-Identifier: Apache-2.0
"""What the agent costs a JVM, and what its reads cost there."""
import os
import re
import select
import time
import urllib.error
import urllib.request
from pathlib import Path

from frame import page, stats, verdict
from frame.lab import AGENT_JAR, BUILD, LIBRARY

ROWS = ()
SOURCE = CLAIM = None
OURS = ("On each JDK, reads of user time are cheaper with the agent: the own thread's, another's, and 1,000 "
        "ids at once.")
CONDITIONS = (
    "JVMs with and without the agent by turns: medians of batches that alternate in each JVM; start of a "
    "JVM, of a thread; clocks with reach=jvm")
READS = ("nanoTime", "own user", "own total", "another thread's user", "user of 1,000 ids")
CLOCKS = ("nanoTime", "currentTimeMillis", "parkUntil(1)", "parkNanos(1)")
PORT = 19465
# What a JVM with an empty program is started with, and from which JDK on.
FORMS = {
    "none": (8,), "`-agentpath`": (8, f"-agentpath:{LIBRARY}"),
    "`-agentpath`, `prometheus=0`": (8, f"-agentpath:{LIBRARY}=prometheus=0"),
    "`-agentpath`, `prometheus=`, scraped once": (8, f"-agentpath:{LIBRARY}=prometheus={PORT}"),
    "`-agentpath`, `virtual=on`": (21, f"-agentpath:{LIBRARY}=virtual=on"),
    "an empty Java agent": (8, f"-javaagent:{BUILD}/empty.jar"),
    "`-javaagent`": (8, f"-javaagent:{AGENT_JAR}"),
    "`-javaagent`, `prometheus=0`": (8, f"-javaagent:{AGENT_JAR}=prometheus=0")}
AOT_CACHES = 24
CODE = ["native/core", "native/jvm", "native/agent", "java/agent/src/main",
        "lab/programs/java/AgentCost.java",
        "lab/programs/java/Empty.java"]
SECONDS = 200, 700


def run(lab):
    def numbers(jdk, what, agent):
        return list(map(float, lab.java(jdk, "AgentCost", what, agent=agent)[0]))

    def measure(jdk, agent):
        return {
            "reads": dict(zip(READS, numbers(jdk, "reads", "total=interpolated" if agent == "" else agent))),
            "thread_us": numbers(jdk, "threads", agent)[0],
            "clocks": dict(zip(CLOCKS, numbers(jdk, "clocks", "reach=jvm" if agent == "" else agent)))}
    def started(jdk, *flags):
        """CPU ms, ms and MB of a JVM from its start to its end, whatever its wrapper takes included."""
        quiet = [(os.POSIX_SPAWN_OPEN, each, "/dev/null", os.O_WRONLY, 0) for each in (1, 2)]
        command = [str(jdk.java), *map(str, flags), "-cp", f"{BUILD}/empty.jar", "Empty"]
        began = time.monotonic()
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
        if any(str(flag).endswith(f"={PORT}") for flag in flags):
            scrape()
        memory = high_water(pid)
        used = os.wait4(pid, 0)[2]
        return (used.ru_utime + used.ru_stime) * 1000, (time.monotonic() - began) * 1000, memory

    def forms(jdk):
        classes = lab.class_file("Empty").partition(":")[0]
        (BUILD / "manifest").write_text("Premain-Class: Empty\n")
        lab.run([lab.builder.home / "bin/jar", "cfm", BUILD / "empty.jar", BUILD / "manifest", "-C", classes,
                 "Empty.class"])
        caches = {"": ()}
        if jdk.feature >= AOT_CACHES:
            cache = BUILD / f"empty-{jdk.feature}"
            started(jdk, "-XX:AOTMode=record", f"-XX:AOTConfiguration={cache}.conf")
            started(jdk, "-XX:AOTMode=create", f"-XX:AOTConfiguration={cache}.conf",
                    f"-XX:AOTCache={cache}.aot")
            caches["aot"] = (f"-XX:AOTCache={cache}.aot",)
        ways = {form: flags for form, (since, *flags) in FORMS.items() if jdk.feature >= since}
        return [{cache + form: started(jdk, *more, *flags) for cache, more in caches.items()
                 for form, flags in ways.items()} for _ in range(9 if lab.quick else 25)]
    found = {}
    for jdk in lab.chosen():
        found[str(jdk)] = {"legacy": jdk.legacy, "forms": forms(jdk), "rounds": lab.rounds(
                {"without": lambda jdk=jdk: measure(jdk, None), "with": lambda jdk=jdk: measure(jdk, "")}, 3,
                f"{jdk}, ")}
    return {"jdks": found}


def scrape():
    """As soon as something listens."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(200):
        try:
            return direct.open(f"http://127.0.0.1:{PORT}/metrics", timeout=30).read()
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
            time.sleep(0.01)
    raise RuntimeError(f"nothing listens on port {PORT}")


def high_water(pid):
    """MB; the most that was seen until the process ends. What wait4 says begins with the parent's memory."""
    memory, process = 0, os.pidfd_open(pid)
    while not select.select([process], [], [], 0.02)[0]:
        status = Path(f"/proc/{pid}/status").read_text()
        memory = max([memory, *(int(kb) / 1024 for kb in re.findall(r"VmHWM:\s+(\d+)", status))])
    os.close(process)
    return memory


def ratio(rounds, part, name, above="without", below="with"):
    return stats.ratio([one[above][part][name] for one in rounds], [one[below][part][name] for one in rounds])


def judge(data, quiet):
    ratios = {f"{jdk}, {read}": ratio(one["rounds"], "reads", read)
              for jdk, one in data["jdks"].items() for read in READS if "user" in read}
    name, worst = min(ratios.items(), key=lambda each: each[1].low)
    return {"verdicts": {0: {"published": None, "ours": verdict.at_least(worst, 1, quiet,
    f"least: {name}: {worst} x")}}, "tables": [{"title": "ns a read", "head": HEAD, "rows": rows(data)},
    {"title": "the agent in a JVM", "head": PRESENCE, "rows": presence(data)}], "why": ""}


START = ["JDK", "form", "CPU time, ms", "CPU time with an AOT cache, ms", "memory, MB"]
HEAD = ["JDK", "", "without, ns", "with the agent, ns", "times less", "x nanoTime"]
PRESENCE = ["JDK", "a thread's start and end, us",
            "more with the agent", "nanoTime with reach=jvm"]


def rows(data):
    def of(rounds, way, read):
        return [one[way]["reads"][read] for one in rounds]
    found = []
    for jdk, one in data["jdks"].items():
        for read in READS[1:]:
            without, with_agent = (of(one["rounds"], way, read) for way in ("without", "with"))
            nano = stats.ratio(with_agent, of(one["rounds"], "with", "nanoTime")).value
            found.append([jdk, read, str(stats.interval(without)), str(stats.interval(with_agent)),
                          stats.number(stats.ratio(without, with_agent).value), f"{nano:.2f}"])
    return found


def presence(data):
    def both(rounds, name):
        return (str(stats.interval([one["without"][name] for one in rounds])),
                str(stats.interval([one["with"][name] - one["without"][name] for one in rounds])))
    return [[jdk, *both(one["rounds"], "thread_us"),
             f"{ratio(one['rounds'], 'clocks', 'nanoTime', 'with', 'without')} x"]
            for jdk, one in data["jdks"].items()]


def starts(data):
    found = []
    for jdk, one in data["jdks"].items():
        for form in FORMS:
            def of(which, cache="", one=one, form=form):
                """What it costs more than none, or what none costs."""
                if any(cache + form not in each for each in one["forms"]):
                    return ""
                each = [(start[cache + form][which], start[cache + "none"][which]) for start in one["forms"]]
                middle = sorted(took - (without if form != "none" else 0) for took, without in each)
                return f"{'' if form == 'none' else '+'}{middle[len(middle) // 2]:.0f}".replace("+-", "-")
            if of(0):
                found.append([jdk, form, of(0), of(0, "aot"), of(2)])
    return found


def of_newest(rows):
    return [row for row in rows if row[0] == rows[-1][0]]


def newest(data):
    """Of the JDKs that read /proc, and of those that read the clock, the newest: enough for a page."""
    names = {one["legacy"]: jdk for jdk, one in data["jdks"].items()}.values()
    return {"jdks": {jdk: data["jdks"][jdk] for jdk in names}}


VIEWS = {"reads": lambda data: page.markdown_table(HEAD, rows(newest(data))),
         "starts": lambda data: page.markdown_table(START, of_newest(starts(data))),
         "presence": lambda data: page.markdown_table(PRESENCE, presence(newest(data)))}
