# SPDX-License-Identifier: Apache-2.0
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import command_line
from frame import jdks, lab, machine, verdict


def jdk(version, legacy):
    one = jdks.Jdk(f"/{version}", version, "Test")
    one.__dict__["legacy"] = legacy # what the binary would say
    return one


def of(*all_jdks):
    return lab.Lab(sorted(all_jdks, key=lambda each: each.order))


@pytest.mark.parametrize("version, feature", [("1.8.0_504", 8), ("25.0.5.0.3", 25), ("17.0.15", 17)])
def test_features_of_versions(version, feature):
    assert jdks.Jdk("/x", version, "").feature == feature


def test_versions_are_ordered_as_numbers():
    assert jdks.Jdk("/x", "25.0.10", "").order > jdks.Jdk("/x", "25.0.9", "").order


def test_a_folder_without_a_jdk_is_none(tmp_path):
    assert jdks.of(tmp_path) is None


def test_versions_are_as_long_as_it_takes_to_tell_them_apart():
    names = ["JDK 1.8.0_504", "JDK 17.0.21.0.3 Debian", "JDK 25.0.3 Temurin", "JDK 25.0.5.0.3 Debian"]
    assert jdks.short(names) == "JDK 8, 17, 25.0.3, 25.0.5"


def test_a_pair_is_of_one_version_if_possible():
    pair, reason = of(jdk("17.0.1", True), jdk("25.0.3", True), jdk("25.0.5", False), jdk("27", False)).pair()
    assert [pair["legacy"].version, pair["virt"].version, reason] == ["25.0.3", "25.0.5", None]


def test_a_pair_without_one_half_says_why():
    pair, reason = of(jdk("17.0.1", True)).pair()
    assert list(pair) == ["legacy"] and "25.0.5" in reason


def test_no_jdk_is_no_pair():
    with pytest.raises(lab.NotRunnable):
        of().pair()


def test_a_fresh_checkout_gets_a_folder_for_what_programs_write(monkeypatch, tmp_path):
    monkeypatch.setattr(lab, "BUILD", tmp_path / "build/lab")
    of()
    assert lab.BUILD.is_dir()


def test_rounds_take_turns(quiet):
    order = []
    one = of()
    found = one.rounds({"a": lambda: order.append("a") or 1, "b": lambda: order.append("b") or 2}, 2)
    assert found == [{"a": 1, "b": 2}] * 2 and order == ["a", "b", "b", "a"] and one.quiet


def test_disturbed_rounds_are_dropped_unseen(monkeypatch):
    disturbed = iter([True, False, False])
    monkeypatch.setattr(lab.Noise, "disturbed", property(lambda self: next(disturbed)))
    values = iter([1, 2, 3])
    one = of()
    assert one.rounds({"a": lambda: next(values)}, 2) == [{"a": 2}, {"a": 3}]
    assert one.quiet and one.dropped == 1


def test_a_single_round_is_repeated_if_disturbed(monkeypatch):
    disturbed, values = iter([True, False]), iter([1, 2])
    monkeypatch.setattr(lab.Noise, "disturbed", property(lambda self: next(disturbed)))
    one = of()
    assert one.rounds({"a": lambda: next(values)}, 1) == [{"a": 2}] and one.quiet


def test_lasting_load_ends_the_search_and_is_said(monkeypatch):
    monkeypatch.setattr(lab.Noise, "disturbed", property(lambda self: True))
    one = of()
    assert len(one.rounds({"a": lambda: 1}, 3)) == 3 and not one.quiet


def test_what_was_measured_is_not_measured_again(quiet):
    one, runs = of(), []
    for _ in range(2):
        one.remember("key", lambda: one.rounds({"a": lambda: runs.append(1)}, 2))
    assert len(runs) == 2 and set(one.noise) == {"others", "steal"}


def test_noise_sees_another_process():
    with subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True) as burner:
        with machine.Noise() as noise:
            end = time.monotonic() + 1
            while time.monotonic() < end:
                pass
        burner.kill()
    assert 0 < noise.shares["others"]


