# SPDX-License-Identifier: Apache-2.0
"""Debian's kernels, booted in software emulation: C tests, rightness, virtual threads."""
import json
import re
import shutil
import subprocess
from pathlib import Path

from frame import guest, page, verdict
from frame.lab import BUILD, JAR, LIBRARY, PROGRAMS, ROOT, Failure, NotRunnable, say

ROWS = ()
SOURCE = CLAIM = None
OURS = ("On each of Debian's kernels, with every way of accounting that it has, the agent's user time is "
        "right, and the C tests pass.")
CONDITIONS = (
    "Kernels of Debian's packages in qemu-system-x86_64 without KVM; JDK 27 and the C library of its "
    "packages; times in these guests are 5 to 50 times longer than on hardware, so costs say nothing")
CODE = ["native/core", "native/agent", "native/jvm", "lab/frame/guest.py"]
SECONDS = 250, 1500
# Debian's suite, package, arguments for the kernel, CPUs, and the CPU that the programs are bound to.
KERNELS = (
    ("bookworm", "linux-image-cloud-amd64", "", 2, None),
    ("bookworm", "linux-image-rt-amd64", "", 2, None),
    ("trixie", "linux-image-cloud-amd64", "", 2, None),
    ("sid", "linux-image-cloud-amd64", "", 2, None),
    ("sid", "linux-image-cloud-amd64", "", 1, None),
    ("sid", "linux-image-cloud-amd64", "", 4, None),
    ("sid", "linux-image-cloud-amd64", "nohz_full=1", 2, 1),
    ("sid", "linux-image-cloud-amd64", "clocksource=hpet", 2, None),
)
QUICK = (0, 2, 3)
NEEDED = "split", "demo", "virtual", "passed"
LOADS, OURS_BY = ("around ticks", "between ticks"), "threadclock, tick"
OPTIONS = ("VIRT_CPU_ACCOUNTING_GEN", "PARAVIRT_TIME_ACCOUNTING", "IRQ_TIME_ACCOUNTING", "PREEMPT_RT")
# Their limits are times, which an emulated kernel cannot keep; fork stops at each instruction of a read.
TOO_SLOW = {"threads", "tid_reuse", "process_threads", "interval", "fork"}
# Long ones, and those that a busy host makes fail: the time for which it stops an emulated processor is CPU
# time in the guest.
IN_FULL_ONLY = {"virtual_threads", "fallback", "own_thread", "registrations", "identity", "clock_id",
                "operations", "faults", "signal"}
JAVA = ("/usr/lib/jvm/java-27-openjdk-amd64/bin/java -XX:TieredStopAtLevel=1 "
        "--enable-native-access=ALL-UNNAMED")


def c_tests(lab):
    """{name in the guest: program}, built for this machine; needs cmocka."""
    build = BUILD / "kernels/c"
    for command in (["cmake", "--preset", "release", "-B", build, "-DTHREADCLOCK_TESTS=ON",
                     f"-DJAVA_HOME={lab.builder.home}"],
                    ["cmake", "--build", build]):
        done = subprocess.run(command, cwd=ROOT / "native", capture_output=True, text=True)
        if done.returncode != 0:
            if not Path("/usr/include/cmocka.h").exists():
                raise NotRunnable("the C tests need cmocka: apt-get install libcmocka-dev")
            raise Failure(f"the C tests cannot be built: {done.stderr.strip()[-300:]}")
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True,
                            text=True)
    alone = {test["name"]: test["command"][0] for test in json.loads(listed.stdout)["tests"]
             if len(test["command"]) == 1 and not test["name"].startswith("agent_")}
    left_out = TOO_SLOW | (IN_FULL_ONLY if lab.quick else set())
    return {f"tc/tests/{name}": file for name, file in alone.items() if name not in left_out}


def libraries(programs):
    """What the programs are linked with beyond the C library: cmocka."""
    done = subprocess.run(["ldd", *programs], capture_output=True, text=True)
    return {f"usr/lib/x86_64-linux-gnu/{name}": path for name, path in
            {tuple(line.split()[::2][:2]) for line in done.stdout.splitlines() if "libcmocka" in line}}


