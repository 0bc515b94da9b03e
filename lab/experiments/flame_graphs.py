# SPDX-License-Identifier: Apache-2.0
"""Where the time of a read goes."""
import re

from frame import verdict
from frame.lab import BUILD, READ_CODE, Failure, NotRunnable

ROW = 8
SOURCE = "QuestDB blog: flame graphs by async-profiler"
CLAIM = (
    "Before: open, read, close and locks in the kernel. After: one system call, in it the look-up of the TID "
    "in a "
    "radix tree.")
OURS = "With threadclock less than a twentieth of the samples is in the kernel."
CONDITIONS = ("async-profiler 4.6 in a JVM that reads its user time, each ms of CPU time; perf events, else "
              "timers")
CODE = [*READ_CODE, "lab/programs/java/Reads.java"]
SECONDS = 5, 70
EVENTS = ("cpu", "ctimer", "itimer") # the first one shows the kernel's frames, where it is permitted
MOST, LEAST = 0.5, 0.05
PARTS = {
    "file": r"(^|;)(os::)?(fopen\w*|fread|fclose|__fopen_internal|_IO_new_fclose|(__GI_+)?(libc_)?(open|"
    r"open64|openat|read|close)|__(x64|arm64)_sys_(openat|read|close)|ksys_read)(_\[k\])?(;|$)",
    "text": "scanf|strtol|strchr|strrchr",
    "locks": "spin_lock|lockref|mutex|lock_task_sighand|rwsem",
    "clock": "clock_gettime|posix_cpu_clock_get|getrusage",
    "look-up of the TID": "find_vpid|idr_find|radix_tree|pid_task|find_pid_ns|pid_for_clock",
    "kernel": r"_\[k\]",
}


def shares(collapsed):
    """The share of the samples in each part, of stacks 'frame;frame count'; {} without samples."""
    counts = [line.rpartition(" ") for line in collapsed.splitlines() if " " in line]
    total = sum(int(count) for *_, count in counts)
    return {part: sum(int(count) for stack, _, count in counts if re.search(pattern, stack)) / total
            for part, pattern in PARTS.items()} if total else {}


def run(lab):
    profiler, seconds = lab.async_profiler(), 1 if lab.quick else 10
    pair, reason = lab.pair()
    found = {}

    def record(jdk, agent, event, suffix):
        file = BUILD / f"profile.{suffix}"
        file.unlink(missing_ok=True)
        lab.java(jdk, "Reads", "seconds", "user", seconds, agent=agent, options=(
            "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints",
            f"-agentpath:{profiler}=start,event={event},interval=1ms,threads=false,include=*Reads.run*,"
            f"file={file}"))
        return file.read_text() if file.exists() else ""
    for kind, jdk in pair.items():
        for agent in (None, ""):
            name = f"{jdk}{'' if agent is None else ' with threadclock'}"
            for event in EVENTS:
                try:
                    found[name] = {"kind": kind if agent is None else "threadclock", "event": event,
                                   "shares": shares(record(jdk, agent, event, "collapsed"))}
                except Failure: # a JVM ends if the profiler may not use the event
                    continue
                if found[name]["shares"]:
                    break
            if not found.get(name, {}).get("shares"):
                raise NotRunnable(f"async-profiler gets no samples here by any of {', '.join(EVENTS)}")
    return {"absent": reason, "found": found}


def judge(data, quiet):
    by_kind = {one["kind"]: one for one in data["found"].values()}
    if data["absent"]:
        theirs = verdict.absent(data["absent"])
    else:
        before, after = by_kind["legacy"]["shares"], by_kind["virt"]["shares"]
        theirs = verdict.holds(
            before["file"] > MOST and after["clock"] > MOST and after["file"] < LEAST,
            f"in file operations {100 * before['file']:.0f} % of the samples before, "
            f"{100 * after['file']:.0f} % after; then {100 * after['clock']:.0f} % in reading the clock, "
            f"{100 * after['look-up of the TID']:.0f} % in the look-up of the TID")
    kernel = [one["shares"]["kernel"] for one in data["found"].values() if one["kind"] == "threadclock"]
    seen = by_kind.get("legacy", by_kind.get("virt"))["shares"]["kernel"] > 0
    ours = verdict.absent(
        "the profiler may not see the kernel's frames here (kernel.perf_event_paranoid)") if not seen else (
            verdict.holds(max(kernel) < LEAST, f"at most {100 * max(kernel):.1f} % in the kernel"))
    rows = [[name, one["event"], *(f"{100 * share:.1f} %" for share in one["shares"].values())]
            for name, one in data["found"].items()]
    return {"published": theirs, "ours": ours,
        "tables": [{"title": "share of the samples whose stack has such a frame",
                    "head": ["", "event", *PARTS], "rows": rows}],
        "why": "Frames overlap: a lock inside open() counts in both. Symbols need kernel.kptr_restrict=0."}
