# SPDX-License-Identifier: Apache-2.0
"""What an experiment is given: the JDKs, the measured programs, and repetitions watched for noise."""
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

from . import jdks as all_jdks
from . import stats
from .machine import Noise

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/lab"
PROGRAMS = ROOT / "lab/programs"
ARCHITECTURE = {"arm64": "aarch64"}.get(os.uname().machine, os.uname().machine)
LIBRARY = ROOT / f"dist/linux-{ARCHITECTURE}/libthreadclock.so"
JAR = ROOT / "dist/threadclock.jar"
AGENT_JAR = ROOT / "dist/threadclock-agent.jar"
# Files on the path of a read: of the calling thread in a JVM with the agent, of any thread there, and of all
# kinds in C. inputs.followed() adds what they include.
OWN_READ = ["native/core/own_thread.c", "native/agent/natives.h", *(f"native/{name}.c" for name in (
    "agent/answers", "agent/binding", "jvm/java_binding", "jvm/jni"))]
READ_CODE = [*OWN_READ, "native/core/threads.c", "native/jvm/java_threads.c"]
CORE = [f"native/core/{name}.c" for name in ("own_thread", "process_threads", "source", "thread_times")]
LIMIT_S = 900


def library_java(*names):
    """Classes of the Java library, for an experiment's CODE."""
    return [f"java/library/src/main/java/dev/threadclock/{name}.java" for name in names]


class NotRunnable(Exception):
    """This machine, this user or these JDKs do not allow it; the message says what would change that."""


class Failure(Exception):
    """A program that should have run did not."""


JFR_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0"><event name="{}">
  <setting name="enabled">true</setting><setting name="{}">{}</setting>
