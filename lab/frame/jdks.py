# SPDX-License-Identifier: Apache-2.0
"""The JDKs of this machine, and how each reads user time: found in its binary, not by its version."""
import functools
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

STAT_FILE = b"/proc/self/task/%d/stat"
VENDORS = {"Eclipse Adoptium": "Temurin", "Amazon.com Inc.": "Corretto", "Oracle Corporation": "Oracle"}


@dataclass(frozen=True)
class Jdk:
    home: Path
    version: str
    vendor: str

    @property
    def feature(self):
        parts = [int(part) for part in re.findall(r"\d+", self.version)[:2]]
        return parts[1] if parts[0] == 1 else parts[0]

    @property
    def order(self):
        return self.feature, [int(part) for part in re.findall(r"\d+", self.version)]

    @property
    def java(self):
        return str(self.home / "bin/java")

    @functools.cached_property
    def libjvm(self):
        places = ("lib/server", "lib/*/server", "jre/lib/*/server")
        return next((file for place in places for file in sorted(self.home.glob(place + "/libjvm.so"))), None)

    @functools.cached_property
    def legacy(self):
        """True if it reads /proc, false if it reads the VIRT clock."""
        return STAT_FILE in self.libjvm.read_bytes()

    def __str__(self):
        return f"JDK {self.version}{' ' + self.vendor if self.vendor else ''}"

    @property
    def user_time(self):
        return "/proc" if self.legacy else "VIRT clock"


def of(home):
    """The JDK in a folder, or None: without a compiler or HotSpot's server VM it is none."""
    home = Path(home).resolve()
    if not (home / "bin/java").exists() or not (home / "bin/javac").exists():
        return None
    try:
        release = dict(re.findall(r'^(\w+)="?([^"\n]*)', (home / "release").read_text(), re.M))
    except OSError: # JDK 8 of Debian has no such file
        said = subprocess.run([home / "bin/java", "-version"], capture_output=True, text=True).stderr
        found = re.search(r'version "([^"]+)"', said)
        release = {"JAVA_VERSION": found[1] if found else "",
            "IMPLEMENTOR": "Debian" if "deb" in said else ""}
    vendor = release.get("IMPLEMENTOR", "")
    jdk = Jdk(home, release.get("JAVA_VERSION", ""), VENDORS.get(vendor, vendor))
    return jdk if jdk.version and jdk.libjvm else None


def installed():
    """The newest JDK of each version and way to read user time, oldest first: of JAVA_HOME, the usual folder,
    and those that ci/jdks has installed."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(os.environ.get("THREADCLOCK_JDKS_ROOT") or Path(cache, "threadclock/jdks"))
    homes = [os.environ.get("JAVA_HOME", "/nowhere"), *Path("/usr/lib/jvm").glob("*"), *cache.glob("*/jdk")]
    found = sorted(filter(None, map(of, homes)), key=lambda jdk: jdk.order)
    return list({(jdk.feature, jdk.legacy): jdk for jdk in found}.values())


def short(names):
    """Of full names, "JDK 8, 17, 25.0.3, 25.0.5": each version as long as it takes to tell them apart."""
    names = list(names)
    numbers = {name: [part for part in re.findall(r"\d+", name) if part != "1" or " 1." not in name]
               for name in names}

    def version(name):
        one = numbers[name]
        alike = [each for each in numbers.values() if each[0] == one[0]]
        return one[0] if len(alike) == 1 else ".".join(one[:3])
    return f"JDK {', '.join(map(version, names))}" if numbers else "no JDK"
