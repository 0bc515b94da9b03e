#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints "status <tab> name <tab> reason", a line for each single test, from JUnit XML files.

Surefire has an element for each test. ctest has one for each program, whose output is TAP: a program that
failed although none of its tests did (a crash, a time-out) is a failed test of its own.
"""
import re
import sys
import xml.etree.ElementTree


def emit(status, name, reason=""):
    print(status, name, re.sub(r"\s+", " ", reason).strip()[:1000], sep="\t")


def of_surefire(case):
    # A test inside another JVM is named by itself, not by the factory that found it.
    name = re.sub(r"^.* inside each jdk (alone )?", "", case.get("name"))
    if name == case.get("name"):
        name = case.get("classname").split(".")[-1] + ": " + name
    problem = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
    if problem is None:
        emit("pass", name)
        return
    # The text of a failed assumption is the exception's, which ends before the first line of its stack.
    text = re.split(r"\n\s+at ", problem.text or "")[0]
    reason = problem.get("message") or re.sub(r"^[^:]*: *(Assumption failed: *)?", "", text.strip())
    emit("skip" if problem.tag == "skipped" else "fail", name, reason or "it gave no reason; see the log")


def of_ctest(case):
    program, said, skipped, seen, failed = case.get("name"), "", "", 0, 0
    for line in (case.findtext("system-out") or "").split("\n"):
        if match := re.match(r"(not )?ok \d+ *-? *(.*)", line):
            name, is_skip, why = match.group(2).partition("# SKIP")
            if is_skip:  # cmocka says "not ok 3 # SKIP name"
                name, why = (name.strip(), why) if name.strip() else (why, "")
                emit("skip", f"{program}: {name.strip()}", why or said or "see the test's output")
            else:
                status = "fail" if match.group(1) else "pass"
                failed += status == "fail"
                emit(status, f"{program}: {name}", said if status == "fail" else "")
            seen, said = seen + 1, ""
        elif match := re.match(r"(?:# )?SKIP: *(.*)", line):
            said = skipped = match.group(1)
        elif match := re.match(r"# *(.+)", line):
            said = said or match.group(1)
    if case.find("skipped") is not None:
        emit("skip", program, skipped or "exit 77")
    elif case.find("failure") is not None and not failed:
        last = " ".join((case.findtext("system-out") or "it printed nothing").split()[-40:])
        emit("fail", program, f"the test program itself: {case.find('failure').get('message')} {last}")
    elif not seen:
        emit("pass", program)


for file in sys.argv[1:]:
    suite = xml.etree.ElementTree.parse(file).getroot()
    testcases = list(suite.iter("testcase"))
    if not testcases:  # an assumption of the whole class, whose text Surefire does not keep
        emit("skip", suite.get("name").split(".")[-1], "what the whole class assumes is not so here")
    for testcase in testcases:
        (of_ctest if testcase.get("status") else of_surefire)(testcase)
