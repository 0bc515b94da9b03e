# SPDX-License-Identifier: Apache-2.0
"""The rules of single experiments, on made-up measurements: what would prove a claim wrong must do so."""
import json
import re
from datetime import datetime

import experiments
import pytest
from experiments import (
    backport_25u,
    clocks,
    consumers,
    flame_graphs,
    flight_recorder,
    invariants,
    kernel_allocation,
    kernels,
    memory_mapping,
    peers,
    rightness,
     system_calls)
from frame import inputs, machine, publish, result as results, stats, verdict
from frame.lab import ROOT, Failure, Lab, NotRunnable

ALL = experiments.all_experiments()


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.NAME)
def test_an_experiment_is_complete(one):
    assert one.TITLE and one.CONDITIONS and one.CODE and len(one.SECONDS) == 2
    assert bool(one.SOURCE) == bool(one.CLAIM) and (one.CLAIM or one.OURS)
    assert callable(one.run) and callable(one.judge)
    assert all(inputs.of(one).values()), inputs.of(one)


def test_what_experiments_take_from_verdict_is_there():
    for path in (ROOT / "lab" / "experiments").glob("*.py"):
        for name in re.findall(r"\bverdict\.(\w+)", path.read_text()):
            assert hasattr(verdict, name), f"{path.name}: verdict.{name}"


def test_rows_are_each_there_once():
    rows = [one.ROW for one in ALL if one.ROW]
    assert sorted(rows) == list(range(1, 22))


def test_the_changelog_counts_the_rows():
    assert f"{sum(bool(one.ROW) for one in ALL)} rows of experiments" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.NAME)
def test_what_was_not_measured_is_a_verdict_for_each_claim(one):
    judged = results.judged(one, {"data": None, "verdict": [verdict.ABSENT, "no"], "quiet": True})
    assert bool(judged["published"]) == bool(one.CLAIM) and bool(judged["ours"]) == bool(one.OURS)


def sampled(legacy_ns, virt_ns, ours_ns):
    def fork(ns, index):
        return {**dict.fromkeys(stats.QUANTILES, ns * (1 + index / 1000)),
                                "mean": ns * (1 + index / 1000), "samples": 9}
    jdks = {"legacy": "JDK 25.0.3", "virt": "JDK 25.0.5"}
    return {"jdks": jdks, "absent": None, "threads": 1, "more": [], "rounds": [
        {"legacy": fork(legacy_ns, i), "virt": fork(virt_ns, i), "legacy with threadclock": fork(ours_ns, i),
         "virt with threadclock": fork(ours_ns, i)} for i in range(3)]}


@pytest.mark.parametrize("legacy_ns, virt_ns, ours_ns, theirs, ours",
    [ (24500,
    1000,
    30,
    verdict.CONFIRMED,
    verdict.CONFIRMED),
    (10400,
    1000,
    30,
    verdict.REFUTED,
    verdict.CONFIRMED),
    (24500,
    1000,
    2000,
    verdict.CONFIRMED,
     verdict.REFUTED)])
def test_the_backport_is_judged_by_legacy_against_virt(legacy_ns, virt_ns, ours_ns, theirs, ours):
    judged = backport_25u.judge(sampled(legacy_ns, virt_ns, ours_ns), True)
    assert (judged["published"].kind, judged["ours"].kind) == (theirs, ours)


def test_without_a_virt_jdk_the_published_claim_is_not_judged():
    data = sampled(24500, 1000, 30)
    data["absent"], data["jdks"] = "no JDK from 25.0.5 on", {"legacy": "JDK 25.0.3"}
    judged = backport_25u.judge(data, True)
    assert judged["published"].kind == verdict.ABSENT and judged["ours"].kind == verdict.CONFIRMED


def test_every_published_quantile_has_a_neighbour():
    table = backport_25u.judge(sampled(1, 1, 1), True)["tables"][0]
    assert [row[0] for row in table["rows"]] == ["samples", "mean", *stats.QUANTILES]
    assert {len(row) for row in table["rows"]} == {len(table["head"])}


def test_fstat_is_counted_by_each_of_its_names():
    table = ("% time     seconds  usecs/call     calls    errors syscall\n"
             " 50.00    0.1       1   100002         1 newfstatat\n 25.00    0.1       1        7           "
             "fstat\n"
             " 25.00    0.1       1       20        10 openat\n100.00    0.3              100029        11 "
             "total\n")
    assert system_calls.parse(table) == {"fstat": 100009, "openat": 20}


