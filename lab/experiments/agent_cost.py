# SPDX-License-Identifier: Apache-2.0
"""What the agent costs a JVM, and what its reads cost there."""
import re
import resource
import statistics
import subprocess
import time
import urllib.request
from pathlib import Path

from experiments import rightness
from frame import page, stats, verdict
from frame.lab import AGENT_JAR, BUILD, CORE, LIBRARY, Failure

OURS = ("On each JDK, reads of user time are cheaper with the agent: the own thread's, another's, and 1,000 "
        "ids at once.")
CONDITIONS = (
    "JVMs with and without the agent by turns: medians of batches that alternate in each JVM")
READS = ("nanoTime", "own user", "own total", "another thread's user", "user of 1,000 ids")
PORT = 19465
# What a JVM with an empty program is started with, and from which JDK on.
FORMS = {
    "none": (8,), "`-agentpath`": (8, f"-agentpath:{LIBRARY}"),
    "`-agentpath`, `prometheus=`, scraped once": (8, f"-agentpath:{LIBRARY}=prometheus={PORT}"),
    "`-agentpath`, both": (21, f"-agentpath:{LIBRARY}=prometheus=0,virtual=on"),
    "an empty Java agent": (8, f"-javaagent:{BUILD}/empty.jar"),
    "`-javaagent`": (8, f"-javaagent:{AGENT_JAR}"),
    "`-javaagent`, both": (21, f"-javaagent:{AGENT_JAR}=prometheus=0,virtual=on")}
APP_CDS, AOT_CACHES = 17, 24
SETTLED_S = .1
VALUES = "start, CPU ms", "start, ms", "MB", "end, CPU ms", "end, ms"
CODE = [*CORE, "native/jvm", "native/agent", "java/agent/src/main",
        "lab/programs/java/Costs.java", "lab/programs/java/Empty.java", f"{rightness.PROBE}/ReadCost.java"]
SECONDS = 150, 265


