# SPDX-License-Identifier: Apache-2.0
"""Debian's kernels, booted in software emulation: C tests, rightness, virtual threads."""
import json
import os
import re
import shutil
import subprocess
from statistics import median

from experiments import rightness
from frame import guest, page, verdict
from frame.result import in_words
from frame.lab import BUILD, JAR, PROGRAMS, ROOT, Failure, NotRunnable, say

OURS = ("On each of Debian's kernels, with every way of accounting that it has, the agent's user time is "
        "right, the C tests pass, and doctor says what a thread's CPU time contains besides its own work.")
CONDITIONS = (
    "Kernels of Debian's packages in qemu-system without KVM; JDK 27 and the C library of its packages; "
    "times in these guests are 5 to 50 times longer than on hardware, so costs say nothing")
CODE = ["native/core", "native/agent", "native/jvm", "lab/programs/interrupted.c", "lab/programs/split.c",
        "lab/programs/java/VirtualCosts.java"]
SECONDS = 300, 1200
# Debian's suite, machine, kernel, arguments for it, CPUs, and the CPU that the programs are bound to.
KERNELS = (
    ("bookworm", "x86_64", "cloud", "", 2, None),
    ("bookworm", "x86_64", "rt", "", 2, None),
    ("trixie", "x86_64", "cloud", "", 2, None),
    ("sid", "x86_64", "cloud", "", 2, None),
    ("sid", "x86_64", "cloud", "", 1, None),
    ("sid", "x86_64", "cloud", "nohz_full=1", 2, 1),
    ("bookworm", "aarch64", "cloud", "", 2, None),
    ("trixie", "aarch64", "cloud", "", 2, None),
    ("sid", "aarch64", "cloud", "", 2, None),
)
QUICK = (0, 2, 3)
NEEDED = "split", "demo", "virtual", "passed"
TICK_NS = 4_000_000 # HZ is 250 in all of them
LOADS, OURS_BY = ("around ticks", "between ticks"), "threadclock, tick"
# They ask for the truth about loads around and between ticks: no judges where the kernel's own split is not
# the truth, because its ticks find the thread elsewhere.
BY_LOADS = {"own_thread", "clock_id", "threads"}
# Their limits are times, which an emulated kernel cannot keep; fork stops at each instruction of a read.
TOO_SLOW = {"threads", "tid_reuse", "process_threads", "interval", "fork"}
# Long ones, and those that a busy host makes fail: the time for which it stops an emulated processor is CPU
# time in the guest.
IN_FULL_ONLY = {"virtual_threads", "fallback", "own_thread", "registrations", "identity", "clock_id",
                "operations", "faults", "signal"}
QUICK_LIMIT_S = 1100  # of the clock, for a guest: three of them within the part's hour
# The C tests and what else the guest runs, for a C library that is older than any guest's.
BUILD_C = """
. ci/lib/common.bash; . ci/lib/build.bash; . ci/lib/jdks.bash; . ci/lib/aarch64.bash
why='' target={machine}-linux-gnu.2.31
ensure_zig && ensure_aarch64 || {{ echo "$why"; exit 75; }}
build_tests {folder} $target -DTHREADCLOCK_JVM=OFF && for name in split interrupted; do
    "$zig" cc -target $target -O2 -std=gnu11 -D_GNU_SOURCE -Inative/include -Inative/test -o {folder}/$name \
        lab/programs/$name.c native/test/loads.c {library} -lpthread || exit
done && "$zig" cc -target $target -shared -fPIC -I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" \
    -o {folder}/libfor_java.so lab/programs/for_java.c
"""


def c_programs(lab, machine, library):
    """{path in the guest: program}, built for a machine."""
    folder = BUILD / "kernels/c" / machine
    script = BUILD_C.format(machine=machine, folder=folder, library=library)
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "TC_ROOT": str(ROOT), "JAVA_HOME": str(lab.builder.home)})
    if done.returncode != 0:
        raise (NotRunnable if done.returncode == 75 else Failure)(
            f"the C tests for {machine} cannot be built: {(done.stdout + done.stderr).strip()[-300:]}")
    listed = subprocess.run(["ctest", "--test-dir", folder / "native", "--show-only=json-v1"],
                            capture_output=True, text=True)
    alone = {test["name"]: test["command"][0] for test in json.loads(listed.stdout)["tests"]
             if len(test["command"]) == 1}
    left_out = TOO_SLOW | (IN_FULL_ONLY if lab.quick else set())
    return {"tc/split": folder / "split", "tc/interrupted": folder / "interrupted",
            "tc/libfor_java.so": folder / "libfor_java.so",
            "tc/libcmocka.so.0": folder / "cmocka/src/libcmocka.so.0",
            **{f"tc/tests/{name}": file for name, file in alone.items() if name not in left_out}}


