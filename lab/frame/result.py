# SPDX-License-Identifier: Apache-2.0
"""A result: what was measured, with machine, commit, date, command and JDKs. One JSON file an experiment."""
import json
import subprocess
from datetime import datetime, timezone

from . import machine, verdict
from .lab import ROOT

FOLDER = ROOT / "lab/results"
SCHEMA = 1


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def trees(paths, commit="HEAD"):
    """The content of paths as git names it: it survives a rebase, which a commit's name does not."""
    return {path: git("rev-parse", "--short=12", f"{commit}:{path}") for path in paths}


def of(experiment, lab, data, seconds, command):
    return {"schema": SCHEMA, "experiment": experiment.NAME,
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%MZ"), "command": command,
        "commit": git("rev-parse", "--short=12", "HEAD"),
        # Results are written into the checkout while it measures; they are no change of the code.
        "changed": bool(git("status", "--porcelain", "--", *experiment.CODE)),
        "code": trees(experiment.CODE), "machine": machine.describe(),
        "jdks": [jdk.as_json() for jdk in lab.jdks], "quick": lab.quick, "seconds": round(seconds),
        "quiet": lab.quiet, "noise": lab.noise, "dropped": lab.dropped, "data": data, }


def without_data(experiment, lab, kind, reason, command):
    result = of(experiment, lab, None, 0, command)
    return {**result, "verdict": [kind, reason]}


def judged(experiment, result):
    """Verdicts, tables and the explanation, always from the stored repetitions."""
    judged = {"published": None, "ours": None, "tables": [], "why": ""}
    if result["data"] is not None:
        return {**judged, **experiment.judge(result["data"], result["quiet"])}
    one = verdict.Verdict(*result["verdict"])
    return {**judged, "published": experiment.CLAIM and one, "ours": experiment.OURS and one}


def noise_in_words(result):
    if not result["noise"]:
        return "Noise does not change what is counted here."
    most = max(shares["others"] for shares in result["noise"])
    steal = max(shares["steal"] for shares in result["noise"])
    text = f"Other programs used up to {100 * most:.0f} % of the CPUs, the hypervisor {100 * steal:.0f} %"
    dropped = f"; {result['dropped']} disturbed rounds were dropped unseen" if result["dropped"] else ""
    return text + dropped + ("." if result["quiet"] else ": measured under load.")


def where(result):
    changed = " with changes" if result["changed"] else ""
    return (
        f"`./threadclock lab{result['command']}`, commit {result['commit']}{changed}, {result['date'][:10]}; "
        f"{machine.in_words(result['machine'])}. {noise_in_words(result)}")


def briefly(result):
    """For a page, which links the file that has the rest."""
    return (f"{result['date'][:10]}, {machine.in_words(result['machine'])}"
            f"{', quick' if result['quick'] else ''}{'' if result['quiet'] else ', measured under load'}.")


def path_of(experiment):
    return FOLDER / f"{experiment.NAME}.json"


def read(path):
    return json.loads(path.read_text())


def write(result, path):
    partial = path.with_name(path.name + ".part")
    partial.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n")
    partial.replace(path)


def stale(experiment, result):
    """The paths that have changed since the measurement; [] without git, where that cannot be known."""
    now, then = trees(experiment.CODE), {**trees(experiment.CODE, result["commit"]), **result["code"]}
    return [path for path, tree in now.items() if tree and tree != then[path]]
