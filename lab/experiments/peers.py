# SPDX-License-Identifier: Apache-2.0
"""Other tools on the same threads, against the kernel's clock of each."""
import functools
import re
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from experiments import rightness
from frame import page, verdict
from frame.lab import BUILD, CORE, JAR, Failure, say
from frame.result import in_words

OURS = ("threadclock's CPU time of a thread, or of the garbage collector, is within 10 % of the kernel's "
        "clock, and all of it is user time if the thread works around ticks.")
TRUTH = (
    "The truth is each thread's schedstat: of its whole run for ThreadMXBean and async-profiler; otherwise "
    "per second of the tool's run, so a tool whose start takes CPU from the threads seems to report too "
    "much.")
CONDITIONS = (
    "A thread that works around ticks, one between them, both in user mode, and one in the kernel. " + TRUTH +
    " Few ticks hit a thread that works between them: its split in an interval need not be that in the run. "
    "Not measured, because no package could be had here: OSHI with FFM, RETIT's OpenTelemetry extension, "
    "vthreadtime.")
CODE = [*CORE, *rightness.WORK, "java/command/src/main/java/dev/threadclock/command/sample",
        "lab/programs/jmh/pom.xml", "lab/programs/java/Peers.java"]
SECONDS = 150, 410
THREADS = "around", "between", "system"
NEAR = .1
PROFILED = 27 # async-profiler 4.6 ends JDK 28 with SIGSEGV
ARTHAS = "com.taobao.arthas:arthas-packaging:4.1.4:zip:bin"
# What each has that threadclock's commands do not show.
BETTER = {
    "threadclock top": "",
    "ThreadMXBean": "needs nothing but the JDK",
    "async-profiler 4.6, event=cpu": "the code, to the line; spans",
    "OSHI 7.5, JNA": "Windows, macOS; needs nothing in the JVM",
    "Arthas 4.1.4, thread -n": "locks and monitors; the blocking thread",
    "SJK 0.23, ttop": "bytes allocated by each thread"}
WITHIN = {
    "Micrometer 1.17.2, jvm.gc.cpu.time": "the collector's work in other threads, too; JDK 26 and later",
    "async-profiler 4.6, spans": "the elapsed time and the code of each span, from one call"}


def interval_ms(lab):
    """Long, because the truth covers a tool's start, too."""
    return 3000 if lab.quick else 20_000


def truth(pid):
    """{thread: run time, user, system}, in ns: precise, and the kernel's split in steps of 10 ms."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError): # the thread has just ended
            if (name := (task / "comm").read_text().strip()) in THREADS:
                split = (task / "stat").read_text().rpartition(")")[2].split()[11:13]
                found[name] = [int((task / "schedstat").read_text().split()[0]),
                               *(int(ticks) * rightness.STEP_NS for ticks in split)]
    return found


def beside(lab, jdk, tool, ticks):
    """What a tool says of the running program, and the truth; both as shares of a CPU: total, user."""
    command = [jdk.java, "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading", "-cp",
               lab.class_file("Loads"), "Loads", "together", "300000", *map(str, ticks)]
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
    if not said.keys() & set(THREADS):
        raise Failure("the tool reports none of the threads")
    return {"said": said, "truth": {name: [(after[name][i] - before[name][i]) / elapsed for i in range(3)]
                                    for name in THREADS}}


def within(lab, jdk, ticks, library):
    """ThreadMXBean's figures, or async-profiler's samples, and the truth, of each whole run; in ns."""
    file = BUILD / "collapsed.txt"
    file.unlink(missing_ok=True)
    options = [f"-agentpath:{library}=start,event=cpu,interval=1ms,threads,collapsed,file={file}"
               ] if library else []
    loads = rightness.loads(lab.java(jdk, "Loads", "together", interval_ms(lab), *ticks, options=options))
    said = {name: [load["total"], load["user"]] for name, load in loads.items()}
    for name in said if library else ():
        said[name] = [1e6 * sum(int(line.split()[-1]) for line in file.read_text().splitlines()
                                if line.startswith(f"[{name} ")), None]
    return {"said": said, "truth": {name: [load[key] for key in ("run_time", "kernel_user", "kernel_system")]
                                    for name, load in loads.items()}}


def top(lab, pid):
    found = lab.json([lab.builder.java, "-jar", JAR, "top", pid, "--json", "-n", 1, "-d",
                      f"{interval_ms(lab)}ms"])
    return {one["name"]: [one["totalNanos"] / found["nanos"], one["userNanos"] / found["nanos"]]
            for one in found["threads"]}


def oshi(lab, pid):
    return {name: [float(total), float(user)] for total, user, name, *_ in lab.source(
        lab.builder, "Peers", "oshi", pid, interval_ms(lab), path=f"{JAR}:{lab.benchmarks}")}


def arthas(lab, pid):
    home = BUILD / "arthas"
    if not (home / "arthas-boot.jar").exists():
        lab.run([lab.tool("mvn", "maven"), "-q", "-B", "-N", "dependency:unpack", f"-DoutputDirectory={home}",
                 f"-Dartifact={ARTHAS}", "-Dmdep.overWriteReleases=true"])
    said = lab.run([lab.builder.java, "-jar", home / "arthas-boot.jar", "--arthas-home", home, "--target-ip",
                    "127.0.0.1", "--telnet-port", 33658, "--http-port", -1, "-c",
                    f"thread -n 9 -i {interval_ms(lab)};stop", pid])
    return {name: [float(share) / 100, None]
            for name, share in re.findall(r'^"(\S+)" Id=\d+ cpuUsage=([\d.]+)%', said, re.M)}


def sjk(lab, pid):
    """The first report, which comes after two intervals: ttop itself does not end."""
    said = lab.run(["timeout", 6 + 2 * interval_ms(lab) / 1000, lab.builder.java, "-cp", lab.benchmarks,
                    "org.gridkit.jvmtool.SJK", "ttop", "-p", pid, "-n", 30, "-ri", f"{interval_ms(lab)}ms"],
                   check=False)[1].split("Process summary")[1]
    return {name: [(float(user) + float(system)) / 100, float(user) / 100] for user, system, name in
            re.findall(r"^\[\d+\] user= *([\d.-]+)% sys= *([\d.-]+)%.* - (\S+)$", said, re.M)}


OURS_BY = "threadclock top"
OUTSIDE = {OURS_BY: top, "OSHI 7.5, JNA": oshi, "Arthas 4.1.4, thread -n": arthas,
           "SJK 0.23, ttop": sjk}


def run(lab):
    ticks, library, rounds = rightness.ticks(lab), lab.async_profiler(), 1 if lab.quick else 2
    data, left_out = {"jdks": {}, "within": {}}, {}

    def attempt(name, measure):
        """None where another's tool cannot be had or prints something else: the others remain."""
        try:
            return None if name in left_out else measure()
        except Exception as failure:
            if name == OURS_BY:
                raise
            left_out[name] = " ".join(in_words(failure).split())[:300]
            say(f"  {name} is left out: {left_out[name]}")

    pair = list(lab.pair()[0].values())
    for jdk in pair:
        # The others are shown on the last one only.
        subjects = {name: lambda tool=tool, jdk=jdk: beside(lab, jdk, lambda pid: tool(lab, pid), ticks)
                    for name, tool in OUTSIDE.items() if jdk == pair[-1] or tool == top}
        if jdk == pair[-1]:
            subjects["ThreadMXBean"] = lambda jdk=jdk: within(lab, jdk, ticks, None)
            subjects["async-profiler 4.6, event=cpu"] = lambda jdk=jdk: within(lab, jdk, ticks, library)
        measured = lab.rounds({name: functools.partial(attempt, name, measure)
                               for name, measure in subjects.items()}, rounds)
        data["jdks"][str(jdk)] = [{name: one for name, one in each.items() if name not in left_out}
                                  for each in measured]
    newest = lab.last([jdk for jdk in lab.jdks if 17 <= jdk.feature <= PROFILED],
                      f"no JDK 17 to {PROFILED} here: install one, or name it with --jdk")
    for name, arguments in zip(WITHIN, (
            ["gc", interval_ms(lab)], ["span", interval_ms(lab), library, BUILD / "spans.jfr"])):
        if found := attempt(name, lambda arguments=arguments: [float(word) for word in lab.source(
                newest, "Peers", *arguments, path=f"{JAR}:{lab.benchmarks}")[-1]]):
            data["within"][name] = found
    return {**data, "left_out": left_out, "newest": str(newest)}


