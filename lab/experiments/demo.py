# SPDX-License-Identifier: Apache-2.0
"""threadclock demo, the table of the README."""
from frame import verdict
from frame.lab import BUILD, JAR, READ_CODE, NotRunnable

OURS = "With threadclock user time is right and faster to read."
CONDITIONS = "threadclock demo, without --quick"
FEATURES = (17, 25, 27)
CODE = [*READ_CODE, *(f"java/command/src/main/java/dev/threadclock/command/{name}" for name in (
    "demo", "measure", "probe"))]
SECONDS = 1, 80


def run(lab):
    if lab.quick or not lab.builder:
        raise NotRunnable("it measures nothing that the rows do not: ./threadclock demo")
    chosen = [[jdk for jdk in lab.jdks if jdk.feature == feature][-1:] for feature in FEATURES]
    if not (chosen := sum(chosen, [])):
        raise NotRunnable("there is none of JDK 17, 25 and 27: install one, or name it with --jdk")
    file = BUILD / "demo.md"
    lab.run([lab.builder.java, "-jar", JAR, "demo", "--json", BUILD / "demo.json", "--markdown", file,
             *(f"--jdk={jdk.home}" for jdk in chosen)])
    return {"markdown": file.read_text().partition(" Measured by ")[0]}


def judge(data, quiet):
    lines = [line for line in data["markdown"].splitlines() if line.startswith("| **")]
    rows = [line.strip("| ").split(" | ") for line in lines]
    wrong = [row[0] for row in rows if not row[-1].endswith("right") or "×" not in row[1]]
    return {"ours": verdict.holds(rows and not wrong, f"on {len(rows)} JDKs; not: {wrong or 'none'}"),
        "tables": []}


VIEWS = {"": lambda data: data["markdown"]}
