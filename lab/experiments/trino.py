# SPDX-License-Identifier: Apache-2.0
"""Trino: results, log, and what its reads are of its CPU time."""
import collections
import re
import subprocess

from frame import page, stats, verdict
from frame.lab import BUILD, OWN_READ, PROGRAMS, Failure, Lab, NotRunnable

ROW = 21
OURS = ("With threadclock each query returns the same, the log has the same lines, and Trino's reads of user "
        "time take less than a hundredth of a percent of its CPU time.")
CONDITIONS = (
    "TPC-H Q1, Q3, Q6 and Q18 on tpch.tiny; Trino of Maven Central (350 MB), a coordinator and two workers "
    "in one JVM with 3 GB; async-profiler counts the calls of ThreadMXBean; the price is that of the fastest "
    "of ten loops")
CODE = [*OWN_READ, "lab/programs/java/Trino.java"]
SECONDS = 1, 580
SETUPS = (("405", 17), ("483", 25)) # a version, and the JDK that it runs on: /proc, and the VIRT clock
METHODS = {"user": "getCurrentThreadUserTime", "total": "getCurrentThreadCpuTime"}
REPETITIONS = 8
MOST_PERCENT = 0.01
END = "io.airlift.bootstrap.LifeCycleManager" # logs the end of the JVM, at which threads race
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>lab</groupId><artifactId>trino</artifactId><version>0</version>
<dependencies>{}</dependencies></project>
"""
DEPENDENCY = ("<dependency><groupId>io.trino</groupId><artifactId>{}</artifactId><version>{}</version>"
              "</dependency>")
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies"


def libraries(trino):
    """The folder with the jars of this version of Trino."""
    folder = BUILD / f"trino/{trino}"
    if not (folder / "lib").exists():
        maven = Lab.tool("mvn", "maven")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pom.xml").write_text(POM.format("".join(
            DEPENDENCY.format(name, trino) for name in ("trino-testing", "trino-tpch"))))
        done = subprocess.run([maven, "-q", "-B", "-f", folder / "pom.xml", COPY,
                               f"-DoutputDirectory={folder / 'part'}"], capture_output=True, text=True)
        if done.returncode != 0:
            raise NotRunnable(f"Trino {trino} cannot be downloaded: {done.stdout.strip()[-300:]}")
        (folder / "part").rename(folder / "lib")
    return folder / "lib"


def plain(line):
    """A line of the log without what differs from run to run: colours, and words with a digit in them."""
    return re.sub(r"[\w.:/+-]*\d[\w.:/+-]*", "N", re.sub(r"\x1b\[[0-9;]*m", "", line))


def run(lab):
    if lab.quick:
        raise NotRunnable("it takes minutes and downloads 350 MB: run it without --quick")
    profiler, setups, found = lab.async_profiler(), [], {}
    for trino, feature in SETUPS:
        setups += [(trino, jdk) for jdk in [jdk for jdk in lab.jdks if jdk.feature == feature][-1:]]
    if not setups:
        raise NotRunnable("Trino 405 needs JDK 17, 483 needs 25: install one, or name it with --jdk")

    def engine(trino, jdk, repetitions, *load, agent=None):
        """What the queries returned, their mean CPU time as all is compiled, the price, and the log."""
        newer = [] if jdk.feature < 24 else [
            "-XX:+EnableDynamicAgentLoading", "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"]
        if trino != "405":
            newer.append("--add-modules=jdk.incubator.vector")
        status, out, err = lab.run(
            [jdk.java, "-Xmx3g", *newer, *lab.agent(agent), "-cp", f"{libraries(trino)}/*",
             PROGRAMS / "java/Trino.java", repetitions, *load], check=False)
        if status != 0:
            raise Failure(f"Trino {trino} on {jdk} ended with {status}: {err.strip()[-500:]}")
        ours = re.compile(r"^(query|price) .*$|^$")
        log = sorted(plain(line) for line in (out + err).splitlines() if line.strip() and END not in line
                     and not ours.match(line) and " has not returned in " not in line)
        queries = [line.split() for line in re.findall(r"^query (.*)$", out, re.M)]
        price = re.search(r"^price (\d+) (\d+)$", out, re.M)
        late = queries[len(queries) // 2:]
        return {"results": len(queries), "different": sorted({(name, rows) for name, *_, rows in queries}),
            **{name: stats.interval([int(query[field]) for query in late]).value
               for field, name in ((1, "process_ns"), (2, "query_ns"))},
            "log": log, "price": dict(zip(METHODS, map(int, price.groups()))) if price else None}

    def calls(trino, jdk):
        """Calls of each method for each of the four queries, by caller; the profiler counts one at a time."""
        files = {kind: BUILD / f"{kind}.collapsed" for kind in METHODS}
        starts = [f"start,event=sun.management.ThreadImpl.{METHODS[kind]},file={file}"
                  for kind, file in files.items()]
        for file in files.values():
            file.unlink(missing_ok=True)
        engine(trino, jdk, 4, profiler, starts[0], f"stop,file={files['user']}", starts[1])
        return {kind: callers(file.read_text()) for kind, file in files.items()}

    def callers(collapsed):
        counts = collections.Counter()
        for stack, _, count in (line.rpartition(" ") for line in collapsed.splitlines()):
            caller = [frame for frame in stack.split(";") if not frame.startswith("sun/management/")][-1]
            counts[caller.rpartition("/")[2]] += int(count)
        return {caller: count / 4 for caller, count in counts.items() if count >= 4}

    for trino, jdk in setups:
        ways = lab.rounds({way: lambda agent=agent: engine(trino, jdk, REPETITIONS, agent=agent)
                           for way, agent in (("without", None), ("with", ""))}, 1)[0]
        logs = [collections.Counter(way.pop("log")) for way in ways.values()]
        found[f"Trino {trino}, {jdk}"] = {
            "calls": calls(trino, jdk), **ways,
            "log": {"lines": sum(logs[0].values()),
                "different": [*(logs[0] - logs[1]), *(logs[1] - logs[0])]}}
    return found


def reads(one, kind, caller=""):
    return sum(count for name, count in one["calls"][kind].items() if caller in name)


def percent(one, way):
    """The share of reads of user time in the CPU time of the process: calls x price."""
    return 100 * reads(one, "user") * one[way]["price"]["user"] / one["without"]["process_ns"]


def of_operators(one, way):
    """What user time of each operator would be of Trino's own sum: a user read at each of its total reads."""
    each = one[way]["price"]["user"]
    return 100 * reads(one, "total", "OperationTimer.") * each / one["without"]["query_ns"]