def absent(data):
    return "; ".join(f"{name}: {reason}" for name, reason in data.get("left_out", {}).items())


def means(rounds, tool, thread):
    """CPU time over the truth; user's share of it; that of the kernel's own split. None: not shown."""
    shown = [(one[tool]["said"].get(thread), one[tool]["truth"][thread]) for one in rounds]
    if any(said is None for said, _ in shown):
        return None
    user = None if shown[0][0][1] is None else sum(said[1] / (said[0] or 1) for said, _ in shown) / len(shown)
    return (sum(said[0] / real[0] for said, real in shown) / len(shown), user,
            sum(real[1] / ((real[1] + real[2]) or 1) for _, real in shown) / len(shown))


def judge(data, quiet):
    wrong = [name for name, (_, kernel, ours) in data["within"].items() if abs(ours / kernel - 1) > NEAR]
    for jdk, rounds in data["jdks"].items():
        for thread in THREADS:
            found = means(rounds, OURS_BY, thread)
            if not found or abs(found[0] - 1) > NEAR or thread == "around" and abs(found[1] - 1) > NEAR:
                wrong.append(f"{jdk}, {thread}")
    text = f"not: {'; '.join(wrong)}" if wrong else f"on {len(data['jdks'])} JDKs"
    text += f"; left out: {absent(data)}" if absent(data) else ""
    ours = verdict.Verdict(verdict.UNDECIDED, text) if wrong and not quiet else verdict.holds(not wrong, text)
    return {"ours": ours, "tables": tables(data)}


HEAD = ["CPU time, % of the kernel's clock; user time of it (by the kernel)", "around ticks, in user mode",
        "between ticks, in user mode", "in the kernel", "what it has besides"]
WITHIN_HEAD = ["reported by a library", "reported, ms", "the kernel's clock, ms", "threadclock, ms",
               "what it has besides"]


def shown(found):
    return "not shown" if not found else f"{100 * found[0]:.0f} %" + (
        "" if found[1] is None else f"; {100 * found[1]:.0f} % ({100 * found[2]:.0f} %)")


def tables(data):
    within = [[name, *(f"{one / 1e6:,.0f}" if one else "none" for one in found), WITHIN[name]]
              for name, found in data["within"].items()]
    return [*({"title": jdk, "head": HEAD, "rows": [
        [tool, *(shown(means(rounds, tool, thread)) for thread in THREADS), besides]
        for tool, besides in BETTER.items() if tool in rounds[0]]} for jdk, rounds in data["jdks"].items()),
            {"title": data["newest"], "head": WITHIN_HEAD, "rows": within}]


VIEWS = {"": lambda data: "\n\n".join([*(f"{one['title']}:\n\n{page.markdown_table(one['head'], one['rows'])}"
                                         for one in tables(data)[-2:]), TRUTH,
                                       *([f"Left out: {absent(data)}."] if absent(data) else [])])}
