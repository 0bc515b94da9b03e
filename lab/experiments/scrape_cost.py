# SPDX-License-Identifier: Apache-2.0
"""What a scrape of the metrics costs."""
from frame import page, stats, verdict
from frame.lab import CORE, LIBRARY

OURS = "A scrape of a JVM with 2,000 threads, 200 of which have run, takes less than 10 ms of CPU time."
CONDITIONS = "-agentpath with prometheus=; 61 scrapes of the account read anew, in each of 3 JVMs"
# Threads, pools, and threads that run.
JVMS = {"2,000, none": (2000, 50, 0), "2,000, of which 200": (2000, 50, 200),
        "200, of which 20": (200, 20, 20)}
PORT = 19464
MOST_US = 10_000
FLEET, PERIOD_S = 100_000, 15
CODE = ["native/account", "native/agent", "native/jvm", *CORE, "lab/programs/java/ScrapeCost.java"]
SECONDS = 100, 110


def run(lab):
    jdk = lab.newest(17)

    def measure(threads, pools, active):
        lines = lab.java(jdk, "ScrapeCost", PORT, threads, pools, active,
                         options=(f"-agentpath:{LIBRARY}=prometheus={PORT}",))
        return {f"{line[1]} {line[2]}": dict(zip(("bytes", "us", "series"), map(float, line[3:])))
                for line in lines if line[0] == "scrape"}
    return {"jdk": str(jdk), "rounds": lab.rounds(
        {name: lambda one=one: measure(*one) for name, one in JVMS.items()}, 3)}


def of(data, name, way, what):
    return stats.interval(stats.column(data["rounds"], name, way, what))


def judge(data, quiet):
    measured = of(data, "2,000, of which 200", "read identity", "us")
    return {"ours": verdict.at_most(measured, MOST_US, quiet, f"{measured} us"),
        "tables": [{"title": data["jdk"], "head": HEAD, "rows": rows(data)}]}


HEAD = ["threads, of which run between two scrapes", "CPU us a scrape", "text", "series",
        f"{FLEET:,} JVMs, scraped every {PERIOD_S} s"]


def rows(data):
    found = []
    for name in JVMS:
        us, series = (of(data, name, "read identity", what) for what in ("us", "series"))
        found.append([name, str(us), f"{of(data, name, 'read identity', 'bytes').value / 1024:.1f} KB",
                      f"{series.value:.0f}", f"{FLEET / PERIOD_S * us.value / 1e6:.1f} CPUs, "
                                             f"{FLEET * series.value / 1e6:.1f} million series"])
    return found


VIEWS = {"": lambda data: page.markdown_table(HEAD, rows(data)) + f"\n\n{data['jdk']}."}