</event></configuration>
"""


def jfr_settings(event, setting, value):
    """A file of settings with which Flight Recorder records this event alone."""
    file = BUILD / "lab.jfc"
    file.write_text(JFR_SETTINGS.format(event, setting, value))
    return file


def say(line):
    print(line, file=sys.stderr, flush=True)


def most(noises):
    """The largest shares of rounds."""
    return {name: max(one.get(name, 0) for one in noises) for one in noises for name in one}


# JMH's iterations and their seconds for a quick look: warm-up, then measurement.
QUICK = (1, .3, 1, .3)


class Lab:
    def __init__(self, jdks, quick=False, repetitions=None, kernels=()):
        self.jdks, self.quick, self.repetitions, self.kernels = jdks, quick, repetitions, kernels
        self.noise, self.quiet, self.dropped = {}, True, 0
        self.remembered = {}
        BUILD.mkdir(parents=True, exist_ok=True)
        self.builder = next((jdk for jdk in reversed(all_jdks.installed() + jdks) if jdk.feature >= 17), None)

    # --- JDKs

    def legacy(self, feature=None):
        return self.last([jdk for jdk in self.jdks if jdk.legacy and feature in (None, jdk.feature)],
                         f"no JDK {feature or ''} here reads /proc for user time (JDK 8 to 25.0.4): install "
                         "one, or name it with --jdk")

    def virt(self, feature=None):
        return self.last([jdk for jdk in self.jdks if not jdk.legacy and feature in (None, jdk.feature)],
                         "no JDK here reads the VIRT clock (25.0.5 or later, 26 to 28): install one (ci/jdks "
                         "up 25), or name it with --jdk")

    def newest(self, at_least=8):
        return self.last([jdk for jdk in self.jdks if jdk.feature >= at_least],
                         f"no JDK {at_least} or later here: install one, or name it with --jdk")

    @staticmethod
    def last(found, otherwise):
        if not found:
            raise NotRunnable(otherwise)
        return found[-1]

    def pair(self, feature=None):
        """The newest JDK of each kind, of one version if possible; and why one is missing, or None."""
        pair, reason = {}, None
        for kind, find in (("legacy", self.legacy), ("virt", self.virt)):
            try:
                pair[kind] = find(feature)
            except NotRunnable as missing:
                reason = str(missing)
        if not pair:
            raise NotRunnable(reason)
        if feature is None and len(pair) == 2:
            both = {j.feature for j in self.jdks if j.legacy} & {j.feature for j in self.jdks if not j.legacy}
            if both:
                return self.pair(max(both))
        return pair, reason

    def chosen(self):
        """All JDKs, or for a quick look the newest that reads /proc and the newest that reads the clock."""
        if not self.jdks:
            raise NotRunnable("there is no JDK here: install one, or name it with --jdk")
        return list(self.pair()[0].values()) if self.quick else self.jdks

    # --- programs, each built once by a run of the lab

    @functools.cache
    def c(self, name, *needs):
        """A program of lab/programs in C, linked with the library that users get."""
        compiler = self.tool("cc", "gcc libc6-dev")
        soname = BUILD / "libthreadclock.so.0"
        if not soname.is_symlink() or os.readlink(soname) != str(LIBRARY):
            soname.unlink(missing_ok=True)
            soname.symlink_to(LIBRARY)
        sources = [PROGRAMS / f"{name}.c", *(ROOT / need for need in needs)]
        output = BUILD / name
        self.run([compiler, "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-D_GNU_SOURCE",
                  "-Inative/include", "-Inative/test", "-o", output, *sources, soname,
                  "-Wl,-rpath,$ORIGIN", "-lpthread"])
        return output

    @functools.cache
    def jvmti(self):
        """The library of lab/programs in C that JVMs load."""
        compiler = self.tool("cc", "gcc libc6-dev")
        if not self.builder or not (self.builder.home / "include/jvmti.h").exists():
            raise NotRunnable("there is no JDK 17 or later with jvmti.h")
        include = self.builder.home / "include"
        output = BUILD / "libfor_java.so"
        self.run([compiler, "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-shared", "-fPIC",
                  f"-I{include}", f"-I{include}/linux", "-o", output, PROGRAMS / "for_java.c"])
        return output

    @functools.cache
    def class_file(self, name):
        """A program of lab/programs/java in Java 8; returns its class path."""
        folder = BUILD / f"classes/{name}"
        if not self.builder:
            raise NotRunnable("there is no JDK 17 or later to compile with")
        shutil.rmtree(folder, ignore_errors=True)
        self.run([self.builder.home / "bin/javac", "-nowarn", "-Xlint:none", "-proc:none", "--release", "8",
                  "-cp", JAR, "-d", folder, PROGRAMS / f"java/{name}.java"])
        return f"{folder}:{JAR}"

    @functools.cached_property
    def benchmarks(self):
        maven = self.tool("mvn", "maven")
        output, folder = BUILD / "benchmarks.jar", PROGRAMS / "jmh"
        sources = [path for path in folder.rglob(
            "*") if path.suffix in (".java", ".xml") and "target" not in path.parts]
        if output.exists() and all(output.stat().st_mtime >= one.stat().st_mtime for one in [*sources, JAR]):
            return output
        say("building the JMH benchmarks...")
        done = subprocess.run([maven, "-q", "-o" if os.environ.get("MAVEN_OFFLINE") else "-B", "-B",
        "-Pbench", "-pl", "lab/programs/jmh", "-am", "-DskipTests", f"-Dthreadclock.dist={ROOT / 'dist'}",
        "package"], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise NotRunnable(f"the benchmarks cannot be built: {done.stdout.strip()[-500:]}")
        shutil.copyfile(folder / "target/benchmarks.jar", output)
        return output

    def async_profiler(self):
        platform = "linux-arm64" if ARCHITECTURE == "aarch64" else "linux-x64"
        output = BUILD / "libasyncProfiler.so"
        with zipfile.ZipFile(self.benchmarks) as jar:
            output.write_bytes(jar.read(f"{platform}/libasyncProfiler.so"))
        return output

    @staticmethod
    def tool(name, package=None):
        if not (path := shutil.which(name)):
            raise NotRunnable(f"{name} is missing: apt-get install {package or name}")
        return path

    # --- running

    @staticmethod
    def run(command, limit=LIMIT_S, check=True):
        """Runs a program to its end; on a time-out or Ctrl-C it ends with everything that it has started."""
        command = [str(part) for part in command]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
                              start_new_session=True) as process:
            try:
                out, err = process.communicate(timeout=limit)
            except BaseException as stopped:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                if isinstance(stopped, subprocess.TimeoutExpired):
                    raise Failure(f"{Path(command[0]).name} did not end within {limit} s") from None
                raise
        if check and process.returncode != 0:
            raise Failure(
                f"{' '.join(command)[:300]} ended with {process.returncode}: {(err or out).strip()[-500:]}")
        return out if check else (process.returncode, out, err)

    def json(self, command):
        return json.loads(self.run(command))

    def words(self, command):
        return [line.split() for line in self.run(command).splitlines() if line.strip()]

    @staticmethod
    def agent(options):
        """The options that load the agent; None: none, '': without options of its own."""
        return [] if options is None else [f"-agentpath:{LIBRARY}{'=' if options else ''}{options}"]

    def java(self, jdk, program, *arguments, agent=None, options=(), wrap=()):
        """Runs a program of lab/programs/java; returns its lines as lists of words."""
        access = ["--enable-native-access=ALL-UNNAMED"] if jdk.feature >= 22 else []
        command = [*wrap, jdk.java, "-Xms64m", "-Xmx256m", *access, *self.agent(agent), *options, "-cp",
                   self.class_file(program), program, *arguments]
        return self.words(command)

    def source(self, jdk, program, *arguments, options=(), agent=None, path=JAR):
        """Runs a program of lab/programs/java from its source, for what needs a newer Java than 8."""
        command = [jdk.java, "--enable-native-access=ALL-UNNAMED", *self.agent(agent), *options, "-cp", path,
                   PROGRAMS / f"java/{program}.java", *arguments]
        return self.words(command)

    def jmh(self, jdk, benchmark, mode, settings, threads=1, agent=None, options=(), params=()):
        """One fork of a JMH benchmark: {name with parameters: quantiles in ns, or the mean as "mean"}."""
        report = BUILD / f"jmh-{os.getpid()}.json"
        warmups, warm_s, iterations, each_s = settings
        # JMH refuses to run beside another one, whoever's; here Noise notices that.
        command = [jdk.java, "-Djmh.ignoreLock=true", "-jar", self.benchmarks, benchmark, "-bm", mode, "-t",
        threads, "-f", 1, "-wi", warmups, "-w", f"{warm_s * 1000:.0f}ms", "-i", iterations, "-r",
        f"{each_s * 1000:.0f}ms", "-tu", "ns", "-rf", "json", "-rff", report, "-foe", "true", *params]
        jvm = [*self.agent(agent), *options]
        if jvm:
            command += ["-jvmArgsAppend", " ".join(map(str, jvm))]
        self.run(command, 60 + 30 * (warmups * warm_s + iterations * each_s))
        found = {}
        for one in json.loads(report.read_text()):
            name = one["benchmark"].rpartition(
                ".")[2] + "".join(f" {value}" for value in one.get("params", {}).values())
            metric = one["primaryMetric"]
            if mode == "sample":
                pairs = [pair for fork in metric["rawDataHistogram"] for each in fork for pair in each]
                found[name] = stats.quantiles(pairs)
            else:
                found[name] = {"mean": metric["score"]}
        report.unlink()
        return found

    def bean(self, jdk, reads, mode, settings, threads=1, agent=None):
        """JMH of ThreadMXBean's reads of the calling thread, "user", "total" or both: {read: quantiles}."""
        found = self.jmh(jdk, rf"OwnThread\.({reads})$", mode, settings, threads, agent,
                         params=("-p", "peer=threadMXBean"))
        return {name.partition(" ")[0]: one for name, one in found.items()}

    # --- repetitions

    def rounds(self, subjects, repetitions, progress=""):
        """Measures all subjects by turns, round after round: [{name: what its function returned}].

        A round in which others used the machine is dropped before anybody looks at its values, and repeated;
        up to twice the number of rounds. If too few are quiet, disturbed ones fill up, and the result says
        so.
        """
        wanted = self.repetitions or repetitions
        quiet, disturbed = [], []
        names = list(subjects)
        while len(quiet) < wanted and len(quiet) + len(disturbed) < 2 * wanted:
            if len(disturbed) >= max(wanted, 2) and not quiet:
                break # the load is not a passing one
            turn = len(quiet) + len(disturbed)
            found = {}
            with Noise() as noise:
                for name in names[turn % len(names):] + names[:turn % len(names)]:
                    say(f"  {progress}{name}, round {turn + 1}")
                    found[name] = subjects[name]()
            (disturbed if noise.disturbed else quiet).append((noise.shares, found))
        kept = (quiet + disturbed)[:wanted]
        self.quiet = self.quiet and len(quiet) >= wanted
        self.dropped += len(quiet) + len(disturbed) - len(kept)
        self.noise = most([self.noise, *(shares for shares, _ in kept)])
        return [found for _, found in kept]

    def remember(self, key, measure):
        """What another experiment of this run has measured with the same settings is not measured again."""
        if key not in self.remembered:
            before = self.noise, self.quiet, self.dropped
            self.noise, self.quiet, self.dropped = {}, True, 0
            value = measure()
            self.remembered[key] = value, self.noise, self.quiet, self.dropped
            self.noise, self.quiet, self.dropped = before
        value, noise, quiet, dropped = self.remembered[key]
        self.noise, self.quiet = most([self.noise, noise]), self.quiet and quiet
        self.dropped += dropped
        return value
