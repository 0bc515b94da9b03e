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
    return f"{machine['cpu']}{model}, {machine['cpus']} CPUs{virtual}, Linux {machine['kernel']}"


def run_times():
    """CPU seconds of this process with its ended children, and of all processes that /proc shows.

    The scheduler's run times, which the kernel only scales: /proc/stat instead counts ticks, which is the
    error that this project is about. A process's fields 14 to 17 include the children that it has waited for.
    """
    own = sum(os.times()[:4])
    everything = 0.0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            fields = text(f"/proc/{entry.name}/stat").rpartition(")")[2].split()
            everything += sum(map(int, fields[11:15])) * TICK if len(fields) > 15 else 0
    return own, everything


def stolen():
    """Seconds that the hypervisor took: time that was measured, not ticks."""
    fields = text("/proc/stat").partition("\n")[0].split()
    return int(fields[8]) * TICK if len(fields) > 8 else 0.0


def pressure():
    """Seconds in which some task waited for a CPU, or None where the kernel has no PSI."""
    found = re.search(r"^some .*total=(\d+)", text("/proc/pressure/cpu"), re.M)
    return int(found[1]) / 1e6 if found else None


class Noise:
    """Watches one repetition: with Noise() as noise: ...; then noise.shares."""

    def __enter__(self):
        self.began = time.monotonic(), run_times(), stolen(), pressure()
        return self

    def __exit__(self, *failure):
        (start, (own, everything), steal, waited) = self.began
        own_now, everything_now = run_times()
        elapsed = max(time.monotonic() - start, 1e-3)
        others = (everything_now - everything) - (own_now - own)
        now = pressure()
        self.shares = {"others": round(max(0.0, others) / elapsed / CPUS, 3),
            "steal": round((stolen() - steal) / elapsed / CPUS, 3),
            # Includes our own threads that wait for each other, so it is shown but decides nothing.
            "pressure": None if now is None or waited is None else round((now - waited) / elapsed, 3), }
        return False

    @property
    def disturbed(self):
        return self.shares["others"] > OTHERS_LIMIT or self.shares["steal"] > STEAL_LIMIT
