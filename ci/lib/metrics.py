# SPDX-License-Identifier: Apache-2.0
"""Writes the constants of CpuMetric.java and the table of docs/metrics.md from native/account/metrics.def.
With --check: names those that differ from it, and exits with 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
JAVA = ROOT / "java/library/src/main/java/dev/threadclock/CpuMetric.java"
PAGE = ROOT / "docs/metrics.md"
UNITS = {"SECONDS": "s", "THREADS": "{thread}", "PERIODS": "{period}"}  # UCUM's, as OpenTelemetry wants them
OF = {"EACH_GROUP": "group", "PROCESS": "the process",
      "GROUPS_THAT_WAIT": "group, except kinds `virtual` (its carriers wait) and `unseen`",
      "KEYS": "[key](#by-tenant-endpoint-or-job)"}


def table():
    text = re.sub(r'"\s+"', "", (ROOT / "native/account/metrics.def").read_text())
    return [[one.strip('"') for one in re.findall(r'"[^"]*"|\w+', row)]
            for row in re.findall(r"^METRIC\((.*?)\)$", text, re.M | re.S)]


def java(rows):
    constants = []
    for name, metric, mode, unit, kind, of, text, _ in rows:
        flags = [str(flag).lower() for flag in (kind == "COUNTER", of not in ("PROCESS", "KEYS"))]
        constants.append(f'    /** {text}{f": {mode}" if mode else ""}. */\n    {name}("{metric}", "{mode}", '
                         f'"{UNITS[unit]}", {", ".join(flags)},\n'
                         f'            "{text}")')
    return ",\n".join(constants) + ";"


def page(rows):
    lines = ["| Metric, and its name in Prometheus | Unit | Of | What it is | Good for |",
             "|---|---|---|---|---|"]
    for _, metric, mode, unit, kind, of, text, use in rows:
        prometheus = (metric.replace(".", "_") + "_seconds" * (unit == "SECONDS")
                      + "_total" * (kind == "COUNTER"))
        if use:
            units = ", ".join([UNITS[unit]] * (unit == "SECONDS") + [kind.lower()])
            lines.append(f"| `{metric}`<br>`{prometheus}` | {units} | {OF[of]} | {text}"
                         f"{', by `cpu.mode` user or system' * bool(mode)} | {use} |")
    return "\n" + "\n".join(lines) + "\n"


def main(check):
    differ = []
    for path, begin, end, new in ((JAVA, "metrics.py:\n", "\n    // The end", java(table())),
                                  (PAGE, "metrics.py: -->\n", "\n<!-- The end", page(table()))):
        before, rest = path.read_text().split(begin, 1)
        old, after = rest.split(end, 1)
        if old != new and check:
            differ.append(f"{path.relative_to(ROOT)} differs from native/account/metrics.def; "
                          "run python3 ci/lib/metrics.py")
        elif old != new:
            path.write_text(before + begin + new + end + after)
    sys.exit("\n".join(differ) or 0)


main(sys.argv[1:] == ["--check"])