def programs(lab):
    classes = BUILD / "kernels/classes"
    shutil.rmtree(classes, ignore_errors=True)
    done = subprocess.run([lab.builder.home / "bin/javac", "-nowarn", "-cp", JAR, "-d", classes,
                           PROGRAMS / "java/VirtualCosts.java"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"VirtualCosts cannot be compiled: {done.stderr.strip()[-300:]}")
    return {f"tc/classes/{file.name}": file for file in classes.glob("*.class")}


def commands(cpu, quick):
    bound = f"taskset -c {cpu} " if cpu is not None else ""
    jar = f"{bound}{JAVA} -jar /tc/threadclock.jar"
    tests = (f"for t in /tc/tests/*; do {bound}timeout 300 $t >/tmp/said 2>&1; s=$?; "
             "echo \"test ${t##*/} $s\"; [[ $s = 0 ]] || tail -n 40 /tmp/said; done")
    return {"kernel": "uname -r; cat /sys/devices/system/clocksource/clocksource0/current_clocksource",
            **({} if quick else {"doctor": f"{jar} doctor --no-jdks --json"}),
            "split": f"LD_LIBRARY_PATH=/tc {bound}/tc/split loads 1000",
            "demo": f"{jar} demo --no-html --quick --json - 2>/tmp/said",
            "virtual": f"{bound}{JAVA} -cp /tc/threadclock.jar:/tc/classes VirtualCosts right "
                       f"{100 if quick else 300}",
            "tests": tests}


def run(lab):
    jdk = next((jdk for jdk in lab.jdks if jdk.feature == 27), None)
    root = jdk and jdk.home.parent / "root"
    if not root or not root.is_dir() or not lab.builder:
        raise NotRunnable("JDK 27 of ci/jdks is missing: ci/jdks up 27")
    tests = c_tests(lab)
    folder = guest.root(root, {
        "tc/threadclock.jar": JAR, "tc/split": lab.c("split", "native/test/loads.c"),
        "tc/libthreadclock.so.0": LIBRARY,
        "tc/linux-x86_64/libthreadclock.so": LIBRARY,
        **tests, **libraries(tests.values()), **programs(lab)})
    found = []
    for index, (suite, package, arguments, cpus, cpu) in enumerate(KERNELS):
        if lab.quick and index not in QUICK:
            continue
        try:
            vmlinuz, configuration = guest.kernel(suite, package)
            said, _ = guest.boot(vmlinuz, guest.initramfs(folder, commands(cpu, lab.quick)), arguments, cpus)
            found.append({"name": name(said, package, arguments, cpus),
                          "options": guest.options(configuration, *OPTIONS), **results(said)})
        except (NotRunnable, Failure) as problem:
            found.append({"name": f"Debian {suite}, {package} {arguments}".strip(), "problem": str(problem),
                          "missing": isinstance(problem, NotRunnable)})
        say(f"  {found[-1]['name']}: {found[-1].get('problem', 'done')}")
    return found


def name(said, package, arguments, cpus):
    version = said["kernel"][1].split()[0] if "kernel" in said else package
    return ", ".join(filter(None, (version, arguments, f"{cpus} CPU{'s' if cpus > 1 else ''}")))


def results(said):
    """What the guest's commands printed, as far as they came."""
    found = {"clocksource": said["kernel"][1].split()[-1] if "kernel" in said else "?"}
    if "doctor" in said:
        machine = json.loads(said["doctor"][1][said["doctor"][1].index("{"):])["machine"]
        found["doctor"] = {key: machine[key]["text"] for key in ("accounting", "rseq", "virtualClock")
                           if key in machine}
    if "split" in said and said["split"][1].startswith("{"):
        found["split"] = json.loads(said["split"][1])
    if "demo" in said and "{" in said["demo"][1]:
        one = json.loads(said["demo"][1][said["demo"][1].index("{"):])["jdks"][0]
        if "with" in one:
            found["demo"] = {when: {load: one[when][load] for load in ("aroundTicks", "betweenTicks")}
                             for when in ("before", "with")}
    if "virtual" in said:
        sums = [line.split() for line in said["virtual"][1].splitlines() if line.startswith("sum ")]
        found["virtual"] = {f"{clock} {micros}": float(own) / float(carriers) * 100
                            for _, clock, micros, own, carriers in sums}
    if "tests" in said:
        ended = re.findall(r"^test (\w+) (\d+)\n?(.*?)(?=^test |\Z)", said["tests"][1], re.M | re.S)
        found["tests"] = {name: text.strip() for name, status, text in ended if status not in ("0", "77")}
        found["passed"] = sum(status == "0" for _, status, _ in ended)
    return found


def share(load, source):
    """User time of a thread that only computes, in percent of its CPU time."""
    return 100 * load["readings"][source][0] / load["total_ns"]


def in_jvm(one, when, run="aroundTicks"):
    """The same by ThreadMXBean."""
    measured = one["demo"][when][run]
    return 100 * measured["userNanos"] / measured["cpuNanos"]


def wrong(one):
    """What is not as it should be on this kernel."""
    if "problem" in one:
        return [f"{one['name']}: {one['problem']}"]
    if lacks := [what for what in NEEDED if what not in one]:
        return [f"{one['name']}: no {what}" for what in lacks]
    # The kernel's own split, which /proc shows a moment later, each part in steps of 10 ms.
    bad = [f"{one['name']}: {name}" for name in LOADS for load in [one["split"][name]]
           if abs(load["readings"][OURS_BY][0] - load["readings"]["/proc"][0]) > max(
               40_000_000, .1 * load["total_ns"])]
    # A busy host makes ticks come late, and with them the kernel's own split. The few ticks that hit a thread
    # that works between them may all find it in the kernel; then its user time is 0.
    bad += [f"{one['name']}: {run} in the JVM" for run, least in (("aroundTicks", 50), ("betweenTicks", 0))
            if not least <= in_jvm(one, "with", run) <= 101]
    if one["virtual"].get("interpolated 1000", 0) < 80:
        bad.append(f"{one['name']}: virtual threads")
    if not one["passed"]:
        bad.append(f"{one['name']}: no C test passed")
    return bad + [f"{one['name']}: {test}" for test in one["tests"]]


def judge(data, quiet):
    bad = [line for one in data for line in wrong(one)]
    return {"verdicts": {0: {"published": None, "ours": verdict.holds(
        not bad, f"{len(data)} kernels; {'; '.join(bad) or 'all right'}")}},
        "tables": [{"title": "kernels", "head": HEAD, "rows": table(data)}], "why": ""}


HEAD = ["kernel", "clock source", "around ticks: VIRT, /proc, threadclock", "between ticks",
        "around ticks, ThreadMXBean: alone, with the agent", "interpolated total",
        "virtual threads' time, of their carriers', at 1 ms", "C tests"]


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
                     one.get("doctor", {}).get("rseq", "").split(" (")[0],
                     f"{one['virtual']['interpolated 1000']:.1f} %",
                     f"{one['passed']} passed" + "".join(f"; {test} failed" for test in one["tests"])])
    return rows


VIEWS = {"": lambda data: page.markdown_table(HEAD, table(data)) + """

User time of a thread that only computes, in percent of its CPU time. 100 % is right; what the kernel's
own split (/proc) says is the best that is known."""}
