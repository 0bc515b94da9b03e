# SPDX-License-Identifier: Apache-2.0
"""Virtual threads: their CPU time, their carriers', and mounted time."""
from frame import page, stats, verdict
from frame.lab import library_java

ROW = 20
OURS = (
    "The sum over virtual threads is at least 98 % of their carriers' CPU time at slices of a millisecond "
    "and longer. Mounted time counts waiting for a CPU as well.")
CONDITIONS = (
    "JDK 21 or later; virtual threads that yield or park after each slice; two at work beside 0 to 4 "
    "burners; costs with one carrier, each in a JVM of its own, which is warmed up until five results in a "
    "row are within a tenth; the baseline's JVM has no agent")
LEAST = 98
CODE = ["native/jvm", "native/core", "lab/programs/java/VirtualCosts.java", "lab/programs/for_java.c",
        *library_java("VirtualThreads", "ThreadClock", "ThreadTimes")]
SECONDS = 16, 385
ONE_CARRIER = ("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1",
               "-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch")


def run(lab):
    jdk, milliseconds = lab.newest(21), 100 if lab.quick else 1500

    def right():
        found = {"sum": {}, "mounted": {}}
        for line in lab.source(jdk, "VirtualCosts", "right", milliseconds):
            if line[0] == "sum":
                found["sum"][f"{line[1]} {line[2]}"] = 100 * float(line[3]) / float(line[4])
            elif line[0] == "mounted":
                found["mounted"][line[1]] = float(line[3]) / float(line[2])
        return found

    def cost_on(of, ways):
        def cost():
            found = {}
            for way in ways:
                _, name, agent, flags = WAYS[way]
                for line in lab.source(of, "VirtualCosts", "cost", name, lab.jvmti(),
                                       agent=agent, options=(*ONE_CARRIER, *flags)):
                    found.setdefault(line[1], {})[way] = float(line[2])
            return found
        return cost

    others = [each for each in lab.jdks if each.feature in (21, 25, 27) and each != jdk and not lab.quick]
    of_others = lab.rounds({str(each): cost_on(each, FEW) for each in others}, 3) if others else []
    ways = QUICK_WAYS if lab.quick else WAYS
    return {"jdk": str(jdk),
        "right": [one["right"] for one in lab.rounds({"right": right}, 2 if lab.quick else 3)],
        "cost": [one["cost"] for one in lab.rounds({"cost": cost_on(jdk, ways)}, 2 if lab.quick else 3)],
        "others": {str(each): [one[str(each)] for one in of_others] for each in others}}


def judge(data, quiet):
    first = data["right"][0]
    worst = min((stats.interval(stats.column(data["right"], "sum", name)) for name in first["sum"]
                 if name.split()[1] in ("2000", "1000")), key=lambda each: each.low)
    mounted = mounted_by(data)
    # A share of at most 100 % cannot clear its limit by a factor, as under load is asked of times.
    kind = verdict.at_least(worst, LEAST, True, "").kind
    kind = verdict.UNDECIDED if kind == verdict.REFUTED and not quiet else kind
    most = max(mounted.values(), key=lambda each: each.value)
    ways = ", ".join(f"a yield {cost_cells(data['cost'], 'yield', ('nothing', way))[1]} {by}" for way, by in (
        ("interpolated", "by the calls"), ("by_events", "by the events")) if way in data["cost"][0]["yield"])
    return {"ours": verdict.Verdict(
        kind, f"{data['jdk']}: least sum {worst} % of the carriers', {ways}; mounted time up to {most} x the "
              "CPU time"),
        "tables": [{"title": "the sum over virtual threads, % of their carriers' CPU time", "head": SUM_HEAD,
                    "rows": sum_rows(data)},
                   {"title": "mounted time / CPU time", "head": ["burners", "x"], "rows": [
                       [burners, str(each)] for burners, each in mounted.items()]},
                   *({"title": f"CPU ns of one, with one carrier, {each}", "head": cost_head(rounds),
                      "rows": cost_rows(rounds)} for each, rounds in costs_of(data).items())],
        "why": "A carrier that waits for a CPU between two virtual threads has time that no virtual thread "
               "has."}


SUM_HEAD = ["clock", "slices of 2 ms", "1 ms", "100 us", "10 us", "50 us, then a park"]
SLICES = ("2000", "1000", "100", "10", "parked")
UNREPORTED = "-XX:+UnlockExperimentalVMOptions", "-XX:-DoJVMTIVirtualThreadTransitions"
# What it is called, the program's way, the agent's options, the JVM's flags.
WAYS = {"nothing": ("without an agent", "nothing", None, ()),
        "environment": ("an empty agent", "environment", None, ()),
        "events": ("its events", "events", None, ()),
        "interpolated": ("interpolated", "interpolated", "virtual=on", ()),
        "tick": ("tick", "tick", "virtual=tick", ()),
        "now": ("now", "now", "virtual=now", ()),
        "by_events": ("interpolated, by events", "interpolated", "virtual=on",
                      ("-Dthreadclock.switches=events",)),
        "off": ("switched off again", "off", None, ()),
        "unreported": ("interpolated, with the flag", "interpolated", "virtual=on", UNREPORTED)}
QUICK_WAYS = "nothing", "interpolated"
FEW = "nothing", "environment", "interpolated", "by_events" # on JDKs other than the newest
NAMES = {"yield": "a yield, two threads", "park": "a park and an unpark", "start": "a thread's start and end"}


def costs_of(data):
    return {data["jdk"]: data["cost"], **data.get("others", {})}


def mounted_by(data):
    """Mounted time over CPU time, by the number of burners."""
    return {burners: stats.interval(stats.column(data["right"], "mounted", burners))
            for burners in data["right"][0]["mounted"]}


def sum_rows(data):
    clocks = dict.fromkeys(name.split()[0] for name in data["right"][0]["sum"])
    return [[clock, *(f"{stats.interval(stats.column(data['right'], 'sum', f'{clock} {micros}'))} %"
                      for micros in SLICES)] for clock in clocks]


def cost_head(rounds):
    return ["", *(WAYS[way][0] for way in rounds[0]["yield"])]


def cost_cells(rounds, what, ways):
    alone = stats.column(rounds, what, "nothing")
    return [str(stats.interval(alone)), *(f"{stats.ratio(stats.column(rounds, what, way), alone)} x"
                                          for way in ways if way != "nothing")]


def cost_rows(rounds):
    return [[NAMES[what], *cost_cells(rounds, what, ways)] for what, ways in rounds[0].items()]


def right_view(data):
    mounted = ", ".join(f"{each} x the CPU time beside {burners} burners"
                        for burners, each in mounted_by(data).items())
    return f"{data['jdk']}:\n\n{page.markdown_table(SUM_HEAD, sum_rows(data))}\n\nMounted time: {mounted}."


def cost_view(data):
    """All ways on the newest JDK, and a few of them on the others."""
    others = {each: rounds for each, rounds in costs_of(data).items() if each != data["jdk"]}
    few = page.markdown_table(["", *(WAYS[way][0] for way in FEW)], [
        [f"{name}, {each}", *cost_cells(rounds, what, FEW)] for what, name in NAMES.items()
        for each, rounds in others.items()])
    return "\n\n".join([page.markdown_table(cost_head(data["cost"]), cost_rows(data["cost"])),
                        "CPU nanoseconds in a JVM without an agent; else how many times as much; "
                        f"{data['jdk']}.", *([few] if others else [])])


VIEWS = {"right": right_view, "cost": cost_view}
