# SPDX-License-Identifier: Apache-2.0
"""What the kernel allocates for one read."""
import json
import os

from frame import stats, verdict
from frame.lab import CORE, PROGRAMS, NotRunnable

ROW = 6
SOURCE = "Norlinder's blog, bpftrace on kmalloc while one byte of the stat file is read"
CLAIM = "The kernel allocates one buffer of 4,096 bytes for each read, and frees it at close."
OURS = "No read except that of /proc allocates anything in the kernel."
CONDITIONS = ("bpftrace on kmem:kmalloc and kmem:kmem_cache_alloc, 1,000 reads of each source, by the "
              "thread's name")
PUBLISHED = {"buffer, bytes": 4096, "buffers per read": 1, "payload, bytes": 340}
PROC = ("one_byte", "proc")
OTHERS = ("tick", "interpolated", "virt_pid0", "virt_tid", "sched", "sched_tid", "rusage", "now", "getppid")
READS = 1000
STRAY = 0.02 # allocations a read by interrupts that come meanwhile
CODE = [*CORE, "lab/programs/reads.c", "lab/programs/kernel_allocation.bt"]
SECONDS = 4, 1


def run(lab):
    reads = lab.c("reads")
    bpftrace = lab.tool("bpftrace")
    if os.geteuid() != 0:
        raise NotRunnable("bpftrace needs root: run the lab as root")
    out = lab.run([bpftrace, "-f", "json", PROGRAMS / "kernel_allocation.bt", "-c",
                   f"{reads} count {READS} {' '.join(PROC + OTHERS)}"], 90)
    maps = {}
    for line in out.splitlines():
        one = json.loads(line) if line.startswith("{") else {}
        if one.get("type") == "map":
            maps.update(one["data"])
    found = {source: {name: values.get(f"tc:{source}", 0) / READS for name, values in maps.items()}
             for source in PROC + OTHERS}
    if abs(found["one_byte"].get("@pages", 0) - 1) > STRAY:
        raise NotRunnable(
            f"bpftrace saw {found['one_byte'].get('@pages', 0):.2f} buffers a read in the control, "
            "which allocates one: it miscounts here")
    return {"a_read": found}


def judge(data, quiet):
    found = data["a_read"]
    legacy = found["proc"].get("@pages", 0)
    most = max(found[source].get("@kmallocs", 0) + found[source].get("@objects", 0) for source in OTHERS)
    kinds = ("@pages", "@kmallocs", "@kmalloc_bytes", "@objects", "@object_bytes")
    rows = [[source, *(stats.number(values.get(kind, 0)) for kind in kinds)]
            for source, values in found.items()]
    return {
        "published": verdict.holds(abs(legacy - 1) <= STRAY,
                                   f"{legacy:.2f} buffers of 4,096 bytes a read of /proc"),
        "ours": verdict.holds(most <= STRAY,
                              f"each of {len(OTHERS)} others: at most {most:.3f} allocations a read"),
        "tables": [{"title": "allocations of one read", "rows": rows, "head": [
            "source", "buffers of 4,096 bytes", "kmallocs", "bytes", "slab objects", "their bytes"]}],
        "why": "Slab objects are what open() allocates besides the buffer: the file, its path, directory "
               "entries."}