def split(user_ns, kernel_ns=100e6, total_ns=100e6, on_time=1.0):
    return {"began": 0, "true_user": total_ns, "user": user_ns, "total": total_ns, "kernel_user": kernel_ns,
            "kernel_system": total_ns - kernel_ns, "on_time": on_time}


def right(ours, virt=0.0, tick_ahead=0, raw=0):
    ages = {"backward": 0, "behind": {"max": 5e6, "p99": 4e6, "p99.9": 4e6}, "ahead": {"max": tick_ahead}}
    readings = {"threadclock, tick": [100e6, 0], "threadclock, now": [
        100e6, 0], "/proc": [100e6, 0], "VIRT": [raw, 0]}
    return {"tick_ns": 4_000_000, "fresh": [{"tick": ages, "interpolated": ages}] * 3,
            "c": [{"user": {"user_ns": 100e6, "total_ns": 100e6, "readings": readings}}] * 3,
            "java": {"ours": {"kind": "ours", "rounds": [{"around": ours}]},
                     "virt": {"kind": "virt", "rounds": [{"around": split(virt)}]}}}


@pytest.mark.parametrize("data, kind", [
    (right(split(100e6)), verdict.CONFIRMED), (right(split(70e6)), verdict.REFUTED),
    (right(split(100e6 + 1)), verdict.REFUTED), # more user time than CPU time
    (right(split(100e6), tick_ahead=1), verdict.REFUTED), (right(
        split(100e6), virt=100e6, raw=100e6), verdict.REFUTED),
    (right(split(0, on_time=0.5)), verdict.CONFIRMED)]) # missed its moments: not looked at
def test_rightness_is_against_the_kernels_split(data, kind):
    assert rightness.judge(data, True)["ours"].kind == kind


def test_events_of_the_recorder_are_shares_since_the_events_before():
    def event(second, user):
        return {"values": {"startTime": f"2026-01-01T00:00:{second:02d}.000000000Z", "user": user,
        "system": 0.0, "eventThread": {"javaName": "around"}}}
    load = split(0)
    load["began"] = datetime.fromisoformat("2026-01-01T00:00:00Z").timestamp() * 1000
    flight_recorder.add_recorded({"around": load}, [event(1, 0.5), event(2, 0.25)], 2)
    assert load["recorded_user"] == pytest.approx(1.5e9) and load["looks"] == 2


def test_a_broken_invariant_refutes_the_side_that_it_belongs_to():
    def jvm(kind, broken):
        return {"kind": kind, "broken": {"user-within-total": [100, broken]}}
    judged = invariants.judge({"found": {"a": jvm("virt", 3), "b": jvm("ours", 0)}}, True)
    assert (judged["published"].kind, judged["ours"].kind) == (verdict.REFUTED, verdict.CONFIRMED)
    judged = invariants.judge({"found": {"a": jvm("legacy", 0), "b": jvm("ours", 1)}}, True)
    assert (judged["published"].kind, judged["ours"].kind) == (verdict.ABSENT, verdict.REFUTED)


def test_half_of_the_consumers_is_not_all():
    opened = {f"{title}, as it is": 1000 for title in consumers.JMX.values()}
    opened |= {"JVMTI GetThreadCpuTime, as it is": 0, "JFR jdk.ThreadCPULoad, as it is": 90,
               "JFR jdk.CPUTimeSample, as it is": 0, "the same by a JMX proxy, with threadclock": 0}
    judged = consumers.judge({"jdk": "x", "opened": opened, "notes": []}, True)
    assert (judged["published"].kind, judged["ours"].kind) == (verdict.REFUTED, verdict.CONFIRMED)


def test_an_allocation_of_another_source_refutes_us():
    nothing = {source: {} for source in kernel_allocation.PROC + kernel_allocation.OTHERS}
    one = {**nothing, "proc": {"@pages": 1.0, "@kmallocs": 1.0}, "one_byte": {"@pages": 1.0}}
    judged = kernel_allocation.judge({"a_read": one}, True)
    assert (judged["published"].kind, judged["ours"].kind) == (verdict.CONFIRMED, verdict.CONFIRMED)
    judged = kernel_allocation.judge({"a_read": {**one, "now": {"@kmallocs": 1.0}}}, True)
    assert judged["ours"].kind == verdict.REFUTED


def test_a_stress_without_its_median_is_not_reproduced():
    def load(proc_ns):
        reads = {"proc": proc_ns, "virt_tid": proc_ns / 8, "tick": 30.0, "now": 500.0}
        return {name: {"p50": ns, "p99": ns, "max": ns} for name, ns in reads.items()}
    rounds = [{f"{count} mappers": load(7000.0) for count in memory_mapping.MAPPERS} for _ in range(3)]
    assert memory_mapping.judge({"rounds": rounds}, True)["published"].kind == verdict.REFUTED
    rounds = [{f"{count} mappers": load(2.1e6) for count in memory_mapping.MAPPERS} for _ in range(3)]
    assert memory_mapping.judge({"rounds": rounds}, True)["published"].kind == verdict.CONFIRMED


