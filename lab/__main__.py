# SPDX-License-Identifier: Apache-2.0
"""The command line of the laboratory: ./threadclock lab --help"""
import argparse
import os
import shlex
import signal
import sys
import time
from pathlib import Path

import experiments
from frame import jdks as all_jdks
from frame import inputs, machine, page, publish, result as results, verdict
from frame.compare import compare
from frame.lab import JAR, Lab, NotRunnable, say

DESCRIPTION = """Measures again, on this machine, what others have published about the CPU time of threads,
and what threadclock claims. Each row gets two verdicts: on the published claim, and on ours."""
EPILOG = """examples:
  threadclock lab --quick                  all rows in about 5 minutes: orders of magnitude
  threadclock lab --only 4 --only 14       some rows, by number or name
  threadclock lab --jdk DIR --jdk DIR      these JDKs only, instead of all that are found
  threadclock lab diff A.json B.json       compares two results of one experiment
exit status: 0 measured, whatever the verdicts; 1 something failed; 2 usage error"""


def parse(arguments):
    parser = argparse.ArgumentParser(prog="threadclock lab", description=DESCRIPTION, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true", help="short runs: the intervals are wider")
    parser.add_argument("--list", action="store_true", help="list the experiments and how long each takes")
    parser.add_argument("--only", action="append", default=[], metavar="ROW|NAME",
                        help="only this experiment; repeat it for several, which run in this order")
    parser.add_argument("--jdk", action="append", default=[], metavar="DIR", help="a JDK to measure")
    parser.add_argument("--kernel", action="append", default=[], metavar="TEXT",
                        help="boot only the kernels whose name has this text, such as 'sid, aarch64'; the "
                             "result keeps what this build has found on others")
    parser.add_argument("--repetitions", type=int, metavar="N",
                        help="instead of each experiment's own number")
    parser.add_argument("--html", metavar="FILE", default="lab.html", help="the page (default: lab.html)")
    parser.add_argument("--results", metavar="DIR", help="also write one JSON file for each experiment here")
    parser.add_argument("--publish", action="store_true",
                        help="write the results to lab/results and the figures into README and docs; what "
                             "was measured on the same inputs is not measured again")
    parser.add_argument("--again", action="store_true", help="with --publish: measure it again")
    parser.add_argument("--render", action="store_true",
                        help="measure nothing: only copy lab/results into the pages")
    parser.add_argument("--check", action="store_true",
                        help="measure nothing: fail if a page differs from its result, name results that are "
                             "too old")
    parser.add_argument("--yes", action="store_true", help="install the packages that are missing")
    chosen = parser.parse_args(arguments)
    if chosen.repetitions is not None and chosen.repetitions < 2:
        parser.error("--repetitions must be at least 2, because an interval needs two")
    known = experiments.all_experiments()
    # What only serves a page of the documentation is left out of a quick look at the rows.
    rows = [one for one in known if one.ROW or not (chosen.quick or one.LONG)]
    chosen.experiments = select(known, chosen.only, parser) if chosen.only else rows
    chosen.jdks = []
    for home in chosen.jdk:
        jdk = all_jdks.of(home)
        if jdk is None:
            parser.error(f"--jdk {home}: there is no JDK with a compiler and HotSpot's server VM")
        chosen.jdks.append(jdk)
    chosen.jdks = sorted(chosen.jdks or all_jdks.installed(), key=lambda jdk: jdk.order)
    for file in (chosen.html, chosen.results):
        if file and not os.access(Path(file).resolve().parent, os.W_OK):
            parser.error(f"cannot write in {Path(file).resolve().parent}")
    return chosen


def select(known, wanted, parser):
    selected = []
    for want in wanted:
        found = [one for one in known if want in (one.NAME, str(one.ROW or one.NAME))]
        if not found:
            parser.error(f"--only {want}: no such row or experiment; --list names them")
        selected += [one for one in found if one not in selected]
    return selected


def minutes(experiment):
    """As its last measuring took, or as estimated if it has measured in another way since."""
    path = results.path_of(experiment)
    last = results.read(path) if path.exists() else {}
    own = {name: digest for name, digest in inputs.of(experiment).items() if name.startswith("lab/")}
    as_now = last.get("seconds") and not last["quick"] and own.items() <= last["inputs"].items()
    return (last["seconds"] if as_now else experiment.SECONDS[1]) / 60


def done(experiment, lab):
    """Whether its result in lab/results would only be measured again."""
    path = results.path_of(experiment)
    return path.exists() and results.current(experiment, results.read(path), lab)


def show_plan(chosen, lab):
    """What is to be measured, and how long that takes here."""
    quick = sum(one.SECONDS[0] for one in chosen.experiments if one.ROW) / 60
    full = {one.NAME: minutes(one) for one in chosen.experiments}
    kept = {one.NAME for one in chosen.experiments if done(one, lab)}
    for one in chosen.experiments:
        print(f"{one.ROW or '-':>6}  {one.NAME:20} {one.SECONDS[0]:5} s quick, {full[one.NAME]:5.1f} min   "
              f"{one.TITLE}{' (measured on the same inputs)' if one.NAME in kept else ''}")
    print(f"In all about {quick:.0f} minutes quick, without the rows that have no number; "
          f"{sum(full.values()):.0f} minutes in full, of which --publish leaves out "
          f"{sum(full[name] for name in kept):.0f}; longer under load.")
    return 0


LEFT_OUT = ("--html", "--results", "--only") # with their values


def repeatable(arguments, name):
    """The command that repeats one experiment, without where its files go and the folders of this user."""
    shown, skip = [], False
    for one in arguments:
        if not skip and one not in (*LEFT_OUT, "--yes", "--publish", "--again"):
            shown.append(one)
        skip = one in LEFT_OUT
    return "".join(f" {shlex.quote(one)}" for one in [*shown, "--only", name]).replace(str(Path.home()), "~")


def measure(experiment, lab, command):
    """One experiment, whatever becomes of it."""
    lab.noise, lab.quiet, lab.dropped = {}, True, 0
    began = time.monotonic()
    try:
        with machine.Noise() as noise:
            data = experiment.run(lab)
        if not lab.noise: # no rounds, which are watched one by one
            lab.noise, lab.quiet = noise.shares, not noise.disturbed
        return results.of(experiment, lab, data, time.monotonic() - began, command)
    except NotRunnable as reason:
        return results.without_data(experiment, lab, verdict.ABSENT, results.in_words(reason), command)
    except Exception as failure: # whatever a program printed, the other experiments run
        return results.without_data(experiment, lab, verdict.FAILED, results.in_words(failure), command)


def left_out(chosen, lab):
    """What a quick run has not looked at."""
    measured = lab.chosen() if lab.jdks else []
    skipped = [jdk for jdk in lab.jdks if jdk not in measured]
    pages = [one.NAME for one in experiments.all_experiments()
             if not (one.ROW or one.LONG or one.NAME in [each.NAME for each in chosen.experiments])]
    return (f"Quick: most rows with {all_jdks.short(map(str, measured))} only, not with "
            f"{all_jdks.short(map(str, skipped))}; without {', '.join(pages)}.")


# What the launcher asks with TC_LAB_PARSE set: whether anything is left to do that needs a build.
DONE = 64


def main(arguments):
    only_parse = "TC_LAB_PARSE" in os.environ
    if arguments[:1] == ["diff"]:
        status = compare(arguments[1:])
        return status or (DONE if only_parse else 0)
    chosen = parse(arguments)
    if chosen.list or chosen.render or chosen.check:
        status = show_plan(chosen, Lab(chosen.jdks)) if chosen.list else pages(chosen)
        return status or (DONE if only_parse else 0)
    if only_parse:
        return 0
    if not JAR.exists():
        say("lab: dist/threadclock.jar is missing: run ./threadclock build")
        return 1
    signal.signal(signal.SIGPIPE, signal.SIG_IGN) # as a signal it would leave what was started behind
    lab, measured = Lab(chosen.jdks, chosen.quick, chosen.repetitions, chosen.kernel), []
    if chosen.publish:
        show_plan(chosen, lab)
        chosen.experiments = [one for one in chosen.experiments if chosen.again or not done(one, lab)]
    say(f"lab: {len(chosen.experiments)} experiments with {', '.join(map(str, chosen.jdks)) or 'no JDK'}")
    for experiment in chosen.experiments:
        say(f"{experiment.NAME}: {experiment.TITLE}")
        one = measure(experiment, lab, repeatable(arguments, experiment.NAME))
        measured.append((experiment, one))
        for folder in filter(None, (chosen.results, chosen.publish and results.FOLDER)):
            Path(folder).mkdir(parents=True, exist_ok=True)
            if not results.store(one, Path(folder) / f"{experiment.NAME}.json"):
                say(f"  {Path(folder).name}/{experiment.NAME}.json keeps its earlier figures")
        print(page.text(experiment, one), flush=True)
        if chosen.publish:
            try:
                publish.render(experiments.all_experiments())
            except Exception as failure:
                say(f"lab: the pages are not written, the result is: {results.in_words(failure)}")
    skipped = left_out(chosen, lab) if chosen.quick else ""
    Path(chosen.html).write_text(page.whole(measured, skipped))
    print(page.counted([(pair, results.judged(*pair)) for pair in measured]), skipped)
    say(f"Wrote {chosen.html}")
    sides = [results.judged(*pair)[side] for pair in measured for side in ("published", "ours")]
    return int(any(side and side.kind == verdict.FAILED for side in sides))


def pages(chosen):
    known = experiments.all_experiments()
    for line in publish.older(known):
        say(f"older than its code: {line}")
    try:
        differing = publish.render(known, write=chosen.render)
    except publish.Unknown as unknown:
        say(f"lab: {unknown}")
        return 1
    for path in differing:
        print(f"{path}: {'written' if chosen.render else 'differs from the results: run lab --render'}")
    return int(bool(differing) and chosen.check)


if __name__ == "__main__":
    # Both end with what was started: SIGINT is ignored where a shell has started this in the background.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL) # "lab --list | head" ends quietly
    try:
        sys.exit(main(sys.argv[1:]))
    except SystemExit as end: # argparse ends after --help
        sys.exit(DONE if end.code == 0 and {"--help", "-h"} & {*sys.argv}
                 and "TC_LAB_PARSE" in os.environ else end.code)
    except KeyboardInterrupt:
        sys.exit(130)
