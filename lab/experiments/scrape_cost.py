# SPDX-License-Identifier: Apache-2.0
"""What a scrape of the metrics costs."""
from frame import page, stats, verdict
from frame.lab import CORE, LIBRARY

OURS = "A scrape of a JVM with 2,000 threads, 200 of which have run, takes less than 10 ms of CPU time."
CONDITIONS = ("-agentpath with prometheus=; 61 scrapes of the account read anew, in each of 3 JVMs, by turns "
              "with CpuAccount.read() and the bare system calls; before that, a JVM with one a second")
# Threads, pools, and threads that run.
JVMS = {"2,000, none": (2000, 50, 0), "2,000, of which 200": (2000, 50, 200),
        "200, of which 20": (200, 20, 20)}
WAYS = {"scrape": "read identity", "read": "account", "bare": "bare"}
PORT = 19464
MOST_US = 10_000
FLEET, PERIOD_S = 100_000, 15
COLD = "200, of which 20"
COLD_SCRAPES, COLD_PERIOD_S = 14, 1
CODE = ["native/account", "native/agent", "native/jvm", *CORE, "lab/programs/java/ScrapeCost.java",
        "lab/programs/for_java.c"]
SECONDS = 140, 148


def run(lab):
    jdk = lab.newest(17)

    def lines(one, cold, period_s):
        return lab.java(jdk, "ScrapeCost", lab.jvmti(), PORT, *one, cold, period_s, "scrape",
                        options=(f"-agentpath:{LIBRARY}=prometheus={PORT}",))

    def measure(one):
        return {WAYS[line[1]]: dict(zip(("us", "bytes", "series"), map(float, line[2:])))
                for line in lines(one, 0, 0) if line[0] == "warm"}
    cold = [float(line[2]) for line in lines(
        JVMS[COLD], *((2, 1) if lab.quick else (COLD_SCRAPES, COLD_PERIOD_S))) if line[0] == "cold"]
    return {"jdk": str(jdk), "cold_us": cold, "rounds": lab.rounds(
        {name: lambda one=one: measure(one) for name, one in JVMS.items()}, 3)}


def of(data, name, way, what):
    return stats.interval(stats.column(data["rounds"], name, way, what))


def judge(data, quiet):
    measured = of(data, "2,000, of which 200", "read identity", "us")
    tables = [{"title": data["jdk"], "head": HEAD, "rows": rows(data)}]
    if "cold_us" in data:  # results of November 25 have none
        tables += [{"title": "warm, us of CPU", "head": ["threads", *WAYS],
                    "rows": [[name, *(str(of(data, name, way, "us")) for way in WAYS.values())]
                             for name in JVMS]},
                   {"title": f"{COLD}: scrapes from the JVM's start, us of CPU",
                    "head": list(map(str, range(1, len(data["cold_us"]) + 1))),
                    "rows": [list(map(str, data["cold_us"]))]}]
    return {"ours": verdict.at_most(measured, MOST_US, quiet, f"{measured} us"), "tables": tables}


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
