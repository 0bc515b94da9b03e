# SPDX-License-Identifier: Apache-2.0
"""lab diff: what differs between two results of one experiment."""
import json
import sys
from pathlib import Path

import experiments

from . import page, result as results


def compare(arguments):
    if len(arguments) != 2 or any(one.startswith("-") for one in arguments):
        print("usage: threadclock lab diff A.json B.json", file=sys.stderr)
        return 2
    pairs = []
    for name in arguments:
        try:
            one = results.read(Path(name))
            experiment = next(each for each in experiments.all_experiments()
                              if each.NAME == one["experiment"])
        except (OSError, json.JSONDecodeError, KeyError, TypeError, StopIteration) as wrong:
            print(f"lab diff: {name} is no result of the lab: {type(wrong).__name__}", file=sys.stderr)
            return 2
        pairs.append((experiment, one, results.judged(experiment, one)))
    (experiment, _, before), (other, _, after) = pairs
    if experiment is not other:
        print(f"lab diff: these are two experiments: {experiment.NAME} and {other.NAME}", file=sys.stderr)
        return 2
    differ = False
    for side in ("published", "ours"):
        one, two = before[side], after[side]
        if one or two:
            differ = differ or getattr(one, "kind", "") != getattr(two, "kind", "")
            print(f"row {experiment.ROW or '-'}, {side}:\n  {one}\n  {two}")
    for one, two in zip(before["tables"], after["tables"]):
        rows = {row[0]: row[1:] for row in two["rows"]}
        table = [[row[0], *(a if a == b else f"{a} → {b}" for a, b in zip(row[1:], rows[row[0]]))]
                 for row in one["rows"] if row[0] in rows]
        print("\n" + one["title"] + "\n\n" + page.markdown_table(one["head"], table))
    return int(differ)
