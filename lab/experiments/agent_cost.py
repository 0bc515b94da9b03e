# SPDX-License-Identifier: Apache-2.0
"""What the agent costs a JVM, and what its reads cost there."""
import time

from frame import page, stats, verdict

ROWS = ()
SOURCE = CLAIM = None
OURS = ("On each JDK, reads of user time are cheaper with the agent: the own thread's, another's, and 1,000 "
        "ids at once.")
CONDITIONS = (
    "JVMs with and without the agent by turns: medians of batches that alternate in each JVM; start of a "
    "JVM, of a thread; clocks with reach=jvm")
READS = ("nanoTime", "own user", "own total", "another thread's user", "user of 1,000 ids")
CLOCKS = ("nanoTime", "currentTimeMillis", "parkUntil(1)", "parkNanos(1)")
STARTS = 5
CODE = ["native/core", "native/jvm", "native/agent", "lab/programs/java/AgentCost.java"]
SECONDS = 150, 600


def run(lab):
    def numbers(jdk, what, agent):
        return list(map(float, lab.java(jdk, "AgentCost", what, agent=agent)[0]))

    def start_ms(jdk, agent):
        spent = []
        for _ in range(STARTS):
            began = time.monotonic()
            lab.run([jdk.java, "-Xshare:auto", *lab.agent(agent), "-version"])
            spent.append((time.monotonic() - began) * 1000)
        return sorted(spent)[STARTS // 2]

    def measure(jdk, agent):
        return {
            "reads": dict(zip(READS, numbers(jdk, "reads", "total=interpolated" if agent == "" else agent))),
            "thread_us": numbers(jdk, "threads", agent)[0], "start_ms": start_ms(jdk, agent),
            "clocks": dict(zip(CLOCKS, numbers(jdk, "clocks", "reach=jvm" if agent == "" else agent)))}
    found = {}
    for jdk in lab.chosen():
        found[str(jdk)] = {"legacy": jdk.legacy, "rounds": lab.rounds(
                {"without": lambda jdk=jdk: measure(jdk, None), "with": lambda jdk=jdk: measure(jdk, "")}, 3,
                f"{jdk}, ")}
    return {"jdks": found}


def ratio(rounds, part, name, above="without", below="with"):
    return stats.ratio([one[above][part][name] for one in rounds], [one[below][part][name] for one in rounds])


def judge(data, quiet):
    ratios = {f"{jdk}, {read}": ratio(one["rounds"], "reads", read)
              for jdk, one in data["jdks"].items() for read in READS if "user" in read}
    name, worst = min(ratios.items(), key=lambda each: each[1].low)
    return {"verdicts": {0: {"published": None, "ours": verdict.at_least(worst, 1, quiet,
    f"least: {name}: {worst} x")}}, "tables": [{"title": "ns a read", "head": HEAD, "rows": rows(data)},
    {"title": "the agent in a JVM", "head": PRESENCE, "rows": presence(data)}], "why": ""}


HEAD = ["JDK", "", "without, ns", "with the agent, ns", "times less", "x nanoTime"]
PRESENCE = ["JDK", "JVM start, ms", "more with the agent", "a thread's start and end, us",
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
    return [[jdk, *both(one["rounds"], "start_ms"), *both(one["rounds"], "thread_us"),
             f"{ratio(one['rounds'], 'clocks', 'nanoTime', 'with', 'without')} x"]
            for jdk, one in data["jdks"].items()]


VIEWS = {"reads": lambda data: page.markdown_table(HEAD, rows(data)),
         "presence": lambda data: page.markdown_table(PRESENCE, presence(data))}
