# SPDX-License-Identifier: Apache-2.0
"""Right or not, and how fresh."""
import re

from frame import page, stats, verdict
from frame.lab import READ_CODE, ROOT

ROW = 14
OURS = ("threadclock splits a thread's time as the kernel does, to 5 % and a step of /proc, and user + "
        "system never exceeds total; a tick reading is never ahead and at most two ticks old. The VIRT clock "
        "is off by a multiple.")
CONDITIONS = (
    "threads whose work is known, each in a new thread; ticks are looked for elsewhere. Loads that missed "
    "their moments are dropped unseen. C: lab/programs/split; Java: ThreadMXBean on each JDK with the "
    "agent, and on the newest of each kind without")
PROBE = "java/command/src/main/java/dev/threadclock/command/probe"
# The command's own rule: the step of /proc, how far user time may be off, and how many rounds may be late.
RULE = dict(re.findall(r"([A-Z_]+) = ([\d_.]+);", (ROOT / PROBE / "TickRun.java").read_text()))
STEP_NS, SHARE, ON_TIME = (float(RULE[name]) for name in ("RESOLUTION_NANOS", "TOLERANCE", "ON_TIME"))
LOADS = {"around": "works around ticks", "between": "works between ticks", "user": "user mode",
         "system": "the kernel", "mix": "mix of 3 ms"}
WORK = ["lab/programs/java/Loads.java", f"{PROBE}/TickLoads.java", f"{PROBE}/TickRun.java"]
CODE = [*READ_CODE, *WORK, "lab/programs/split.c"]
SECONDS = 16, 200


def split(lab):
    return lab.c("split", "native/test/loads.c")


def ticks(lab):
    found = lab.json([split(lab), "ticks"])
    return found["tick_ns"], found["moment_ns"] % found["tick_ns"]


def run(lab):
    program, milliseconds, repetitions = split(lab), 400 if lab.quick else 2000, 2 if lab.quick else 5
    tick_ns, phase_ns = ticks(lab)
    data = {"tick_ns": tick_ns, "absent": None}
    data["c"] = [one["C"] for one in lab.rounds(
        {"C": lambda: lab.json([program, "loads", milliseconds])}, repetitions)]
    data["fresh"] = [fresh(lab.json([program, "fresh", 1 if lab.quick else 5])) for _ in range(repetitions)]
    data["java"], plain = {}, lab.pair()[0].values()
    for jdk in lab.chosen():
        for name, agent in (("as it is", None), ("with threadclock", "")):
            if agent is None and jdk not in plain:
                continue # that JDKs alike read alike is no claim
            data["java"][f"{jdk}, {name}"] = {
                "kind": "ours" if agent == "" else "legacy" if jdk.legacy else "virt", "rounds": [
                    loads(lab.java(jdk, "Loads", "alone", 400 if lab.quick else 1000, tick_ns, phase_ns,
                                   agent=agent)) for _ in range(1 if lab.quick else 2)]}
    return data


def fresh(found):
    return {name: {"backward": one["backward"], "behind": stats.quantiles(one["behind"]),
                   "ahead": stats.quantiles(one["ahead"])} for name, one in found.items()}


def loads(lines):
    """Lines "load NAME BEGAN TRUE-USER USER TOTAL KERNEL-USER KERNEL-SYSTEM ON-TIME RUN-TIME" of Loads."""
    return {line[1]: dict(zip(
        ("began", "true_user", "user", "total", "kernel_user", "kernel_system", "on_time", "run_time"),
        map(float, line[2:]))) for line in lines if line[0] == "load"}


def in_c(data):
    """[(load, source, reading - kernel, reading - truth, total)] of every run, as shares of the total."""
    for one in data["c"]:
        for load, found in one.items():
            kernel = found["readings"]["/proc"][0]
            for source, (user, system) in found["readings"].items():
                yield load, source, user, system, kernel, found["user_ns"], found["total_ns"]


def as_kernel(user, kernel, total):
    return abs(user - kernel) <= STEP_NS + SHARE * total


