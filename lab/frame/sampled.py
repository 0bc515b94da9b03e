# SPDX-License-Identifier: Apache-2.0
"""What rows 1, 3 and 4 share: JMH SampleTime of getCurrentThreadUserTime(), before and after."""
from . import stats, verdict
from .lab import OWN_READ, QUICK, NotRunnable

CODE = [*OWN_READ, "lab/programs/jmh/src"]


OURS = (1, 2, 2, 2) # our verdict is on the median, which needs no more
ROUNDS = 3


def run(lab, pair, reason, threads, forks, full):
    """Forks of both JDKs as published, and, in the first rounds, with the agent, by turns."""
    if "legacy" not in pair and "virt" not in pair:
        raise NotRunnable(reason)

    def subject(jdk, settings, agent=None):
        settings = QUICK if lab.quick else settings
        return lambda: lab.bean(jdk, "user", "sample", settings, threads, agent)["user"]
    plain = {kind: subject(jdk, full) for kind, jdk in pair.items()}
    ours = {f"{kind} with threadclock": subject(jdk, OURS, "") for kind, jdk in pair.items()}
    key = ("sampled", *sorted((kind, str(jdk)) for kind, jdk in pair.items()), threads, full)
    rounds = lab.remember(key, lambda: lab.rounds({**plain, **ours}, ROUNDS))
    more = [] if lab.quick or forks == ROUNDS else lab.rounds(plain, forks - ROUNDS)
    return {"jdks": {kind: str(jdk) for kind, jdk in pair.items()}, "absent": reason, "settings": full,
            "threads": threads, "rounds": rounds, "more": more}


def rounds_with(data, name):
    return data["rounds"] + (data["more"] if name in data["jdks"] else [])


def ratio(data, before, after, quantile="mean"):
    return stats.ratio(*(stats.column(rounds_with(data, after), name, quantile) for name in (before, after)))


def judge(data, quiet, factor, published, unit_ns):
    """The authors' headline by the quantile that they lead with, and our claim by the median."""
    if data["absent"]:
        theirs = verdict.absent(data["absent"])
    else:
        theirs = verdict.published_factor(ratio(data, "legacy", "virt", factor[0]), factor[1], quiet)
        median = ratio(data, "legacy", "virt", "p50")
        text = f"{factor[0]} of legacy / VIRT: {theirs.text}; median {median} x"
        theirs = verdict.Verdict(theirs.kind, text)
    measured = {kind: ratio(data, kind, f"{kind} with threadclock", "p50") for kind in data["jdks"]}
    worst = min(measured.values(), key=lambda each: each.low)
    text = "; ".join(f"{data['jdks'][kind]} / with threadclock: median {each} x"
                     for kind, each in measured.items())
    return {"published": theirs, "ours": verdict.at_least(worst, 1, quiet, text),
            "tables": [table(data, published, unit_ns)]}


def table(data, published, unit_ns):
    """Every published quantile, {kind: {quantile: value}} in units of unit_ns, beside the measured one."""
    head, rows = ["ns"], []
    kinds = [kind for kind in ("legacy", "virt") if kind in data["jdks"]]
    for kind in kinds:
        head += [f"{'legacy' if kind == 'legacy' else 'VIRT'}, published",
            data["jdks"][kind], "with threadclock"]
    head += ["legacy / VIRT, published", "here"] if len(kinds) == 2 else []
    for quantile in ("samples", "mean", *stats.QUANTILES):
        row = [quantile]
        for kind in kinds:
            value = published[kind].get(quantile)
            scale = 1 if quantile == "samples" else unit_ns
            row.append(value if isinstance(value, str) else "" if value is None else stats.number(
            value * scale))
            for subject in (kind, f"{kind} with threadclock"):
                row.append(str(stats.interval(
                    stats.column(rounds_with(data, subject), subject, quantile))))
        if len(kinds) == 2:
            both = [published[kind].get(quantile) for kind in kinds]
            known = all(isinstance(value, (int, float)) for value in both) and quantile != "samples"
            row += [f"{both[0] / both[1]:.1f}" if known else "",
                    "" if quantile == "samples" else str(ratio(data, "legacy", "virt", quantile))]
        rows.append(row)
    title = (
        f"getCurrentThreadUserTime(), {data['threads']} thread(s), nanoseconds; each sample includes a read "
        f"of nanoTime(). Mean of {len(data['rounds'] + data['more'])} forks, with threadclock of "
        f"{len(data['rounds'])} [95 %]")
    return {"title": title, "head": head, "rows": rows}
