# SPDX-License-Identifier: Apache-2.0
"""The experiments, one a file, in the order of their rows. A file has its data first:

    ROW         its row in the table of docs/lab.md, unless it serves a page of the documentation only
    SOURCE      who published the claim, if somebody has
    CLAIM       what they found, and OURS what we claim, each if there is such a claim
    CONDITIONS  how it is measured
    PUBLISHED   the whole published table, where there is one
    CODE        the paths of what it measures: a change of their code, not of a comment, makes a stored result
                older. So does one of what its run() names in the lab's Python, and of what a C file of the
                core or the lab includes.
    SECONDS     how long it takes here, quick and in full
    LONG        true if it is measured only when it is named

then run(lab), which returns everything measured as JSON, and judge(data, quiet), which only looks at that:
the verdicts on the "published" claim and on "ours", "tables", and "why" the two differ. VIEWS, where a page
of the documentation shows figures, are functions from data to Markdown.
"""
import importlib

ORDER = (
    "demo",
    "jmh_16_threads",
    "caller_as_zero",
    "jmh_1_thread",
    "backport_25u",
    "memory_mapping",
    "kernel_allocation",
    "system_calls",
    "flame_graphs",
    "user_against_total",
    "implementations",
    "invariants",
    "consumers",
    "clocks",
    "rightness",
    "read_cost",
    "many_threads",
    "observer",
    "flight_recorder",
    "upstream_fix",
    "virtual_threads",
    "trino",
    "agent_cost",
    "scrape_cost",
    "kernels",
    "peers",
)


def load(name):
    module = importlib.import_module(f"experiments.{name}")
    module.NAME = name.replace("_", "-")
    module.TITLE = module.__doc__.strip().rstrip(".")
    module.OWN = [f"lab/experiments/{name}.py:run"]
    for absent in ("ROW", "SOURCE", "CLAIM", "OURS", "LONG"):
        vars(module).setdefault(absent, None)
    return module


def all_experiments():
    return [*map(load, ORDER), *importlib.import_module("experiments.long_runs").RUNS]