def judge(data, quiet):
    wrong, checked = [], 0
    for load, source, user, system, kernel, _, total in in_c(data):
        if source.startswith("threadclock"):
            checked += 1
            if not as_kernel(user, kernel, total) or user + system > total:
                wrong.append(f"C, {load}, {source}: user {user / 1e6:.1f} ms, the kernel {kernel / 1e6:.0f}")
    virt, dropped = [], 0
    for name, one in data["java"].items():
        for round_ in one["rounds"]:
            for load, found in round_.items():
                if found["on_time"] < ON_TIME:
                    dropped += 1
                    continue
                if one["kind"] == "virt":
                    virt.append((found["user"] - found["kernel_user"]) / found["total"])
                else:
                    checked += 1
                    if not as_kernel(found["user"], found["kernel_user"], found["total"]) or (
                            one["kind"] == "ours" and found["user"] > found["total"]):
                        wrong.append(f"{name}, {load}: {found['user'] / 1e6:.0f} ms, the kernel "
                                     f"{found['kernel_user'] / 1e6:.0f}")
    aged = [one["tick"]["behind"]["max"] for one in data["fresh"]]
    ahead = max(one["tick"]["ahead"]["max"] for one in data["fresh"])
    backward = sum(one[name]["backward"] for one in data["fresh"] for name in one)
    raw = [(user - kernel) / total for _, source, user, _, kernel, _, total in in_c(data) if source == "VIRT"]
    text = (
        f"{checked - len(wrong)} of {checked} readings as the kernel's ({dropped} loads missed their "
        f"moments); VIRT is off by {100 * min(raw + virt):+.0f} to {100 * max(raw + virt):+.0f} % of the "
        f"total; ticks: 99 % at most {max(one['tick']['behind']['p99'] for one in data['fresh']) / 1e6:.2f} "
        f"ms old, at most {max(aged) / 1e6:.1f} ms, {ahead:.0f} ns ahead, {backward} steps back")
    if wrong:
        text += f"; not: {'; '.join(wrong[:4])}"
    # An age of more than two ticks needs a CPU that was kept from its ticks: load, or the hypervisor.
    ours = verdict.holds(not wrong and ahead == 0 and backward == 0 and (
        min(raw + virt) < -.5 or max(raw + virt) > 1), text)
    old = [one["tick"]["behind"]["p99.9"] for one in data["fresh"]]
    if ours.kind == verdict.CONFIRMED and stats.interval(old).low > 2 * data["tick_ns"]:
        ours = verdict.Verdict(verdict.REFUTED if quiet else verdict.UNDECIDED, text)
    rows = [[f"{name}: {LOADS.get(load, load)}",
             *(f"{found[what] / 1e6:,.0f}" for what in ("true_user", "kernel_user", "user", "total")),
             f"{100 * found['on_time']:.0f} %"]
            for name, one in data["java"].items() for load, found in one["rounds"][0].items()]
    return {"ours": ours, "tables": [
        {"title": "C: user time of a thread against its own work, % of its total; mean [least, most] of the "
                  "runs", "head": HEAD, "rows": table(data)},
        {"title": "ThreadMXBean, first run, ms", "rows": rows, "head": [
            "", "worked in user mode", "user, kernel", "user, bean", "total", "rounds on time"]}],
        "why": "If only one or two ticks have found a thread, the kernel's own split is all or nothing, and "
               "any reader of it is off with it: that is the kernel's estimate, not a reader's error."}


HEAD = ["a thread that works", "CPU time, ms", "threadclock, tick", "now", "/proc (JDK 8 to 25.0.4)",
        "VIRT (JDK 25.0.5, 26 to 28)"]


def table(data):
    rows = []
    for load in data["c"][0]:
        runs = [one[load] for one in data["c"]]
        row = [load, stats.number(sum(one["total_ns"] for one in runs) / len(runs) / 1e6)]
        for source in ("threadclock, tick", "threadclock, now", "/proc", "VIRT"):
            errors = [100 * (one["readings"][source][0] - one["user_ns"]) / one["total_ns"] for one in runs]
            row.append(f"{sum(errors) / len(errors):+.1f} % [{min(errors):+.1f}, {max(errors):+.1f}]")
        rows.append(row)
    return rows


VIEWS = {"": lambda data: page.markdown_table(HEAD, table(data)) +
    f"\n\nError of user time as a share of the CPU time: mean [least, most] of {len(data['c'])} runs."}