def classes(lab):
    folder = BUILD / "kernels/classes"
    shutil.rmtree(folder, ignore_errors=True)
    lab.run([lab.builder.home / "bin/javac", "-nowarn", "--release", "21", "-cp", JAR, "-d", folder,
             PROGRAMS / "java/VirtualCosts.java"])
    return {f"tc/classes/{file.name}": file for file in folder.glob("*.class")}


def root(lab, machine):
    """The files of a machine's guests."""
    if not lab.builder:
        raise NotRunnable("there is no JDK 17 or later to compile with")
    library = ROOT / f"dist/linux-{machine}/libthreadclock.so"
    if not library.exists():
        raise NotRunnable(f"there is no library for {machine}: ./threadclock build --all")
    jdk = guest.jdk_root(machine, next((jdk for jdk in lab.jdks if jdk.feature == 27), None))
    return guest.root(machine, jdk, {
        "tc/threadclock.jar": JAR, "tc/libthreadclock.so.0": library,
        f"tc/linux-{machine}/libthreadclock.so": library,
        **c_programs(lab, machine, library), **classes(lab)})


def commands(machine, cpu, quick):
    bound = f"taskset -c {cpu} " if cpu is not None else ""
    java = (f"{bound}/usr/lib/jvm/java-27-openjdk-{guest.MACHINES[machine][0]}/bin/java "
            "-XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED")
    jar = f"{java} -jar /tc/threadclock.jar"
    # The clock goes on, and with it a program's CPU time, where the host stops the guest: qemu has a limit.
    tests = (f"for t in /tc/tests/*; do {bound}timeout 900 $t >/tmp/said 2>&1; s=$?; "
             "echo \"test ${t##*/} $s\"; [[ $s = 0 ]] || tail -n 40 /tmp/said; done")
    return {"kernel": "uname -r; cat /sys/devices/system/clocksource/clocksource0/current_clocksource",
            **({} if quick else {"doctor": f"{jar} doctor --no-jdks --json",
                                 "interrupted": "/tc/interrupted 400 3"}),
            "split": f"{bound}/tc/split loads 1000",
            "demo": f"{jar} demo --quick --json - 2>/tmp/said || (tail /tmp/said; exit 1)",
            "virtual": f"{java} -cp /tc/threadclock.jar:/tc/classes VirtualCosts bounds "
                       f"{100 if quick else 1000} /tc/libfor_java.so",
            "tests": tests}


def guests(lab):
    """{name: its line of KERNELS} of those to boot."""
    named = {f"Debian {', '.join(one[:3])}, {what(*one[3:5])}": one for one in KERNELS}
    chosen = {name: one for name, one in named.items()
              if (any(text in name for text in lab.kernels) if lab.kernels else not lab.quick
                  or KERNELS.index(one) in QUICK)}
    if not chosen:
        raise NotRunnable(f"--kernel names none of these: {'; '.join(named)}")
    return chosen


def what(arguments, cpus):
    return f"{arguments}{', ' if arguments else ''}{cpus} CPU{'s' if cpus > 1 else ''}"


def run(lab):
    """Boots the kernels that lab.kernels names, or all; the others are as last found with the same build."""
    store, build, roots = guest.FOLDER / "found.json", [JAR.stat().st_mtime, lab.quick], {}
    earlier = json.loads(store.read_text()) if lab.kernels and store.exists() else {}
    found = {name: one for name, one in earlier.items() if one["build"] == build}
    for name, (suite, machine, flavour, arguments, cpus, cpu) in guests(lab).items():
        try:
            if machine not in roots:
                roots[machine] = root(lab, machine)
            vmlinuz, configuration = guest.kernel(suite, machine, flavour)
            archive = guest.initramfs(roots[machine], configuration, commands(machine, cpu, lab.quick))
            said = guest.boot(machine, vmlinuz, archive, arguments, cpus,
                              **({"limit": QUICK_LIMIT_S} if lab.quick else {}))
            release = said["kernel"][1].split()[0] if "kernel" in said else name
            found[name] = {"name": f"{release}, {what(arguments, cpus)}", **results(said)}
        except Exception as problem: # of this guest: the others are found
            found[name] = {"name": name, "problem": in_words(problem),
                           "missing": isinstance(problem, NotRunnable)}
        found[name]["build"] = build
        store.write_text(json.dumps(found))
        say(f"  {name}: {found[name].get('problem', 'done')}")
    if all("problem" in one for one in found.values()): # no guest gave a result
        raise (NotRunnable if all(one.get("missing") for one in found.values()) else Failure)(
            "; ".join(dict.fromkeys(one["problem"] for one in found.values())))
    return [found[name] for name in sorted(found)]


