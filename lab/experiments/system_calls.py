# SPDX-License-Identifier: Apache-2.0
"""System calls of a read, counted."""
import re

from frame import stats, verdict
from frame.lab import BUILD, READ_CODE

ROW = 7
SOURCE = ("Packagecloud blog: strace -c of 100,000 reads in a Java loop on JDK 8, flag "
          "UseLinuxPosixThreadCPUClocks")
CLAIM = ("Without the flag a read takes 4.45 system calls more (open, read, close, fstat), and ten times as "
         "long.")
OURS = "With threadclock a read of user time makes no system call, on each JDK."
CONDITIONS = (
    "strace -f -c of the same loop, minus that of the loop without reads: 100,000 reads with the flag off "
    "and on, 5,000 on each JDK; the times without strace")
PUBLISHED = {
    "off": {"read": 201_007, "close": 100_057, "open": 100_107, "fstat": 100_066, "clock_gettime": 17_979,
            "all": 519_216, "ms": 12_170.0},
    "on": {"clock_gettime": 115_472, "read": 1_003, "open": 104, "close": 54, "fstat": 64, "all": 116_697,
           "ms": 1670.643325},
}
READS = 100_000
CALLS = ("openat", "read", "close", "fstat", "clock_gettime", "getrusage")
SAME = {"newfstatat": "fstat", "newfstat": "fstat", "open": "openat"}
FLAG = "UseLinuxPosixThreadCPUClocks"
WAYS = {"as it is": None, "with threadclock": ""}
STRAY = 0.05 # calls a read by the JVM's other threads
CODE = [*READ_CODE, "lab/programs/java/Reads.java"]
SECONDS = 15, 150
LINE = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)\s*$", re.M)


def parse(table):
    """The table of strace -c: calls by name."""
    counts = {}
    for calls, name in LINE.findall(table):
        if name != "total":
            counts[SAME.get(name, name)] = counts.get(SAME.get(name, name), 0) + int(calls)
    return counts


def run(lab):
    strace, few = lab.tool("strace"), READS // 20
    table = BUILD / "strace.txt"

    def count(jdk, kind, number, agent, options):
        lab.java(jdk, "Reads", "count", kind, number, agent=agent, options=options,
                 wrap=[strace, "-f", "-c", "-qq", "-o", table])
        return parse(table.read_text())

    def nanos(jdk, reads, options):
        return float(lab.java(jdk, "Reads", "count", "total", reads, options=options)[-1][2]) / reads

    def calls_of(jdk, kind, reads, agent=None, options=()):
        none, many = (count(jdk, kind, number, agent, options) for number in (0, reads))
        return {name: (many.get(name, 0) - none.get(name, 0)) / reads for name in CALLS}

    data = {"absent": None, "jdks": {}}
    for jdk in lab.chosen():
        data["jdks"][str(jdk)] = {"legacy": jdk.legacy, **{
            way: {"calls": calls_of(jdk, "user", few, agent)} for way, agent in WAYS.items()}}
    flagged = [jdk for jdk in lab.jdks if f"bool {FLAG} " in lab.run(
        [jdk.java, "-XX:+PrintFlagsFinal", "-version"])]
    if flagged:
        reads, flags = few if lab.quick else READS, {"off": (f"-XX:-{FLAG}",), "on": (f"-XX:+{FLAG}",)}
        data["flag"] = {"jdk": str(flagged[0]), "calls": {
            name: calls_of(flagged[0], "total", reads, options=flag) for name, flag in flags.items()},
            "rounds": lab.rounds({name: lambda flag=flag: nanos(flagged[0], reads, flag)
                                  for name, flag in flags.items()}, 2 if lab.quick else 3)}
    else:
        data["absent"] = f"no JDK here has the flag {FLAG} (JDK 8 to 24)"
    return data


def judge(data, quiet):
    theirs, flag_rows = verdict.absent(data["absent"]) if data["absent"] else None, []
    if not theirs:
        rounds, counted = data["flag"]["rounds"], data["flag"]["calls"]
        off, on = (sum(counted[sign].values()) for sign in ("off", "on"))
        time = stats.ratio(stats.column(rounds, "off"), stats.column(rounds, "on"))
        factor = PUBLISHED["off"]["ms"] / PUBLISHED["on"]["ms"]
        fast = verdict.published_factor(time, factor, quiet)
        text = (f"{off:.2f} system calls a read against {on:.2f}, published 5.19 and 1.17; without strace "
                f"{time} x the time, published 10 x")
        theirs = verdict.Verdict(verdict.REFUTED if off - on < verdict.TOLERANCE * 4.02 else fast.kind, text)
        flag_rows = [[name, *(cell for sign in ("off", "on") for cell in (
            f"{PUBLISHED[sign].get({'openat': 'open'}.get(name, name), 0) / READS:.2f}",
            f"{counted[sign][name]:.2f}"))] for name in CALLS]
        flag_rows.append(["ns a read", *(cell for sign in ("off", "on") for cell in (
            stats.number(PUBLISHED[sign]["ms"] * 1e6 / READS) + " (under strace)",
            str(stats.interval(stats.column(rounds, sign))) + " (without)"))])
    most = max(sum(one["with threadclock"]["calls"].values()) for one in data["jdks"].values())
    rows = [[jdk, "/proc" if one["legacy"] else "VIRT",
             *(f"{sum(one[way]['calls'].values()):.2f}" for way in WAYS)]
            for jdk, one in data["jdks"].items()]
    return {"published": theirs, "ours": verdict.holds(
        most < STRAY, f"at most {most:.3f} system calls a read on {len(rows)} JDKs"),
        "tables": [{"title": "reads of the total with the flag off and on, "
                             f"{data.get('flag', {}).get('jdk', '')}",
                    "head": ["a read", "off, published", "off", "on, published", "on"], "rows": flag_rows},
                   {"title": "reads of user time", "rows": rows, "head": [
                       "JDK", "reads", "system calls", "with threadclock"]}],
        "why": "The published times include strace, which stops the program at each call: 120 us a read. A "
               "newer JDK opens with openat and does not ask twice whether there is more to read."}