def judge(data, quiet):
    ways = [one[way] for one in data.values() for way in ("without", "with")]
    answers = {tuple(answer) for way in ways for answer in way["different"]}
    queries = {name for name, _ in answers}
    logs = [f"{name}: {line}" for name, one in data.items() for line in one["log"]["different"]]
    most = max(percent(one, "with") for one in data.values())
    results, same = sum(way["results"] for way in ways), len(answers) == len(queries) == 4
    text = "; ".join([
        f"each of 4 queries returns the same in all {results // 4} runs, without and with it" if same
        else f"{len(queries)} queries have {len(answers)} different results",
        f"{len(logs)} lines of the log differ: {logs[:3]}" if logs else "the log has the same lines",
        f"reads of user time take at most {most:.4f} % of the CPU time"])
    return {"ours": verdict.holds(same and not logs and most < MOST_PERCENT, text),
        "tables": [{"title": "reads by one query, mean of the four", "head": HEAD, "rows": table(data)},
                   {"title": "from where", "head": ["", "kind", "caller", "reads"], "rows": [
                       [name, kind, caller, f"{count:,.0f}"] for name, one in data.items()
                       for kind in METHODS for caller, count in sorted(one["calls"][kind].items())]}],
        "why": "Differences of the CPU time of whole queries were +-10 to +-70 %, more than all reads cost, "
               "and are left out."}


HEAD = ["", "reads of user time, of total", "ns a read of user time", "of the process's CPU time",
        "for each operator, of Trino's own sum"]


def table(data):
    def both(one, form, value):
        return ", with threadclock ".join(form.format(value(one, way)) for way in ("without", "with"))
    return [[name, f"{reads(one, 'user'):,.0f}, {reads(one, 'total'):,.0f}",
             both(one, "{:,.0f}", lambda one, way: one[way]["price"]["user"]), both(one, "{:.3f} %", percent),
             both(one, "{:.2f} %", of_operators)] for name, one in data.items()]


VIEWS = {"": lambda data: page.markdown_table(HEAD, table(data))}
