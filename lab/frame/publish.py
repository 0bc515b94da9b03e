# SPDX-License-Identifier: Apache-2.0
"""Copies figures from results into README and docs.

Between "<!-- figures: WHAT -->" and "<!-- /figures -->" a page shows what a result says. WHAT is a file
(Markdown as it is, other text as a block), the name of an experiment with one of its views, or "lab", the
table of all.
"""
import re

from experiments import all_experiments

from . import page, result as results
from .lab import ROOT

BLOCK = re.compile(r"(<!-- figures: (.*?) -->\n).*?(<!-- /figures -->)", re.S)


class Unknown(Exception):
    """A page asks for what there is not."""


def stored(experiments):
    """The experiments that have a result in lab/results."""
    return [(one, results.read(results.path_of(one))) for one in experiments if results.path_of(one).exists()]


def figures(what, measured):
    name, _, view = what.partition(" ")
    if name == "lab":
        return page.summary([(experiment, one) for experiment, one in measured if experiment.ROW])
    if (ROOT / name).is_file():
        text = (ROOT / name).read_text().rstrip("\n")
        return text if name.endswith(".md") else f"```\n{text}\n```"
    if not any(experiment.NAME == name for experiment, _ in measured):
        if name in {experiment.NAME for experiment in all_experiments()}:
            return f"Not measured yet: `./threadclock lab --publish --only {name}`."
    for experiment, one in measured:
        if experiment.NAME == name and view in getattr(experiment, "VIEWS", {}):
            if one["data"] is None:
                return f"Not measured: {one['verdict'][1]}."
            link = f"[{name}](../lab/results/{name}.json)"
            return experiment.VIEWS[view](one["data"]) + f"\n\n{link}: {results.briefly(one)}"
    raise Unknown(f"there are no figures of '{what}'")


def rendered(text, measured):
    return BLOCK.sub(lambda block: f"{block[1]}\n{figures(block[2], measured)}\n\n{block[3]}", text)


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), * \
                                        sorted((ROOT / "upstream").glob("*.md"))]


def render(experiments, write=True):
    """The pages that differ from what the results say; writes them unless told not to."""
    measured, differing = stored(experiments), []
    for path in pages():
        text = path.read_text()
        try:
            new = rendered(text, measured)
        except Unknown as unknown:
            raise Unknown(f"{path.relative_to(ROOT)}: {unknown}") from None
        if new != text:
            differing.append(path.relative_to(ROOT))
            if write:
                path.write_text(new)
    return differing


def older(experiments):
    """A line for each stored result that is older than the code that it measures."""
    for experiment, one in stored(experiments):
        changed = results.stale(experiment, one)
        if changed:
            yield (f"{results.path_of(experiment).relative_to(ROOT)}: measured before the last change of "
                   f"{', '.join(changed)}")
