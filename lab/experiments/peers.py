# SPDX-License-Identifier: Apache-2.0
"""Other tools on the same threads, against the kernel's clock of each."""
import json
import re
import subprocess
import time
import zipfile
from pathlib import Path

from experiments import rightness
from frame import page, verdict
from frame.lab import BUILD, JAR, Failure

ROWS = ()
SOURCE = CLAIM = None
OURS = ("top's CPU time of a thread is within 10 % of the kernel's clock, and all of it is user time if the "
        "thread works around ticks.")
CONDITIONS = (
    "the program Loads: a thread that works around ticks, one between them, both in user mode, and one in "
    "the kernel. The truth is each thread's schedstat over the run of a tool, which covers its own look")
CODE = ["native/core", "java/command/src/main/java/dev/threadclock/command/sample", "lab/programs/java",
        "lab/programs/jmh/pom.xml"]
SECONDS = 150, 900
THREADS = "around", "between", "system"
NEAR = .1
ARTHAS = "com.taobao.arthas:arthas-packaging:4.1.4:zip:bin"
# What each has that threadclock's commands do not show.
BETTER = {
    "threadclock top": "",
    "ThreadMXBean": "needs nothing but the JDK",
    "async-profiler 4.6, event=cpu": "the code, to the line; spans",
    "OSHI 7.5, JNA": "Windows, macOS; needs nothing in the JVM",
    "Arthas 4.1.4, thread -n": "locks and monitors; the blocking thread",
    "SJK 0.23, ttop": "bytes allocated by each thread"}
NOTES = """Not measured: OSHI with FFM (`oshi-core-ffm`), which the Maven repository used here does not have;
RETIT's OpenTelemetry extension, which is in GitHub Packages only and needs an account there; vthreadtime,
of which no package was found."""


def look(lab):
    """In ms: long, because the truth covers a tool's start, too."""
    return 3000 if lab.quick else 10_000


