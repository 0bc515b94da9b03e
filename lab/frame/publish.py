# SPDX-License-Identifier: Apache-2.0
"""Copies figures from results into README and docs.

Between "<!-- figures: WHAT -->" and "<!-- /figures -->" a page shows what a result says, and whether the code
has changed since. WHAT is the name of an experiment with one of its views, "lab", the table of all rows, or
"long-runs", that of the attacks.
"""
import os
import re

from experiments import all_experiments, long_runs

from . import page, result as results
from .lab import ROOT

BLOCK = re.compile(r"(<!-- figures: (.*?) -->\n).*?(<!-- /figures -->)", re.S)


# The result, which each figure links, has the full name.
JDK = re.compile(r"(JDK \d+(?:\.\d+){0,2})[.\d]* (?:Debian|Temurin|Corretto|Oracle)\b")


class Unknown(Exception):
    """A page asks for what there is not."""


def stored(experiments):
    """The experiments that have a result in lab/results."""
    return [(one, results.read(results.path_of(one))) for one in experiments if results.path_of(one).exists()]


def figures(what, measured, folder):
    name, _, view = what.partition(" ")
    if name == "lab":
        return page.summary([(experiment, one) for experiment, one in measured if experiment.ROW])
    if name == "long-runs":
        return long_runs.table([(one, found) for one, found in measured if one in long_runs.RUNS])
    for experiment, one in measured:
        if experiment.NAME == name and view in getattr(experiment, "VIEWS", {}):
            if one["data"] is None:
                return f"Not measured: {one['verdict'][1]}."
            link = f"[{name}]({os.path.relpath(results.path_of(experiment), folder)})"
            return experiment.VIEWS[view](one["data"]) + f"\n\n{link}: {results.briefly(experiment, one)}"
    if name in {experiment.NAME for experiment in all_experiments()} - {one.NAME for one, _ in measured}:
        return f"Not measured yet: `./threadclock lab --publish --only {name}`."
    raise Unknown(f"there are no figures of '{what}'")


def rendered(page, measured, folder):
    def shown(block):
        text = JDK.sub(r"\1", figures(block[2], measured, folder))
        return f"{block[1]}\n{text}\n\n{block[3]}"
    return BLOCK.sub(shown, page)


def pages():
    return [ROOT / "README.md", *(page for folder in ("docs", "upstream")
                                  for page in sorted((ROOT / folder).glob("*.md")))]


def render(experiments, write=True):
    """The pages that differ from what the results say; writes them unless told not to."""
    measured, differing = stored(experiments), []
    for path in pages():
        text = path.read_text()
        try:
            new = rendered(text, measured, path.parent)
        except Unknown as unknown:
            raise Unknown(f"{path.relative_to(ROOT)}: {unknown}") from None
        if new != text:
            differing.append(path.relative_to(ROOT))
            if write:
                path.write_text(new)
    return differing


def older(experiments):
    """A line for each stored result whose code has changed."""
    for experiment, one in stored(experiments):
        if changed := results.stale(experiment, one):
            more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
            yield f"{experiment.NAME}: {', '.join(changed[:3])}{more}"