def results(said):
    """What the guest's commands printed, as far as they came."""
    found = {f"no {what}": said[what][1][-300:] for what in NEEDED if what in said and said[what][0] != 0}
    found["clocksource"] = said["kernel"][1].split()[-1] if "kernel" in said else "?"
    if "doctor" in said:
        machine = json.loads(said["doctor"][1][said["doctor"][1].index("{"):])["machine"]
        found["doctor"] = {key: machine[key]["text"] for key in ("accounting", "rseq", "virtualClock")
                           if key in machine}
        found["doctor"]["cpuTime"] = machine["cpuTime"]["value"]
    if "interrupted" in said and said["interrupted"][0] == 0:
        found["interrupted"] = json.loads(said["interrupted"][1].replace(guest.STOP + "\n", ""))
    if "split" in said and said["split"][1].startswith("{"):
        found["split"] = json.loads(said["split"][1])
    if "demo" in said and said["demo"][0] == 0 and "{" in said["demo"][1]:
        one = json.loads(said["demo"][1][said["demo"][1].index("{"):])["jdks"][0]
        found["demo"] = {when: {load: one[when][load] for load in ("aroundTicks", "betweenTicks")}
                         for when in ("before", "with")}
    if "virtual" in said and said["virtual"][1].startswith("bounds "):
        found["virtual"] = list(map(int, said["virtual"][1].split()[1:4]))
    if "tests" in said:
        ended = re.findall(r"^test (\w+) (\d+)\n?(.*?)(?=^test |\Z)", said["tests"][1], re.M | re.S)
        found["tests"] = {name: f"exit status {status}: {text.strip().replace(f'{ROOT}/', '')}"
                          for name, status, text in ended if status not in ("0", "77")}
        found["passed"] = sum(status == "0" for _, status, _ in ended)
    return found


def share(load, source):
    """User time of a thread that only computes, in percent of its CPU time."""
    return 100 * load["readings"][source][0] / load["total_ns"]


def in_jvm(one, when, run="aroundTicks"):
    """The same by ThreadMXBean."""
    measured = one["demo"][when][run]
    return 100 * measured["userNanos"] / measured["cpuNanos"]


def contained(one, way):
    """What a thread's total contains besides its work. Medians of the rounds in ns: [what is not work, total,
    system time; the CPU's hard interrupts, softirqs, stolen time]; None if this kernel does not have it."""
    rounds = one.get("interrupted", [])
    if not rounds or way not in rounds[0]:
        return None
    piece_ns = min(total / pieces for pieces, _, total, *_ in (each["alone"] for each in rounds))
    return [median(column) for column in zip(*(
        (total - pieces * piece_ns, total, total - user, *cpu)
        for pieces, _, total, user, *cpu in (each[way] for each in rounds)))]


def misjudged(one):
    """Where doctor says something else about a thread's CPU time than was measured."""
    said = one["doctor"]["cpuTime"] or "unknown"
    for what, way, least in (("stolen time", "stopped", .3), ("interrupts", "calls", .1)):
        if (found := contained(one, way)) and (what in said) != (found[0] > least * found[1]):
            yield f"{one['name']}: {found[0] / found[1]:.0%} {what} in the total, but doctor says: {said}"


def is_off(one):
    """Whether the kernel's own split of work around ticks is off: they find the thread elsewhere."""
    load = one["split"][LOADS[0]]
    return abs(load["readings"]["/proc"][0] - load["user_ns"]) > max(20_000_000, .1 * load["total_ns"])