def test_samples_are_shared_out_by_frames():
    shares = flame_graphs.shares("main;user;fopen;__x64_sys_openat_[k] 3\nmain;user;clock_gettime 1\n")
    assert shares["file"] == 0.75 and shares["clock"] == 0.25 and shares["kernel"] == 0.75
    assert flame_graphs.shares("") == {}


def test_a_flag_that_is_off_refutes_that_later_jdks_use_the_clock():
    data = {"getcpuclockid_is_precise": True, "tick_ns": 4000000, "resolution_ns": {"sched": 1},
        "sources": {}, "flags": {"JDK 8": "false", "JDK 25": None}}
    assert clocks.judge(data, True)["published"].kind == verdict.REFUTED


def a_result(one, **changed):
    return {"data": {"markdown": "one"}, "date": "2026-01-02T03:04Z", "quiet": True, "quick": False,
            "inputs": inputs.of(one), "machine": machine.describe(), "jdks": {}, **changed}


def test_a_page_shows_what_the_result_says():
    demo = next(one for one in ALL if one.NAME == "demo")
    page = "a\n<!-- figures: demo -->\nold\n<!-- /figures -->\nb\n"
    new = publish.rendered(page, [(demo, a_result(demo))], ROOT / "docs")
    assert "\none\n" in new and "old" not in new and "(../lab/results/demo.json)" in new
    assert publish.rendered(new, [(demo, a_result(demo))], ROOT / "docs") == new
    aged = publish.rendered(new, [(demo, a_result(demo, inputs={}))], ROOT / "docs")
    assert aged != new and results.OLDER in aged, "it says so as soon as the code has changed"
    with pytest.raises(publish.Unknown):
        publish.rendered("<!-- figures: nothing -->\n<!-- /figures -->", [], ROOT)


@pytest.mark.parametrize("name, one, other, same", [
    ("a.c", "int a; // b", "int a; /* c\n */", True), ("a.c", "int a;", "int b;", False),
    ("a.java", 'String a = "// b";', 'String a = "// c";', False),
    ("a.xml", "<a><!-- b --></a>", "<a> </a>", True),
    ("a.py", "def a():\n    'b'\n    return 1 # c", "def a():\n    return 1", True),
    ("a.py", "def a():\n    return 1", "def a():\n    return 2", False)])
def test_a_comment_is_no_input(name, one, other, same):
    assert (inputs.meaning(name, one) == inputs.meaning(name, other)) == same


def test_the_input_of_a_row_is_what_its_measuring_reaches():
    source = ("N = 1\nHEAD = 'x'\ndef helps():\n    return N\ndef run(lab):\n    return helps()\n"
              "def judge():\n    pass")
    before = inputs.reached(source, "run")
    for old, new, same in (("'x'", "'y'", True), ("N = 1", "N = 2", False), ("pass", "return 3", True),
                           ("return helps()", "return helps(1)", False)):
        assert (before == inputs.reached(source.replace(old, new), "run")) == same, new


def test_the_input_of_a_row_is_what_it_calls_in_other_modules(monkeypatch, tmp_path):
    (tmp_path / "lab/frame").mkdir(parents=True)
    monkeypatch.setattr(inputs, "ROOT", tmp_path)
    found = []
    for body, other in ((1, 1), (2, 1), (2, 2)):
        (tmp_path / "lab/frame/forks.py").write_text(f"def run():\n    return {body}\ndef no():\n    {other}")
        found.append(inputs.reached("from frame import forks\ndef run():\n    forks.run()", "run"))
    assert found[0] != found[1] == found[2]


def test_the_input_of_a_c_file_is_what_it_includes_however_far():
    own = {path.rpartition("/")[2] for path in inputs.followed("native/core/own_thread.c")}
    assert own >= {"entries.c", "lock.h", "moment.h", "tick.c"} and not own & {"threads.c", "task_folder.c"}
    assert "native/test/loads.c" in inputs.followed("lab/programs/split.c")
    assert inputs.followed("native/agent/answers.c") == {"native/agent/answers.c"}


def test_a_result_is_older_than_code_that_has_changed():
    one = ALL[0]
    assert results.stale(one, a_result(one)) == []
    changed = {**inputs.of(one), one.CODE[0]: "then"}
    assert results.stale(one, a_result(one, inputs=changed)) == [one.CODE[0]]