def truth(pid):
    """{thread: run time, user, system}, in ns: precise, and the kernel's split in steps of 10 ms."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        name = (task / "comm").read_text().strip()
        if name in THREADS:
            split = (task / "stat").read_text().rpartition(")")[2].split()[11:13]
            found[name] = [int((task / "schedstat").read_text().split()[0]),
                           *(int(ticks) * rightness.STEP_NS for ticks in split)]
    return found


def beside(lab, jdk, tool, ticks):
    """What a tool says of the running program, and the truth; both as shares of a CPU: total, user."""
    command = [jdk.java, "-XX:+EnableDynamicAgentLoading", "-cp", lab.class_file("Loads"), "Loads",
               "together", "900000", *map(str, ticks)]
    if jdk.feature < 21:
        del command[1]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        try:
            while len(before := truth(child.pid)) < len(THREADS):
                time.sleep(.1)
                if child.poll() is not None:
                    raise Failure("the program Loads has ended")
            began = time.monotonic_ns()
            said = tool(child.pid)
            elapsed, after = time.monotonic_ns() - began, truth(child.pid)
        finally:
            child.kill()
    return {"said": said, "truth": {name: [(after[name][i] - before[name][i]) / elapsed for i in range(3)]
                                    for name in THREADS}}


def within(lab, jdk, ticks, library):
    """ThreadMXBean's own figures, or async-profiler's samples, of the whole run of the program."""
    file = BUILD / "collapsed.txt"
    options = [f"-agentpath:{library}=start,event=cpu,interval=1ms,threads,collapsed,file={file}"
               ] if library else []
    lines = lab.java(jdk, "Loads", "together", look(lab), *ticks, options=options)
    said, real = {}, {}
    for name, load in rightness.loads([line for line in lines if line[0] == "load"]).items():
        real[name] = [load["total"], load["kernel_user"], load["kernel_system"]]
        samples = sum(int(line.split()[-1]) for line in file.read_text().splitlines()
                      if line.startswith(f"[{name} ")) if library else 0
        said[name] = [samples * 1e6, None] if library else [load["total"], load["user"]]
    return {"said": said, "truth": real}


def top(lab, pid):
    found = lab.json([lab.builder.java, "-jar", JAR, "top", pid, "--json", "-n", 1, "-d", f"{look(lab)}ms"])
    return {one["name"]: [one["totalNanos"] / found["nanos"], one["userNanos"] / found["nanos"]]
            for one in found["threads"]}


def oshi(lab, pid):
    lines = lab.source(lab.builder, "Peers", "oshi", pid, look(lab), path=f"{JAR}:{lab.benchmarks}")
    elapsed = next(int(line[1]) for line in lines if line[0] == "elapsed")
    return {name: [(int(user) + int(system)) / elapsed, int(user) / elapsed]
            for word, name, user, system in (line for line in lines if line[0] == "thread")}


def arthas(lab, pid):
    home = BUILD / "arthas"
    if not (home / "arthas-boot.jar").exists():
        lab.run([lab.tool("mvn", "maven"), "-q", "-B", "dependency:get", "-Dtransitive=false",
                 f"-Dartifact={ARTHAS}"])
        group, name, version, kind, classifier = ARTHAS.split(":")
        with zipfile.ZipFile(Path.home() / ".m2/repository" / group.replace(".", "/") / name / version /
                             f"{name}-{version}-{classifier}.{kind}") as packed:
            packed.extractall(home)
    said = lab.run([lab.builder.java, "-jar", home / "arthas-boot.jar", "--arthas-home", home, "--target-ip",
                    "127.0.0.1", "--telnet-port", 33658, "--http-port", -1, "-c",
                    f"thread -n 9 -i {look(lab)};stop", pid])
    return {name: [float(share) / 100, None]
            for name, share in re.findall(r'^"(\S+)" Id=\d+ cpuUsage=([\d.]+)%', said, re.M)}


def sjk(lab, pid):
    """Its first report, which is complete when the second begins: ttop itself does not end."""
    command = ["timeout", 90, lab.builder.java, "-cp", lab.benchmarks, "org.gridkit.jvmtool.SJK", "ttop",
               "-p", pid, "-n", 30, "-ri", f"{look(lab)}ms"]
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True) as process:
        said, reports = [], 0
        for line in process.stdout:
            said.append(line)
            reports += "Process summary" in line
            if reports == 2:
                process.terminate()
                break
    return {name: [(float(user) + float(system)) / 100, float(user) / 100] for user, system, name in
            re.findall(r"^\[\d+\] user= *([\d.-]+)% sys= *([\d.-]+)%.* - (\S+)$", "".join(said), re.M)}


OUTSIDE = {"threadclock top": top, "OSHI 7.5, JNA": oshi, "Arthas 4.1.4, thread -n": arthas,
           "SJK 0.23, ttop": sjk}


def run(lab):
    ticks, library, rounds = rightness.ticks(lab), lab.async_profiler(), 1 if lab.quick else 3
    data = {"jdks": {}, "within": {}}
    for jdk in lab.pair()[0].values():
        subjects = {name: lambda tool=tool: beside(lab, jdk, lambda pid: tool(lab, pid), ticks)
                    for name, tool in OUTSIDE.items()}
        subjects["ThreadMXBean"] = lambda: within(lab, jdk, ticks, None)
        subjects["async-profiler 4.6, event=cpu"] = lambda: within(lab, jdk, ticks, library)
        data["jdks"][str(jdk)] = lab.rounds(subjects, rounds)
    newest, file = lab.newest(17), BUILD / "spans.jfr"
    for name, arguments in (("Micrometer 1.17.2, jvm.gc.cpu.time", ["gc", look(lab)]),
                            ("async-profiler 4.6, spans", ["span", look(lab), library, file])):
        line = next(line for line in lab.source(
            newest, "Peers", *arguments, path=f"{JAR}:{lab.benchmarks}") if line[0] == "reported")
        data["within"][name] = [float(word) for word in line[1:4]]
    spans = json.loads(lab.run([newest.home / "bin/jfr", "print", "--json", "--events", "profiler.Span",
                                file]))["recording"]["events"]
    data["within"]["async-profiler 4.6, spans"][0] = 1e9 * sum(
        float(one["values"]["duration"].removeprefix("PT").removesuffix("S")) for one in spans)
    return {**data, "newest": str(newest)}


def means(rounds, tool, thread):
    """CPU time over the truth; user's share of it; that of the kernel's own split. None: not shown."""
    shown = [(one[tool]["said"].get(thread), one[tool]["truth"][thread]) for one in rounds]
    if any(said is None for said, _ in shown):
        return None
    user = None if shown[0][0][1] is None else sum(said[1] / (said[0] or 1) for said, _ in shown) / len(shown)
    return (sum(said[0] / real[0] for said, real in shown) / len(shown), user,
            sum(real[1] / ((real[1] + real[2]) or 1) for _, real in shown) / len(shown))


def judge(data, quiet):
    wrong = []
    for jdk, rounds in data["jdks"].items():
        for thread in THREADS:
            found = means(rounds, "threadclock top", thread)
            if not found or abs(found[0] - 1) > NEAR or thread == "around" and abs(found[1] - 1) > NEAR:
                wrong.append(f"{jdk}, {thread}")
    text = f"not: {'; '.join(wrong)}" if wrong else f"on {len(data['jdks'])} JDKs"
    return {"verdicts": {0: {"published": None, "ours": verdict.Verdict(
        verdict.NOISY, text) if wrong and not quiet else verdict.holds(not wrong, text)}},
        "tables": tables(data), "why": NOTES}


HEAD = ["CPU time, % of the kernel's clock; user time of it (by the kernel)", "around ticks, in user mode",
        "between ticks, in user mode", "in the kernel", "what it has besides"]
WITHIN_HEAD = ["reported by a library", "reported, ms", "the kernel's clock, ms", "threadclock, ms",
               "what it has besides"]
WITHIN_BETTER = ("counts what the collector does in other threads, too; JDK 26 and later",
                 "the elapsed time and the code of each span, from one call")


def shown(found):
    return "not shown" if not found else f"{100 * found[0]:.0f} %" + (
        "" if found[1] is None else f"; {100 * found[1]:.0f} % ({100 * found[2]:.0f} %)")


def rows(rounds):
    return [[tool, *(shown(means(rounds, tool, thread)) for thread in THREADS), besides]
            for tool, besides in BETTER.items()]


def tables(data):
    within = [[name, *("none" if one < 0 else f"{one / 1e6:,.0f}" for one in found), besides]
              for (name, found), besides in zip(data["within"].items(), WITHIN_BETTER)]
    return [*({"title": jdk, "head": HEAD, "rows": rows(rounds)} for jdk, rounds in data["jdks"].items()),
            {"title": data["newest"], "head": WITHIN_HEAD, "rows": within}]


VIEWS = {"": lambda data: "\n\n".join([*(
    f"{one['title']}:\n\n{page.markdown_table(one['head'], one['rows'])}" for one in tables(data)), NOTES])}
