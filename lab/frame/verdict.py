# SPDX-License-Identifier: Apache-2.0
"""What an experiment concludes about a claim, and the one rule by which a measured interval decides it."""
from dataclasses import dataclass

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "not confirmed", "undecided"
ABSENT, FAILED = "not runnable here", "failed"
KINDS = (CONFIRMED, REFUTED, UNDECIDED, ABSENT, FAILED)

# Another machine is not expected to show a published factor to the percent: four fifths of it is "the same".
TOLERANCE = 0.8
# Load can move a ratio of times in either direction, so a result under
# load must clear its limit by this factor.
LOADED = 2.0


@dataclass(frozen=True)
class Verdict:
    kind: str
    text: str = ""

    def __str__(self):
        return self.kind + (": " + self.text if self.text else "")


def at_least(measured, limit, quiet, text):
    """Whether a factor reaches the limit: the whole interval must lie on one side of it."""
    margin = 1 if quiet else LOADED
    reached, missed = measured.low >= limit * margin, measured.high < limit / margin
    kind = CONFIRMED if reached else REFUTED if missed else UNDECIDED
    return Verdict(kind, text + ("" if quiet else "; measured under load"))


def at_most(measured, limit, quiet, text):
    margin = 1 if quiet else LOADED
    kept, exceeded = measured.high <= limit / margin, measured.low > limit * margin
    kind = CONFIRMED if kept else REFUTED if exceeded else UNDECIDED
    return Verdict(kind, text + ("" if quiet else "; measured under load"))


def published_factor(measured, factor, quiet):
    text = f"{measured} x, published {factor:.3g} x"
    return at_least(measured, TOLERANCE * factor, quiet, text)


def holds(condition, text):
    """For what noise cannot change: counts, symbols, invariants."""
    return Verdict(CONFIRMED if condition else REFUTED, text)


def absent(reason):
    return Verdict(ABSENT, reason)
