# SPDX-License-Identifier: Apache-2.0
"""The experiments, one a file, in the order of their rows. A file has its data first:

    ROW         its row in the table of docs/lab.md, unless it serves a page of the documentation only
    SOURCE      who published the claim, if somebody has
    CLAIM       what they found, and OURS what we claim, each if there is such a claim
    CONDITIONS  how it is measured
    PUBLISHED   the whole published table, where there is one
    CODE        the files that it measures. A stored result is out of date once their code (not a comment), a
                file that a C file of the core or the lab includes, or Python that run() uses has changed
    SECONDS     how long it takes here, quick and in full
    LONG        true if it is measured only when it is named

then run(lab), which returns everything measured as JSON, and judge(data, quiet), which only looks at that:
the verdicts on the "published" claim and on "ours", "tables", and "why" the two differ. VIEWS, where a page
of the documentation shows figures, are functions from data to Markdown.
"""
import importlib
import math
from pathlib import Path


def load(name):
    module = importlib.import_module(f"experiments.{name}")
    module.NAME = name.replace("_", "-")
    module.TITLE = module.__doc__.strip().rstrip(".")
    module.OWN = [f"lab/experiments/{name}.py:run"]
    for absent in ("ROW", "SOURCE", "CLAIM", "OURS", "LONG"):
        vars(module).setdefault(absent, None)
    return module


def all_experiments():
    names = {file.stem for file in Path(__file__).parent.glob("[a-z]*.py")} - {"long_runs"}
    found = sorted(map(load, sorted(names)), key=lambda one: one.ROW or math.inf)
    return [*found, *importlib.import_module("experiments.long_runs").RUNS]
