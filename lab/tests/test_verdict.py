# SPDX-License-Identifier: Apache-2.0
import pytest
from frame import stats, verdict


@pytest.mark.parametrize(
    "low, high, quiet, kind",
    [
        (11, 12, True, verdict.CONFIRMED),
        (8, 9, True, verdict.REFUTED),
        (9, 11, True, verdict.UNDECIDED),
        (11, 12, False, verdict.UNDECIDED),
        (8, 9, False, verdict.UNDECIDED), # under load the limit must be cleared by far
        (21, 22, False, verdict.CONFIRMED),
        (2, 4, False, verdict.REFUTED)])
def test_the_whole_interval_decides(low, high, quiet, kind):
    assert verdict.at_least(stats.Interval((low + high) / 2, low, high), 10, quiet, "").kind == kind


@pytest.mark.parametrize("low, high, kind", [(1, 2, verdict.CONFIRMED),
                         (11, 12, verdict.REFUTED), (9, 11, verdict.UNDECIDED)])
def test_at_most_is_the_other_way_round(low, high, kind):
    assert verdict.at_most(stats.Interval(1, low, high), 10, True, "").kind == kind


def test_four_fifths_of_a_published_factor_are_enough():
    assert verdict.published_factor(stats.Interval(20, 19.7, 21), 24.5, True).kind == verdict.CONFIRMED
    assert verdict.published_factor(stats.Interval(10.4, 10, 11), 24.5, True).kind == verdict.REFUTED


def test_load_is_said():
    assert "under load" in str(verdict.at_least(stats.Interval(1, 1, 1), 10, False, "x"))
