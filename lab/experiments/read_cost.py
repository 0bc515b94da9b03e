# SPDX-License-Identifier: Apache-2.0
"""A read against System.nanoTime(), and other libraries."""
from frame import page, stats, verdict
from frame.lab import QUICK, READ_CODE, library_java

ROW = 15
OURS = "A tick read of user time costs less than a read of nanoTime(), in C and in Java."
CONDITIONS = ("C: medians of blocks that take turns, 5 processes; JMH AverageTime, 3 forks of each JDK by "
              "turns")
TITLES = {
    "null": "baseline: an empty function",
    "coarse": "vDSO: CLOCK_MONOTONIC_COARSE",
    "monotonic": "vDSO: CLOCK_MONOTONIC (nanoTime)",
    "getppid": "a bare system call (getppid)",
    "tick": "threadclock_user_tick_ns",
    "system_tick": "threadclock_system_tick_ns",
    "total_tick": "threadclock_total_tick_ns",
    "triple": "threadclock_times_tick",
    "interpolated": "threadclock_total_interpolated_ns",
    "virt_pid0": "threadclock_user_raw_ns (VIRT, PID 0; raw ticks)",
    "virt_tid": "VIRT clock by TID (JDK 25.0.5, 26 to 28)",
    "sched": "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
    "sched_tid": "SCHED clock by TID",
    "total_now": "threadclock_total_now_ns",
    "rusage": "getrusage(RUSAGE_THREAD)",
    "now": "threadclock_user_now_ns",
    "proc": "/proc/self/task/<tid>/stat (legacy)",
}
PEERS = {
    "threadclock": "threadclock (`userNanos()`)",
    "threadMXBean": "ThreadMXBean",
    "jna": "JNA (`getrusage`)",
    "airlift": "airlift `CpuTimer`",
    "oshi": "OSHI `OSThread`",
}
CODE = [*READ_CODE, "lab/programs/reads.c", "lab/programs/jmh/src",
        *library_java("ThreadClock", "CpuMeter", "internal/Clocks", "internal/Native")]
SECONDS = 45, 305


def run(lab):
    reads, (milliseconds, repetitions) = lab.c("reads"), (500, 3) if lab.quick else (3000, 5)
    rounds = lab.rounds({"C": lambda: lab.json([reads, "cost", milliseconds])}, repetitions)
    data = {"c": [one["C"] for one in rounds]}
    pair, _ = lab.pair()
    settings, subjects = QUICK if lab.quick else (1, 1, 2, 1), {}
    for jdk in pair.values():
        for agent, peers in ((None, "threadclock,threadMXBean" if lab.quick else ",".join(PEERS)),
                             ("", "threadMXBean")):
            name = f"{jdk}{'' if agent is None else ', with the agent'}"
            options = ("--enable-native-access=ALL-UNNAMED",) if jdk.feature >= 22 else ()
            subjects[name] = lambda jdk=jdk, agent=agent, peers=peers, options=options: lab.jmh(
                jdk, r"OwnThread\.(nanoTime|user)$", "avgt", settings, 1, agent, options,
                ("-p", f"peer={peers}"))
    return {**data, "java": lab.rounds(subjects, 3), "jdks": [str(jdk) for jdk in pair.values()]}


def judge(data, quiet):
    ratios = {"C": stats.ratio(stats.column(data["c"], "monotonic"), stats.column(data["c"], "tick"))}
    for jdk in data["jdks"]:
        for name, read in ((jdk, "user threadclock"), (f"{jdk}, with the agent", "user threadMXBean")):
            ratios[f"{name}, {read.split()[1]}"] = stats.ratio(
                *(stats.column(data["java"], name, each, "mean") for each in ("nanoTime", read)))
    worst = min(ratios.values(), key=lambda each: each.low)
    text = "nanoTime / user time: " + "; ".join(f"{name} {each} x" for name, each in ratios.items())
    return {"ours": verdict.at_least(worst, 1, quiet, text),
        "tables": [{"title": "C, ns a read", "head": C_HEAD, "rows": c_rows(data)},
                   {"title": "Java, ns a read", "head": JAVA_HEAD, "rows": java_rows(data)}]}


C_HEAD = ["read", "ns [95 %]", "x CLOCK_MONOTONIC"]
JAVA_HEAD = ["JDK", "read by", "user, ns", "x nanoTime"]


def c_rows(data):
    nano = stats.column(data["c"], "monotonic")
    columns = {name: stats.column(data["c"], name) for name in TITLES if name in data["c"][0]}
    return [[TITLES[name], str(stats.interval(values)), stats.number(stats.ratio(values, nano).value)]
            for name, values in columns.items()]


def java_rows(data):
    rows = []
    for name, found in data["java"][0].items():
        for peer, title in PEERS.items():
            if f"user {peer}" in found:
                user, nano = (stats.column(data["java"], name, read, "mean")
                              for read in (f"user {peer}", "nanoTime"))
                rows.append([name, title, str(stats.interval(user)),
                             stats.number(stats.ratio(user, nano).value)])
    return rows


VIEWS = {"c": lambda data: page.markdown_table(C_HEAD, c_rows(data))}