def wrong(one):
    """What is not as it should be on this kernel."""
    if "problem" in one:
        return [f"{one['name']}: {one['problem']}"]
    if lacks := [what for what in NEEDED if what not in one]:
        return [f"{one['name']}: no {what}: {one.get('no ' + what, 'ended too early')}" for what in lacks]
    # The kernel's own split, which /proc shows a moment later, each part in steps of 10 ms.
    bad = [f"{one['name']}: {name}" for name in LOADS for load in [one["split"][name]]
           if abs(load["readings"][OURS_BY][0] - load["readings"]["/proc"][0]) > max(
               40_000_000, .1 * load["total_ns"])]
    # A busy host makes ticks and threads come late. If few ticks hit a thread, all may find it in the kernel;
    # then its user time is 0. JDK 27 alone shows how many hit it.
    for run in "aroundTicks", "betweenTicks":
        alone, measured = one["demo"]["before"][run], one["demo"]["with"][run]
        on_time = measured["roundsOnTime"] >= rightness.ON_TIME * measured["rounds"]
        hit = alone["userNanos"] > .5 * alone["rounds"] * TICK_NS
        if not (50 if on_time and hit else 0) <= in_jvm(one, "with", run) <= 101:
            bad.append(f"{one['name']}: {run} in the JVM")
    slices, threads, carriers = one["virtual"]
    if not .99 * slices <= threads <= 1.01 * carriers:
        bad.append(f"{one['name']}: virtual threads: {threads} ns, but {slices} in slices, {carriers} in all")
    if "doctor" in one:
        bad += misjudged(one) if "interrupted" in one else [f"{one['name']}: no interrupted"]
    if not one["passed"]:
        bad.append(f"{one['name']}: no C test passed")
    unjudged = BY_LOADS if is_off(one) else set()
    return bad + [f"{one['name']}: {test}: {' '.join(text.split())[-300:]}"
                  for test, text in one["tests"].items() if test not in unjudged]


def absent(data):
    return "; ".join(f"{one['name']}: {one['problem']}" for one in data if one.get("missing"))


def judge(data, quiet):
    booted = [one for one in data if not one.get("missing")]
    bad = [line for one in booted for line in wrong(one)]
    text = f"{len(booted)} kernels; {'; '.join(bad) or 'all right'}"
    text += f"; not booted: {absent(data)}" if absent(data) else ""
    return {"ours": verdict.holds(not bad, text) if booted else verdict.absent(absent(data)),
        "tables": [{"title": "kernels", "head": HEAD, "rows": table(data)}, {
            "title": "what a thread's CPU time contains", "head": CONTENTS, "rows": list(contents(data))}]}


HEAD = ["kernel", "clock source", "around ticks: VIRT, /proc, threadclock", "between ticks",
        "around ticks, ThreadMXBean: alone, with the agent", "interpolated total",
        "slices of 1 ms by the kernel's clock, their virtual threads' time, of the carriers' time", "C tests"]


def table(data):
    rows = []
    for one in data:
        if "problem" in one or any(what not in one for what in NEEDED):
            rows.append([one["name"], one.get("problem", "ended too early"), *[""] * 6])
            continue
        rows.append([one["name"], one["clocksource"],
                     *(", ".join(f"{share(one['split'][name], source):.0f} %"
                                 for source in ("VIRT", "/proc", OURS_BY)) for name in LOADS),
                     f"{in_jvm(one, 'before'):.0f} %, {in_jvm(one, 'with'):.0f} %",
                     "no" if one.get("doctor", {}).get("rseq", "not").startswith("not") else "yes",
                     ", ".join(f"{100 * part / one['virtual'][2]:.1f} %" for part in one["virtual"][:2]),
                     f"{one['passed']} passed" + (f", not {', '.join(one['tests'])}" if one["tests"] else "")
                     + (" (its own split is off)" if is_off(one) else "")])
    return rows


def percent(values, total):
    return ", ".join(f"{100 * value / total:.0f}" for value in values) + " %"


def contents(data):
    """For each kernel, what a thread's total contains."""
    for one in data:
        cells = []
        for way, column in (("packets", 4), ("calls", 3)):
            found = contained(one, way)
            cells.append(percent((found[0], found[2], found[column]), found[1]) if found else "-")
        if stopped := contained(one, "stopped"):
            yield [one["name"], *cells, f"{stopped[0] / 1e6:,.0f}, {stopped[5] / 1e6:,.0f} ms"]


CONTENTS = ["kernel", "packets: part of its total, its system time, softirqs by /proc/stat",
            "calls: part of its total, its system time, interrupts by /proc/stat",
            "stopped for 1,000 ms: more total, stolen by /proc/stat"]
# Why tests fail on kernels with this in their names: assumptions that do not hold there.
ASSUMED = {"nohz_full": "it seems that another CPU's reading of a raw clock does not bound the thread's own"}


def view(data):
    why = "; ".join(f"with `{name}` {reason}" for name, reason in ASSUMED.items()
                    if any(name in one["name"] and one.get("tests") for one in data))
    return page.markdown_table(HEAD, table(data)) + f"""

User time of a thread that only computes, in percent of its CPU time. 100 % is right; the kernel's own
split (/proc) is the best available reference. Where that is off, as emulation often makes it, the tests
{" and ".join(f"`{one}`" for one in sorted(BY_LOADS - TOO_SLOW))} are not judged.""" + (
        f" Some tests fail because of their own assumptions: {why}." if why else "")


VIEWS = {"": view,
         "contents": lambda data: page.markdown_table(CONTENTS, contents(data))}
