# SPDX-License-Identifier: Apache-2.0
"""Quantiles of histograms, and intervals over repetitions: everything that a verdict is drawn from."""
import functools
import math
import operator
from dataclasses import dataclass
from statistics import fmean, stdev

# Student's t, two-sided 95 %, by degrees of freedom from 1 on; the normal quantile beyond.
T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
       2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
       2.045)


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95 % confidence interval over repetitions; infinite if there was only one."""
    value: float
    low: float
    high: float

    def __str__(self):
        return f"{number(self.value)} [{number(self.low)}, {number(self.high)}]"


def column(rounds, *path):
    """What each repetition has measured: the value to which these keys lead."""
    return [functools.reduce(operator.getitem, path, one) for one in rounds]


def half_width(values):
    if len(values) < 2:
        return math.inf
    t = T95[len(values) - 2] if len(values) - 2 < len(T95) else 1.96
    return t * stdev(values) / math.sqrt(len(values))


def interval(values):
    """The mean of the repetitions: of times, which are positive and skewed, the geometric one."""
    return ratio(values, [1] * len(values)) if all(value > 0 for value in values) else difference(values)


def difference(values):
    """The arithmetic mean of differences, whatever their signs happen to be."""
    half = half_width(values)
    return Interval(fmean(values), fmean(values) - half, fmean(values) + half)


def ratio(numerators, denominators):
    """How many times larger the first is than the second, of repetitions that ran side by side."""
    logs = [math.log(a / b) for a, b in zip(numerators, denominators, strict=True)]
    half = min(half_width(logs), 500) # e^500 is infinite enough
    return Interval(*(math.exp(fmean(logs) + part) for part in (0, -half, half)))


# The quantiles that others have published.
QUANTILES = {"p0": 0, "p50": .5, "p90": .9, "p95": .95, "p99": .99, "p99.9": .999, "p99.99": .9999, "max": 1}


def quantiles(pairs):
    """Of a histogram, as pairs of a value and its count, the published quantiles, the mean and the number."""
    pairs = sorted((value, count) for value, count in pairs if count)
    total = sum(count for _, count in pairs)
    wanted = {name: max(1, math.ceil(share * total)) for name, share in QUANTILES.items()}
    found, seen = {"samples": total, "mean": sum(value * count for value, count in pairs) / total}, 0
    for value, count in pairs:
        found.update((name, value) for name, rank in wanted.items() if seen < rank <= seen + count)
        seen += count
    return found


def number(value):
    """Three digits, thousands apart: 12,210, 4.72, 0.063."""
    if isinstance(value, str):
        return value
    if value is None or math.isnan(value):
        return "-"
    if abs(value) > 1e15:
        return "∞" if value > 0 else "-∞"
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(digits, 4)}f}"