def test_what_would_be_measured_again_on_the_same_inputs_is_not(monkeypatch):
    one, lab = ALL[0], Lab([])
    assert results.current(one, a_result(one), lab)
    for changed in ({"inputs": {}}, {"quiet": False}, {"quick": True}, {"data": None},
                    {"machine": {"cpu": "another"}}):
        assert not results.current(one, a_result(one, **changed), lab), changed
    lab.jdks = ["JDK 99"]
    assert not results.current(one, a_result(one), lab)


@pytest.mark.parametrize("one",
    [one for one in ALL if results.path_of(one).exists()],
     ids=lambda one: one.NAME)
def test_a_stored_result_can_be_traced_and_judged(one):
    stored = json.loads(results.path_of(one).read_text())
    assert stored["commit"] and stored["date"] and stored["machine"]["cpu"] and stored["command"]
    judged = one.judge(stored["data"], stored["quiet"]) if stored["data"] else results.judged(one, stored)
    for side in filter(None, (judged.get("published"), judged.get("ours"))):
        assert side.kind in verdict.KINDS
    for view in getattr(one, "VIEWS", {}).values():
        assert stored["data"] is None or view(stored["data"])


def test_the_results_are_small_and_of_one_kind():
    files = list(results.FOLDER.iterdir())
    assert {file.suffix for file in files} == {".json"} and {file.stem for file in files} <= {
        one.NAME for one in ALL}
    assert sum(file.stat().st_size for file in files) <= 300_000


def test_a_publication_is_planned_for_an_evening_and_a_quick_look_for_minutes():
    assert sum(one.SECONDS[1] for one in ALL if not one.LONG) <= 100 * 60
    assert sum(one.SECONDS[0] for one in ALL if one.ROW) <= 6 * 60


@pytest.mark.parametrize("one", [one for one in ALL if one.LONG], ids=lambda one: one.NAME)
def test_a_long_run_needs_its_name(one):
    assert not one.ROW and one.NAME in {file.stem for file in results.FOLDER.iterdir()}


def test_a_peer_is_compared_by_the_mean_over_rounds_and_what_it_does_not_show_is_said():
    def one(total, user):
        return {"peer": {"said": {"around": [total, user]}, "truth": {"around": [.1, .1, 0]}}}
    assert peers.means([one(.1, .1), one(.3, .3)], "peer", "around") == (
        pytest.approx(2), 1, 1)
    assert peers.shown(peers.means([one(.1, .9)], "peer", "around")) == "100 %; 900 % (100 %)"
    assert peers.shown(peers.means([one(.1, None)], "peer", "around")) == "100 %"
    assert peers.shown(peers.means([{"peer": {"said": {}, "truth": {"around": [1, 1, 0]}}}], "peer",
                                   "around")) == "not shown"


@pytest.mark.parametrize("says, wrong", [("stolen time and interrupts", 0), ("interrupts", 1), ("own", 2)])
def test_doctor_says_what_a_total_contains(says, wrong):
    rounds = [{"alone": [100, 100, 100, 100, 0, 0, 0], "stopped": [100, 350, 350, 350, 0, 0, 0],
               "calls": [60, 100, 100, 95, 10, 0, 0]}]
    one = {"name": "6.1", "doctor": {"cpuTime": says}, "interrupted": rounds}
    assert kernels.contained(one, "calls") == [40, 100, 5, 10, 0, 0]
    assert kernels.contained(one, "packets") is None # one CPU, or steered to no such CPU
    assert len(list(kernels.misjudged(one))) == wrong


@pytest.mark.parametrize("user, on_time, hit, wrong", [
    (20, 10, 9, 1), (20, 5, 9, 0), (20, 10, 2, 0), (110, 5, 9, 1), (110, 10, 2, 1), (90, 10, 9, 0)])
def test_a_guest_too_late_for_its_ticks_is_judged_by_what_cannot_be(user, on_time, hit, wrong):
    measured = {"userNanos": user, "cpuNanos": 100, "rounds": 10, "roundsOnTime": on_time}
    load = {"readings": {kernels.OURS_BY: [9, 0], "/proc": [9, 0]}, "total_ns": 9, "user_ns": 9}
    one = {"name": "6.1", "split": dict.fromkeys(kernels.LOADS, load), "virtual": [85, 90, 99],
           "demo": {"with": {"aroundTicks": measured, "betweenTicks": {**measured, "userNanos": 0}},
                    "before": {"aroundTicks": {"userNanos": hit * kernels.TICK_NS, "rounds": 10},
                               "betweenTicks": {"userNanos": 0, "rounds": 10}}},
           "passed": 1, "tests": {}}
    assert len(kernels.wrong(one)) == wrong
    for virtual in [85, 80, 99], [85, 110, 99]:
        assert len(kernels.wrong({**one, "virtual": virtual})) == wrong + 1
    tested = {**one, "tests": {"own_thread": "", "slot": ""}}
    assert len(kernels.wrong(tested)) == wrong + 2
    late = {**load, "user_ns": 99_000_000}
    assert len(kernels.wrong({**tested, "split": dict.fromkeys(kernels.LOADS, late)})) == wrong + 1