def run(lab):
    shown = lab.pair()[0].values() # on a page; the others have a verdict only

    def numbers(jdk, what, agent):
        return list(map(float, lab.java(jdk, "Costs", what, agent=agent)[0]))

    def measure(jdk, agent):
        reads = numbers(jdk, "reads", "total=interpolated" if agent == "" else agent)
        return {"reads": dict(zip(READS, reads)),
                **({"thread_us": numbers(jdk, "threads", agent)[0]} if jdk in shown else {})}

    def started(jdk, *flags):
        """A JVM's CPU ms, ms and MB until it waits in main, and CPU ms and ms for its end."""
        command, before = [jdk.java, *flags, "-cp", f"{BUILD}/empty.jar", "Empty"], children_ms()
        began = time.monotonic()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as jvm:
            while (said := jvm.stdout.read(1)) not in (b"\0", b""): # the JVM's own lines come before
                pass
            if not said:
                raise Failure(f"{' '.join(map(str, command))} does not start")
            ready = time.monotonic()
            if any(str(flag).endswith(f"={PORT}") for flag in flags):
                proxyless.open(f"http://127.0.0.1:{PORT}/metrics", timeout=30).read()
            time.sleep(SETTLED_S)
            used, memory = cpu_ms(jvm.pid), high_water(jvm.pid)
            ending = time.monotonic()
            jvm.stdin.close()
            jvm.wait()
            ended = time.monotonic()
        return used, (ready - began) * 1000, memory, children_ms() - before - used, (ended - ending) * 1000

    def archives(jdk, ways):
        """{what it runs from: {form: flags}}; the archives are made by a run of the same program."""
        def made(file, *steps):
            for flags in steps:
                subprocess.run([jdk.java, *flags, "-cp", f"{BUILD}/empty.jar", "Empty"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return Path(file).exists()

        def aot(cache, flags):
            configuration = f"-XX:AOTConfiguration={cache}.conf"
            return made(cache, ("-XX:AOTMode=record", configuration, *flags),
                        ("-XX:AOTMode=create", configuration, f"-XX:AOTCache={cache}", *flags))

        file = BUILD / f"empty-{jdk.feature}"
        found = {"CDS": {form: () for form in ways}}
        for old in BUILD.glob(f"{file.name}*"):
            old.unlink()
        if jdk.feature >= APP_CDS and made(f"{file}.jsa", [f"-XX:ArchiveClassesAtExit={file}.jsa"]):
            found["AppCDS"] = {form: (f"-XX:SharedArchiveFile={file}.jsa",) for form in ways}
        if jdk.feature >= AOT_CACHES and aot(f"{file}.aot", ()):
            found["AOT"] = {form: (f"-XX:AOTCache={file}.aot",) for form in ways}
            found["AOT with"] = {form: (f"-XX:AOTCache={file}-{number}.aot",)
                                 for number, (form, flags) in enumerate(ways.items())
                                 if aot(f"{file}-{number}.aot", flags)}
        return found

    def starts(jdk):
        """{archive: {form: [values of started]}}: medians of what each costs more than none, and of none."""
        classes = lab.class_file("Empty").partition(":")[0]
        (BUILD / "manifest").write_text("Premain-Class: Empty\n")
        lab.run([lab.builder.home / "bin/jar", "cfm", BUILD / "empty.jar", BUILD / "manifest", "-C", classes,
                 "Empty.class"])
        ways = {form: flags for form, (since, *flags) in FORMS.items() if jdk.feature >= since}
        made = archives(jdk, ways)
        rounds = [{archive: {form: started(jdk, *flags, *ways[form]) for form, flags in used.items()}
                   for archive, used in made.items()} for _ in range(5 if lab.quick else 11)]
        return {archive: {form: [statistics.median(
            one[archive][form][value] - (one[archive]["none"][value] if form != "none" else 0)
            for one in rounds) for value in range(len(VALUES))] for form in used}
            for archive, used in made.items()}

    proxyless, found = urllib.request.build_opener(urllib.request.ProxyHandler({})), {}
    for jdk in lab.chosen():
        found[str(jdk)] = lab.rounds(
            {"without": lambda jdk=jdk: measure(jdk, None), "with": lambda jdk=jdk: measure(jdk, "")},
            3 if lab.quick or jdk not in shown else 5, f"{jdk}, ")
    newest = lab.newest()
    return {"jdks": found, "shown": [str(jdk) for jdk in shown],
        "starts": {"jdk": str(newest), "forms": starts(newest)}}


def cpu_ms(pid):
    """By the process's clock; see CPUCLOCK_SCHED in the kernel's posix-timers_types.h."""
    return time.clock_gettime(~pid << 3 | 2) * 1000


def children_ms():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def high_water(pid):
    """MB. What wait4 says begins with the parent's memory."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def ratio(rounds, part, name, above="without", below="with"):
    return stats.ratio([one[above][part][name] for one in rounds], [one[below][part][name] for one in rounds])


def judge(data, quiet):
    ratios = {f"{jdk}, {read}": ratio(rounds, "reads", read)
              for jdk, rounds in data["jdks"].items() for read in READS if "user" in read}
    name, worst = min(ratios.items(), key=lambda each: each[1].low)
    return {"ours": verdict.at_least(worst, 1, quiet, f"least: {name}: {worst} x"),
        "tables": [{"title": "ns a read", "head": HEAD, "rows": rows(data)},
                   {"title": "the agent in a JVM", "head": PRESENCE, "rows": presence(data)},
                   {"title": data["starts"]["jdk"], "head": START, "rows": starts(data)}]}


ARCHIVES = {"CDS": "CDS", "AppCDS": "AppCDS", "AOT": "AOT cache", "AOT with": "AOT cache made with it"}
START = ["form", *(f"{VALUES[0]}: {name}" for name in ARCHIVES.values()),
         *(f"{VALUES[value]}: CDS" for value in (1, 3, 4, 2))]
HEAD = ["JDK", "", "without, ns", "with the agent, ns", "times less", "x nanoTime"]
PRESENCE = ["JDK", "a thread's start and end, us", "more with the agent", "nanoTime with the agent"]


def rows(data, only=None):
    found = []
    for jdk in only or data["jdks"]:
        rounds = data["jdks"][jdk]
        for read in READS[1:]:
            without, with_agent, nano = (stats.column(rounds, *path) for path in (
                ("without", "reads", read), ("with", "reads", read), ("with", "reads", "nanoTime")))
            found.append([jdk, read, str(stats.interval(without)), str(stats.interval(with_agent)),
                          stats.number(stats.ratio(without, with_agent).value),
                          f"{stats.ratio(with_agent, nano).value:.2f}"])
    return found


def presence(data):
    found = []
    for jdk in data["shown"]:
        rounds = data["jdks"][jdk]
        without, with_agent = (stats.column(rounds, way, "thread_us") for way in ("without", "with"))
        more = stats.difference([more - less for more, less in zip(with_agent, without)])
        found.append([jdk, str(stats.interval(without)), str(more),
                      f"{ratio(rounds, 'reads', 'nanoTime', 'with', 'without')} x"])
    return found


def starts(data):
    forms = data["starts"]["forms"]

    def cell(archive, form, value):
        if form not in forms.get(archive, {}):
            return ""
        milliseconds = forms[archive][form][value]
        return f"{milliseconds:.0f}" if form == "none" else f"{milliseconds:+.0f}".replace("-0", "+0")
    return [[form, *(cell(archive, form, 0) for archive in ARCHIVES),
             *(cell("CDS", form, value) for value in (1, 3, 4, 2))] for form in forms["CDS"]]


VIEWS = {"reads": lambda data: page.markdown_table(HEAD, rows(data, data["shown"])),
         "starts": lambda data: page.markdown_table(START, starts(data)) + f"\n\n{data['starts']['jdk']}.",
         "presence": lambda data: page.markdown_table(PRESENCE, presence(data))}
