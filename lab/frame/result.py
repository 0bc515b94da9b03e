# SPDX-License-Identifier: Apache-2.0
"""A result: what was measured, with machine, commit, date, command and JDKs. One JSON file an experiment."""
import json
import subprocess
from datetime import datetime, timezone

from . import inputs, machine, verdict
from .lab import ROOT, Failure, NotRunnable

FOLDER = ROOT / "lab/results"
SCHEMA = 2
OLDER = "older than its code"
DIGITS = 6 # of a stored number, far more than any interval has


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def in_words(failure):
    known = isinstance(failure, (Failure, NotRunnable))
    return str(failure) if known else f"{type(failure).__name__}: {failure}"


def of(experiment, lab, data, seconds, command):
    used = inputs.of(experiment)
    return {"schema": SCHEMA, "experiment": experiment.NAME,
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%MZ"), "command": command,
        "commit": git("rev-parse", "--short=12", "HEAD"),
        # Results are written into the checkout while it measures; they are no change of the code.
        "changed": bool(git("status", "--porcelain", "--", *(path.partition(":")[0] for path in used))),
        "inputs": used, "machine": machine.describe(),
        "jdks": {str(jdk): jdk.user_time for jdk in lab.jdks}, "quick": lab.quick, "seconds": round(seconds),
        "quiet": lab.quiet, "noise": lab.noise, "dropped": lab.dropped, "data": data}


def without_data(experiment, lab, kind, reason, command):
    result = of(experiment, lab, None, 0, command)
    return {**result, "verdict": [kind, reason]}


def judged(experiment, result):
    """Verdicts, tables and the explanation, always from the stored repetitions."""
    judged = {"published": None, "ours": None, "tables": [], "why": ""}
    try:
        if result["data"] is not None:
            return {**judged, **experiment.judge(result["data"], result["quiet"])}
        one = verdict.Verdict(*result["verdict"])
    except Exception as failure: # of a program's unexpected output: the other experiments have a verdict
        one = verdict.Verdict(verdict.FAILED, f"cannot be judged: {in_words(failure)}")
    return {**judged, "published": experiment.CLAIM and one, "ours": experiment.OURS and one}


def noise_in_words(result):
    if not result["noise"]:
        return "Whether other programs ran was not watched."
    others, steal = result["noise"]["others"], result["noise"]["steal"]
    text = f"Other programs used up to {100 * others:.0f} % of the CPUs, the hypervisor {100 * steal:.0f} %"
    dropped = f"; {result['dropped']} disturbed rounds were dropped unseen" if result["dropped"] else ""
    return text + dropped + ("." if result["quiet"] else ": measured under load.")


def where(result):
    changed = " with changes" if result["changed"] else ""
    return (
        f"`./threadclock lab{result['command']}`, commit {result['commit']}{changed}, {result['date'][:10]}; "
        f"{machine.in_words(result['machine'])}. {noise_in_words(result)}")


def weaknesses(experiment, result):
    """What makes a result worth less than its interval says."""
    return (["a quick run"] * result["quick"] + ["under load"] * (not result["quiet"])
            + [OLDER] * bool(stale(experiment, result)))


def briefly(experiment, result):
    """For a page, which links the file that has the rest."""
    weak = weaknesses(experiment, result)
    return (f"{result['date'][:10]}, {machine.in_words(result['machine'])}"
            f"{': ' if weak else ''}{', '.join(weak)}.")


def path_of(experiment):
    return FOLDER / f"{experiment.NAME}.json"


def read(path):
    return json.loads(path.read_text())


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one) for one in value]
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() else short
    return value


def write(result, path):
    """A line for each field: it is read by programs, and its history by people."""
    partial, lines = path.with_name(path.name + ".part"), []
    for key, value in rounded(result).items():
        lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}")
    partial.write_text("{" + ",\n ".join(lines) + "}\n")
    partial.replace(path)


def store(result, path):
    """Writes it; false where it has no data and would replace one that has."""
    if result["data"] is None and path.exists() and read(path)["data"] is not None:
        return False
    write(result, path)
    return True


def stale(experiment, result):
    """The inputs that have changed since the measurement."""
    return [path for path, digest in inputs.of(experiment).items() if result["inputs"].get(path) != digest]


def current(experiment, result, lab):
    """Whether measuring again, with these JDKs on this machine, would measure the same."""
    return (result["data"] is not None and result["quiet"] and not result["quick"]
            and not stale(experiment, result) and result["machine"] == machine.describe()
            and {str(jdk) for jdk in lab.jdks} <= set(result["jdks"]))
