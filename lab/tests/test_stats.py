# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from frame import stats


def test_quantiles_are_values_that_occurred():
    found = stats.quantiles([(10, 50), (20, 49), (1000, 1)])
    assert (found["p0"], found["p50"], found["p90"], found["p99"], found["p99.9"], found["max"]) == (10, 10,
        20, 20, 1000, 1000)
    assert found["samples"] == 100 and found["mean"] == pytest.approx(24.8)


def test_quantiles_do_not_need_sorted_pairs():
    assert stats.quantiles([(7, 1), (3, 1), (5, 1), (9, 0)]) == stats.quantiles([(3, 1), (5, 1), (7, 1)])


def test_one_repetition_says_nothing():
    one = stats.interval([5.0])
    assert one.value == pytest.approx(5) and one.low < 1e-100 and one.high > 1e100
    assert "∞" in str(one)


def test_interval_of_equal_repetitions_has_no_width():
    one = stats.interval([5.0, 5.0, 5.0])
    assert one.low == pytest.approx(5) and one.high == pytest.approx(5)


def test_interval_of_three_uses_students_quantile():
    low_high = stats.interval([-1.0, 0.0, 1.0])
    assert low_high.high == pytest.approx(4.303 / math.sqrt(3))


def test_ratio_pairs_repetitions():
    # Both double in the second round: the noise of a round cancels.
    one = stats.ratio([10, 20, 10], [5, 10, 5])
    assert one.value == pytest.approx(2) and one.low == pytest.approx(2) and one.high == pytest.approx(2)


def test_ratio_needs_as_many_of_both():
    with pytest.raises(ValueError):
        stats.ratio([1, 2], [1])


@pytest.mark.parametrize("value, text", [(12210, "12,210"), (4.7249, "4.72"), (0.0629, "0.0629"),
                         (99.96, "100.0"), (5, "5"), (1234.5, "1,234"), (math.inf, "∞"), (math.nan, "-")])
def test_numbers_have_three_digits(value, text):
    assert stats.number(value) == text


def test_differences_have_one_mean_whatever_their_signs():
    assert stats.difference([1.0, 9.0]).value == 5
    assert stats.difference([-1.0, 11.0]).value == 5