def test_what_an_ended_process_used_before_hides_no_other():
    own, ended, burner, child = (os.getpid(), "1"), (2, "1"), (3, "1"), (4, "2")
    before = {own: (5, 0), ended: (40, 0), burner: (1, 0)}
    assert machine.run_by_others(before, {own: (6, 3), burner: (1.5, 0)}) == 0.5
    assert machine.run_by_others(before, {own: (6, 3), burner: (1.5, 41), child: (0.25, 0)}) == 1.75


def test_the_time_of_others_is_counted_once():
    own, parent, child, burner = (os.getpid(), "1"), (2, "1"), (3, "1"), (4, "1")
    before = {own: (5, 0), parent: (1, 0), child: (3, 0), burner: (1, 0)}
    now = {own: (6, 0), parent: (1, 4), burner: (3, 0)}
    assert machine.run_by_others(before, now) == 3


def test_a_program_that_does_not_end_is_killed():
    with pytest.raises(lab.Failure, match="did not end"):
        lab.Lab.run(["sleep", "60"], limit=0.3)


def test_a_failed_program_shows_its_last_words():
    with pytest.raises(lab.Failure, match="ended with 3: no"):
        lab.Lab.run(["sh", "-c", "echo no >&2; exit 3"])


def test_a_missing_tool_names_its_package():
    with pytest.raises(lab.NotRunnable, match="apt-get install linux-perf"):
        lab.Lab.tool("no-such-tool", "linux-perf")


def test_a_list_that_nobody_reads_ends_quietly():
    command = [sys.executable, "-u", lab.ROOT / "lab", "--list"]
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        assert process.stderr.read() == b"" and process.wait() == -signal.SIGPIPE


def right(data, quiet):
    return {"ours": verdict.holds(True, "x")}


def fails(failure):
    def run(*_):
        raise failure
    return run


@pytest.mark.parametrize("failure", [AssertionError(), AttributeError("x"), StopIteration(), KeyError("x"),
                         lab.Failure("x")], ids=repr)
def test_one_experiment_that_fails_does_not_end_the_others(measured, failure):
    status, written = measured(runs_not=(fails(failure), right), good=(lambda _: {"a": 2}, right),
                               is_not_judged=(lambda _: {"a": 1}, fails(failure)))
    assert status == 1 and written["good"]["data"] == {"a": 2}
    assert written["runs_not"]["data"] is None and written["runs_not"]["verdict"][0] == verdict.FAILED
    assert written["is_not_judged"]["data"] == {"a": 1}, "what was measured is kept"


def test_a_row_that_fails_keeps_its_earlier_figures(measured, capfd):
    for run, kept in ((fails(lab.NotRunnable("no")), None), (lambda _: {"a": 1}, {"a": 1}),
                      (fails(lab.Failure("no")), {"a": 1}), (lambda _: {"a": 2}, {"a": 2})):
        _, written = measured(row=(run, right))
        assert written["row"]["data"] == kept
    assert capfd.readouterr().err.count("keeps its earlier figures") == 1


@pytest.mark.parametrize("others, quiet", [(0.5, False), (0.0, True)])
def test_an_experiment_without_rounds_is_watched_too(measured, monkeypatch, others, quiet):
    monkeypatch.setattr(machine, "run_by_others", lambda before, now: others * machine.CPUS * 1e3)
    monkeypatch.setattr(machine, "stolen", lambda: 0.0)
    _, written = measured(row=(lambda _: {"a": 1}, right))
    assert written["row"]["quiet"] == quiet and set(written["row"]["noise"]) == {"others", "steal"}


def test_experiments_are_measured_in_the_order_in_which_they_are_named():
    import experiments
    known = experiments.all_experiments()
    chosen = command_line().select(known, ["trino", "demo", "4", "trino"], None)
    assert [one.NAME for one in chosen] == ["trino", "demo", "backport-25u"]
