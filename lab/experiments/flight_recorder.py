# SPDX-License-Identifier: Apache-2.0
"""Flight Recorder's user and system time of threads against the kernel's."""
import json
from datetime import datetime

from experiments import rightness
from frame import page, verdict
from frame.lab import BUILD, READ_CODE, Failure, NotRunnable, jfr_settings

ROW = 18
OURS = (
    "Where the JVM reads /proc, and with reach=jvm on each JDK, jdk.ThreadCPULoad agrees with the kernel to "
    "5 % of the thread's CPU time and a tick per event. Where the JVM counts ticks, it does not.")
CONDITIONS = (
    "three threads at once for 10 s: around ticks, between them, in the kernel; a recording with an event "
    "each second; the truth is /proc, in steps of 10 ms; loads that missed their moments are dropped unseen. "
    "As it is: the newest JDK of each kind; with reach=jvm, the default at a JVM's start: each")
CODE = [*READ_CODE, *rightness.WORK, "native/agent/jvm_clock.c"]
SECONDS = 21, 175
NAMES = ("around", "between", "system")
MODES = {"as it is": None, "with reach=jvm": "reach=jvm"}


def run(lab):
    tick_ns, phase_ns = rightness.ticks(lab)
    settings, recording = jfr_settings("jdk.ThreadCPULoad", "period", "1000 ms"), BUILD / "load.jfr"
    found, notes, pair = {}, [], lab.pair()[0].values()
    for jdk in lab.chosen():
        for mode, options in MODES.items():
            if options is None and jdk not in (*pair, lab.newest()):
                continue
            recording.unlink(missing_ok=True)
            try:
                lines = lab.java(
                    jdk, "Loads", "together", 3000 if lab.quick else 10000, tick_ns, phase_ns, agent=options,
                    options=(f"-XX:StartFlightRecording=dumponexit=true,settings={settings},"
                             f"filename={recording}",))
                printed = lab.run([lab.builder.home / "bin/jfr", "print", "--json",
                                  "--events", "jdk.ThreadCPULoad", recording])
            except Failure as failure:
                notes.append(f"{jdk} makes no such recording: {str(failure)[:200]}")
                break
            loads = rightness.loads(lines)
            processors = next(int(line[1]) for line in lines if line[0] == "processors")
            add_recorded(loads, json.loads(printed)["recording"]["events"], processors)
            found[f"{jdk}, {mode}"] = {"kind": "legacy" if jdk.legacy else "virt", "mode": mode,
                                       "loads": loads}
    if not found:
        raise NotRunnable("; ".join(notes) or "no JDK here makes a recording")
    return {"tick_ns": tick_ns, "found": found, "notes": notes}


def add_recorded(loads, events, processors):
    """Sums the events of each thread: a share of all processors, since the events before."""
    values = [(datetime.fromisoformat(one["startTime"]).timestamp() * 1000, one)
              for one in (event["values"] for event in events)]
    values = [(at, one) for at, one in values if (one.get("eventThread") or {}).get("javaName") in loads]
    looks = sorted({at for at, _ in values})
    for name, load in loads.items():
        load.update(recorded_user=0.0, recorded_system=0.0, looks=len(looks))
        for at, one in values:
            if one["eventThread"]["javaName"] == name:
                before = max((look for look in looks if look < at), default=load["began"])
                available_ns = (at - max(before, load["began"])) * 1e6 * processors
                load["recorded_user"] += one["user"] * available_ns
                load["recorded_system"] += one["system"] * available_ns


def error(load):
    return max(abs(load[f"recorded_{part}"] - load[f"kernel_{part}"]) for part in ("user", "system")) / (
        load["kernel_user"] + load["kernel_system"])


def right(load, tick_ns):
    total = load["kernel_user"] + load["kernel_system"]
    return error(load) * total <= rightness.SHARE * total + load["looks"] * tick_ns + rightness.STEP_NS


def judge(data, quiet):
    wrong, shown, dropped = [], {}, 0
    for name, one in data["found"].items():
        claimed = one["kind"] == "legacy" or one["mode"] == "with reach=jvm"
        for thread in NAMES:
            load = one["loads"][thread]
            if load["on_time"] < rightness.ON_TIME:
                dropped += 1
                continue
            group = "claimed" if claimed else "VIRT"
            shown[group] = max(shown.get(group, 0), error(load))
            if claimed and not right(load, data["tick_ns"]):
                wrong.append(f"{name}, {thread}: {100 * error(load):.0f} %")
    virt = "no JDK here counts ticks"
    if "VIRT" in shown:
        virt = f"{100 * shown['VIRT']:.0f} % where the JVM counts ticks"
    text = (f"largest error {100 * shown.get('claimed', 0):.1f} % of a thread's CPU time where we claim it, "
            f"{virt}; {dropped} loads missed their moments")
    text += f"; wrong: {'; '.join(wrong[:4])}" if wrong else ""
    ours = verdict.holds(not wrong, text) if "claimed" in shown else verdict.Verdict(verdict.UNDECIDED, text)
    return {"ours": ours,
        "tables": [{"title": "ms of CPU time", "head": HEAD, "rows": rows(data)}],
        "why": "The kernel's own split is an estimate: where one tick found a thread in the kernel, it has "
               "system time there, too. Flight Recorder drops a period of more than a whole CPU. "
               + "; ".join(data["notes"])}


HEAD = ["", "the kernel: user, system", "Flight Recorder: user, system", "ThreadMXBean, user", "CPU time", ""]


def rows(data):
    def ms(*values):
        return ", ".join(f"{value / 1e6:,.0f}" for value in values)

    def kind(load):
        if load["on_time"] < rightness.ON_TIME:
            return "missed its moments"
        return "right" if right(load, data["tick_ns"]) else "wrong"
    return [[f"{name}: {rightness.LOADS[thread]}", ms(load["kernel_user"], load["kernel_system"]),
             ms(load["recorded_user"], load["recorded_system"]), ms(load["user"]), ms(load["total"]),
             kind(load)]
            for name, one in data["found"].items()
            for thread, load in one["loads"].items() if thread in NAMES]


def newest(data):
    """The newest JDK only, for the page."""
    name = list(data["found"])[-1].rpartition(", ")[0]
    kept = {**data, "found": {key: one for key, one in data["found"].items()
                              if key.startswith(name) and one["mode"] in MODES}}
    return page.markdown_table(HEAD, rows(kept))


VIEWS = {"": newest}
