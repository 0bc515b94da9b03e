# SPDX-License-Identifier: Apache-2.0
"""Programs of ci/ and examples/ whose output is the result: attacks of hours, and two examples."""
import re

from frame import jdks, page, result as results, verdict

HOURS = 4 * 3600
AGENT = ["native/core", "native/jvm", "native/agent"]
TESTS = "tests/children/dev/threadclock/tests"


def numbers(pattern, text):
    return [int(one.replace(",", "")) for one in re.findall(pattern, text)]


def jdks_in(text):
    return jdks.short(list(dict.fromkeys(re.findall(r"^JDK \S+(?: [A-Z]\w+)?", text, re.M))))


def growth(text):
    """kB of RSS that a cycle takes with threadclock, less what it takes with an agent that does nothing."""
    grown = [numbers(rf" {name} .*RSS.*?\( *\+(\d+)\)", text) for name in ("THREADCLOCK", "NOTHING")]
    return sorted((ours - other) / 1000 for ours, other in zip(*grown))


def reads_of_soak(text):
    """By the last line of each JVM."""
    return sum(map(int, dict(re.findall(
        r"^ *\d+(?: s)? +(JDK [\w.]+(?: \w+)?).*?(\d+)(?: reads| +0)$", text, re.M)).values()))


def thinned(lines):
    """Of a soak's lines about one moment, one of fifteen and the last two."""
    moments = [line for line in lines if re.match(r" *\d+ ", line)]
    dropped = set(moments[:-2]) - set(moments[::15])
    return [line for line in lines if line not in dropped]


class Run:
    """An experiment whose measuring is a command that ends with 0 if all is right."""
    ROW = SOURCE = CLAIM = None
    CONDITIONS = "the program's own output"
    OWN = ()

    def __init__(self, name, command, seconds, title, ours, amount, right, code, keep=list):
        self.NAME, self.TITLE, self.OURS, self.CODE = name, title, ours, code
        self.SECONDS, self.LONG, self.VIEWS = (seconds, seconds), seconds > 600, {"": self.said}
        self.command, self.amount, self.right, self.keep = command.split(), amount, right, keep

    def run(self, lab):
        return {"lines": self.keep(lab.run(self.command, HOURS).splitlines())}

    def judge(self, data, quiet):
        text = "\n".join(data["lines"])
        return {"ours": verdict.holds(self.right(text), self.amount(text)), "tables": []}

    def said(self, data):
        return self.amount("\n".join(data["lines"]))


RUNS = [
    Run("reads", "ci/attack reads", 3600,
        "checked reads of every kind in C, among signals, forks and short-lived threads with few TIDs",
        "none decreased, exceeded the truth or belonged to another thread",
        lambda text: f"{sum(numbers('operations: ([0-9]+)', text)):,}", lambda text: "[  PASSED  ]" in text,
        ["native/core", "native/test/operations_test.c"]),
    Run("storm", "ci/attack storm", 3600,
        "attach, changes of options and detach while eight threads call every method of `ThreadMXBean`",
        "no crash, no error, no value below an earlier one, except where an attach may lower it (below)",
        lambda text: f"{sum(numbers('([0-9]+) cycles', text)):,} cycles and "
                     f"{sum(numbers('reads=([0-9]+)', text)) / 1e6:.0f} million reads on {jdks_in(text)}",
        lambda text: not sum(numbers("violations=([0-9]+)", text)), [*AGENT, f"{TESTS}/StormTest.java"]),
    Run("memory", "ci/attack memory", 3600, "memory over 1,000 cycles of attach and detach",
        "a cycle takes less than 1 kB more than with an agent that does nothing; the heap does not grow",
        lambda text: "{} pairs of JVMs: {:.2f} to {:.2f} kB a cycle more".format(
            len(growth(text)), growth(text)[0], growth(text)[-1]),
        lambda text: growth(text)[-1] < 1 and "heap +0" in text,
        [*AGENT, f"{TESTS}/AttachMemoryTest.java"]),
    Run("soak", "ci/attack soak", 7500, "two hours of reads, sampling, attach and detach",
        "no read wrong; memory, descriptors and threads are flat",
        lambda text: f"{reads_of_soak(text) / 1e6:.0f} million reads on {jdks_in(text)}",
        lambda text: all(int(grown) <= int(most) for grown, most in re.findall(
            r": ([+-]\d+), at most ([+-]\d+)", text)),
        [*AGENT, f"{TESTS}/SoakTest.java"], thinned),
    Run("virtual-crowd", "ci/attack crowd", 1800,
        "ten million virtual threads while accounting is switched on and off",
        "memory grows by less than 8 MB; no account is left",
        lambda text: f"{jdks_in(text)}: memory grows by "
                     f"{', '.join(f'{kb / 1000:.1f}' for kb in numbers('growthKb=([0-9]+)', text))} MB",
        lambda text: not sum(numbers("accounts=([0-9]+)", text))
        and max(numbers("growthKb=([0-9]+)", text)) < 8000,
        [*AGENT, f"{TESTS}/VirtualCrowdTest.java"]),
    Run("fuzz", "ci/fuzz --runs 100000000", 12000, "the parsers under fuzzing, and all findings fixed",
        "nothing breaks",
        lambda text: "{:,} executions of {} parsers".format(
            sum(numbers("([0-9]+) executions", text)), len(numbers("([0-9]+) executions", text))),
        lambda text: "BROKE" not in text, ["native/fuzz", "java/command/src/fuzz", "java/attach/src/fuzz"]),
    Run("musl-jvm", "ci/musl-jvm measure", 900, "the tests of what runs in a JVM, in JDK 26 built for musl",
        "none fails",
        lambda text: f"{sum(numbers('Tests run: ([0-9]+)', text))} tests, "
                     f"{sum(numbers('Skipped: ([0-9]+)', text))} of them skipped",
        lambda text: not sum(numbers("(?:Failures|Errors): ([0-9]+)", text)), [*AGENT, "ci/musl-jvm"]),
    Run("starving-pool", "examples/starving-pool/run", 40, "a pool that starves another",
        "the account shows the wait",
        lambda text: next(line for line in text.splitlines() if line.startswith("Beside 8 ")),
        lambda text: "waits for a CPU" in text,
        ["examples/starving-pool/StarvingPool.java", "native/account"]),
    Run("web", "examples/web/run", 90, "a web service with CPU time by endpoint",
        "the observations have the CPU time",
        lambda text: "; ".join("`{}` takes {} % of all elapsed time and {} % of the CPU time".format(*one)
                               for one in re.findall(r"^(/\w+) .* (\S+) % +(\S+) %$", text, re.M)[1:]) + ".",
        lambda text: " CPUs, " in text, ["examples/web/WebService.java", "java/metrics/micrometer/src/main"])]


def table(pairs):
    """The table of docs/reliability.md: the long runs that have a result."""
    return page.markdown_table(["test", "amount", "outcome"], [
        [one.TITLE, f"{one.said(found['data'])} ([{one.NAME}](../lab/results/{one.NAME}.json), "
                    f"{', '.join([found['date'][:10], *results.weaknesses(one, found)])})", one.OURS]
        for one, found in pairs if one.LONG])
