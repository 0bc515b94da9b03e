# SPDX-License-Identifier: Apache-2.0
"""The machine: what it is, and what else it does while something is measured."""
import os
import platform
import re
import time
from pathlib import Path

TICK = 1 / os.sysconf("SC_CLK_TCK")
CPUS = len(os.sched_getaffinity(0))
# A repetition is disturbed from these shares of all CPUs' time on.
OTHERS_LIMIT, STEAL_LIMIT = 0.10, 0.02


def text(path):
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def describe():
    cpu = re.search(r"^(?:model name|Model)\s*:\s*(.+)$", text("/proc/cpuinfo"), re.M)
    release = re.search(r'^PRETTY_NAME="?([^"\n]*)', text("/etc/os-release"), re.M)
    numbers = re.findall(r"^(?:cpu family|model|CPU part)\s*:\s*(\S+)$", text("/proc/cpuinfo"), re.M)[:2]
    return {"cpu": cpu[1].strip() if cpu else platform.machine(), "model": "-".join(numbers), "cpus": CPUS,
        "virtual": " hypervisor" in text("/proc/cpuinfo"), "kernel": platform.release(),
        "os": release[1] if release else "",
        "clock_source": text("/sys/devices/system/clocksource/clocksource0/current_clocksource").strip(),
        "root": os.geteuid() == 0, }


def in_words(machine):
    model = f" ({machine['model']})" if machine.get("model") else ""
    virtual = " (virtual)" if machine["virtual"] else ""
    kernel = f", Linux {machine['kernel']}" if machine["kernel"] else "" # not recorded in 2026-11
    return f"{machine['cpu']}{model}, {machine['cpus']} CPUs{virtual}{kernel}"


def run_times():
    """CPU seconds of each process that /proc shows: its own, and those of children that it has waited for.

    The scheduler's run times, which the kernel only scales: /proc/stat instead counts ticks, which is the
    error that this project is about.
    """
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            fields = text(f"/proc/{entry.name}/stat").rpartition(")")[2].split()
            if len(fields) > 19:  # A PID with its start: it may be another process's later.
                user, system, of_children, system_of_children = (int(field) * TICK for field in fields[11:15])
                found[int(entry.name), fields[19]] = user + system, of_children + system_of_children
    return found


def run_by_others(before, now):
    """CPU seconds of all processes but this one and its ended children, between two run_times().

    A process that has ended is in its parent's times, unless that one ignores its children or has ended too:
    then all that it ever used is missing. What those used that are still there is the least that it was.
    """
    own = os.getpid()

    def total(times):
        return sum(sum(seconds) for (pid, _), seconds in times.items() if pid != own)

    still_there = sum(now[of][0] - before.get(of, (0, 0))[0] for of in now if of[0] != own)
    return max(total(now) - total(before), still_there)


def stolen():
    """Seconds that the hypervisor took: time that was measured, not ticks."""
    fields = text("/proc/stat").partition("\n")[0].split()
    return int(fields[8]) * TICK if len(fields) > 8 else 0.0


class Noise:
    """Watches one repetition: with Noise() as noise: ...; then noise.shares."""

    def __enter__(self):
        self.began = time.monotonic(), run_times(), stolen()
        return self

    def __exit__(self, *failure):
        start, before, steal = self.began
        others = run_by_others(before, run_times())
        elapsed = max(time.monotonic() - start, 1e-3)
        self.shares = {"others": round(others / elapsed / CPUS, 3),
            "steal": round((stolen() - steal) / elapsed / CPUS, 3)}
        return False

    @property
    def disturbed(self):
        return self.shares["others"] > OTHERS_LIMIT or self.shares["steal"] > STEAL_LIMIT