def test_a_guest_that_prints_something_else_does_not_lose_the_others(monkeypatch, tmp_path):
    said = iter([{"kernel": (0, "")}, {"kernel": (0, "6.1\ntsc")}])
    monkeypatch.setattr(kernels.guest, "FOLDER", tmp_path)
    monkeypatch.setattr(kernels, "JAR", tmp_path)
    monkeypatch.setattr(kernels, "root", lambda *_: None)
    monkeypatch.setattr(kernels.guest, "kernel", lambda *_: (None, None))
    monkeypatch.setattr(kernels.guest, "initramfs", lambda *_: None)
    monkeypatch.setattr(kernels.guest, "boot", lambda *_: next(said))
    lab = Lab([], kernels=["bookworm, x86_64"])
    assert sorted("IndexError" in one.get("problem", "") for one in kernels.run(lab)) == [False, True]


@pytest.mark.parametrize("problem", [NotRunnable("no qemu"), Failure("no C")], ids=repr)
def test_no_guest_at_all_is_no_data(monkeypatch, tmp_path, problem):
    def root(*_):
        raise problem
    monkeypatch.setattr(kernels.guest, "FOLDER", tmp_path)
    monkeypatch.setattr(kernels, "JAR", tmp_path)
    monkeypatch.setattr(kernels, "root", root)
    with pytest.raises(type(problem), match=f"^{problem}$"):
        kernels.run(Lab([]))


def test_a_guest_that_cannot_be_had_is_named_and_not_judged():
    absent = {"name": "6.1, aarch64", "problem": "qemu-system-aarch64 is missing", "missing": True}
    assert kernels.judge([absent], True)["ours"].kind == verdict.ABSENT
    stored = results.read(results.FOLDER / "kernels.json")["data"][1:2]
    assert kernels.judge(stored, True)["ours"].kind == verdict.CONFIRMED
    both = kernels.judge([*stored, absent], True)["ours"]
    assert both.kind == verdict.CONFIRMED and "1 kernels" in both.text and "qemu-system-aarch64" in both.text


def test_the_page_explains_the_failures_that_there_are():
    stored = results.read(results.FOLDER / "kernels.json")["data"]
    failing = [{**one, "tests": {"elsewhere": "exit status 1"}} for one in stored]
    assert "another CPU's reading" in kernels.view([{**failing[0], "name": "7.2, nohz_full=1, 2 CPUs"}])
    assert "another CPU's reading" not in kernels.view([{**failing[0], "name": "7.2, 2 CPUs"}])


def test_a_peer_that_cannot_be_had_is_left_out_with_its_reason(monkeypatch, quiet):
    lab, one = Lab([]), {"said": {}, "truth": dict.fromkeys(peers.THREADS, [1, 1, 0])}
    monkeypatch.setattr(Lab, "benchmarks", "jar")
    monkeypatch.setattr(lab, "async_profiler", lambda: None)
    monkeypatch.setattr(lab, "pair", lambda: ({"virt": "JDK 27"}, None))
    monkeypatch.setattr(lab, "last", lambda *_: "JDK 27")
    monkeypatch.setattr(lab, "source", lambda jdk, *words, **_: [["1", "1", "1"]] if "gc" in words else [])
    monkeypatch.setattr(rightness, "ticks", lambda _: ())
    monkeypatch.setattr(peers, "within", lambda *_: one)
    monkeypatch.setattr(peers, "beside", lambda lab, jdk, tool, ticks: tool(1) and one)
    monkeypatch.setattr(peers, "OUTSIDE", {peers.OURS_BY: lambda *_: 1, "SJK": lambda *_: "".split("x")[1]})
    data = peers.run(lab)
    assert [set(found) for found in data["jdks"]["JDK 27"]] == [
        {peers.OURS_BY, "ThreadMXBean", "async-profiler 4.6, event=cpu"}] * 2
    assert list(data["within"]) == list(peers.WITHIN)[:1]
    assert "SJK: IndexError" in peers.absent(data) and peers.absent(data) in peers.VIEWS[""](data)
