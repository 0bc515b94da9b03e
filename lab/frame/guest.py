# SPDX-License-Identifier: Apache-2.0
"""Boots kernels of Debian's packages in qemu's software emulation, and runs commands in them.

The guest's only file system is an initramfs: what the packages of a JDK put into /usr (with a C library and a
shell of its own), and the files that the experiment adds. It needs no root and no network.
"""
import os
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

from .lab import ARCHITECTURE, BUILD, ROOT, Failure, Lab, NotRunnable, say

FOLDER = BUILD / "kernels"
# Debian's name of the machine, qemu's package, how qemu is started, and what the kernel is told. The emulated
# counter of x86-64 is the host's, which is steady; without tsc=reliable the kernel tests it and gives it up.
MACHINES = {
    "x86_64": ("amd64", "qemu-system-x86", ["-cpu", "max"], "console=ttyS0 tsc=reliable"),
    "aarch64": ("arm64", "qemu-system-arm", ["-M", "virt", "-cpu", "max,pauth-impdef=on"], "console=ttyAMA0"),
}
# What a guest prints to be stopped for a second, which it cannot notice.
STOP, STOP_S = "<<<stop>>>", 1
LEFT_OUT = shutil.ignore_patterns("jmods", "man", "docs", "legal", "include", "debug", "share", "gcc")
BEGIN, END = "<<<begin {}>>>", "<<<end {} {}>>>"
INIT = """#!/bin/bash
export PATH=/usr/bin:/usr/sbin HOME=/tmp LANG=C.UTF-8 LD_LIBRARY_PATH=/tc
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
exec >/dev/console 2>&1
cp /tc/config /boot/config-$(uname -r)
cd /tmp
{commands}
echo o >/proc/sysrq-trigger; sleep 60
"""
APT = """
. ci/lib/common.bash; . ci/lib/jdks.bash
suite={suite} architecture={architecture} WORK={work} LOG={work}/log
mkdir -p "$WORK" && find_debian && prepare_apt || {{ echo "${{why:-$(reason_from_log)}}"; exit 1; }}
"""
KERNEL = r"""
cd "$WORK" && apt_private apt-get -qq -y install --download-only {package} >>"$LOG" 2>&1 ||
    {{ reason_from_log; exit 1; }}
for file in cache/archives/linux-*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar -x -C {target} --wildcards --transform 's,.*/,,' './boot/vmlinuz*' \
        './boot/config*' './usr/lib/modules/*/vmlinuz' './usr/lib/modules/*/config' 2>/dev/null
done
rm -rf cache; ls {target}/vmlinuz* >/dev/null
"""
JDK = """
rm -rf {target}.part && unpack_packages {target}.part openjdk-27-jre-headless "${{JDKS_TOOLS[@]}}" &&
    settle_files {target}.part {target}.part/usr/lib/jvm/java-27-openjdk-* && mv {target}.part {target} ||
    {{ echo "$why"; exit 1; }}
rm -rf "$WORK/cache"
"""


def debian(suite, machine, what, script):
    """Runs a script that has the packages of one of Debian's suites at hand, and prints why it fails."""
    say(f"  fetching {what} of Debian {suite}...")
    architecture = MACHINES[machine][0]
    before = APT.format(suite=suite, architecture=architecture, work=FOLDER / f"apt-{suite}-{architecture}")
    done = subprocess.run(["bash", "-c", before + script], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "TC_ROOT": str(ROOT)})
    if done.returncode != 0:
        raise NotRunnable(f"{what} of Debian {suite} cannot be had: "
                          f"{(done.stdout + done.stderr).strip()[-300:]}")


def kernel(suite, machine, flavour):
    """(vmlinuz, configuration) of a package of one of Debian's suites, downloaded once."""
    package = f"linux-image-{flavour}-{MACHINES[machine][0]}"
    target = FOLDER / f"{suite}-{package}"
    if not list(target.glob("vmlinuz*")):
        target.mkdir(parents=True, exist_ok=True)
        debian(suite, machine, package, KERNEL.format(package=package, target=target))
    return max(target.glob("vmlinuz*")), max(target.glob("config*"))


def jdk_root(machine, jdk):
    """The folder whose usr/ has JDK 27 for a machine, with a shell: of ci/jdks, or downloaded once."""
    if machine == ARCHITECTURE:
        if not jdk or not (jdk.home.parent / "root").is_dir():
            raise NotRunnable("JDK 27 of ci/jdks is missing: ci/jdks up 27")
        return jdk.home.parent / "root"
    target = FOLDER / f"jdk-{machine}"
    if not target.is_dir():
        debian("sid", machine, "JDK 27", JDK.format(target=target))
    return target


def root(machine, jdk_root, files):
    """The files of the guest, without its commands: {path in the guest: file} added to the JDK's packages."""
    folder = FOLDER / f"root-{machine}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(jdk_root / "usr", folder / "usr", symlinks=True, ignore=LEFT_OUT)
    for name in ("bin", "lib", "lib64", "sbin"):
        (folder / name).symlink_to(f"usr/{name}")
    for name in ("boot", "proc", "sys", "dev", "tmp", "tc"):
        (folder / name).mkdir()
    for inside, file in files.items():
        (folder / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, folder / inside)
    return folder


def initramfs(folder, configuration, commands):
    """The archive that the kernel unpacks, with an init that runs the commands: {name: line of shell}."""
    cpio = Lab.tool("cpio")
    shutil.copy2(configuration, folder / "tc/config")
    lines = "\n".join(f"echo '{BEGIN.format(name)}'; {command}; s=$?; echo; echo \"{END.format(name, '$s')}\""
                      for name, command in commands.items())
    (folder / "init").write_text(INIT.format(commands=lines))
    (folder / "init").chmod(0o755)
    archive = FOLDER / "initramfs.cpio"
    with archive.open("wb") as out:
        files = subprocess.Popen(["find", ".", "-print0"], cwd=folder, stdout=subprocess.PIPE)
        done = subprocess.run([cpio, "--null", "--quiet", "-o", "-H", "newc", "-R", "0:0"], cwd=folder,
                              stdin=files.stdout, stdout=out, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"cpio: {done.stderr.strip()[-300:]}")
    return archive


def boot(machine, vmlinuz, archive, arguments="", cpus=2, cpu_limit=1800, limit=4 * 3600):
    """What each command printed: {name: (status, text)}.

    A guest that runs is limited by the CPU time that its host gives it: on a busy one that may take long. The
    limit in seconds of the clock is for a guest whose programs only wait.
    """
    _, package, options, line = MACHINES[machine]
    qemu = Lab.tool(f"qemu-system-{machine}", package)
    command = [qemu, "-accel", "tcg", *options, "-smp", str(cpus), "-m", "3G", "-nographic", "-no-reboot",
               "-nic", "none", "-kernel", vmlinuz, "-initrd", archive,
               "-append", f"{line} quiet panic=-1 {arguments}"]
    console = ""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace") as guest:
        resource.prlimit(guest.pid, resource.RLIMIT_CPU, (cpu_limit, cpu_limit))
        late = threading.Timer(limit, guest.kill)
        late.start()
        try:
            for text in guest.stdout:
                console += text
                if STOP in text:
                    guest.send_signal(signal.SIGSTOP)
                    time.sleep(STOP_S)
                    guest.send_signal(signal.SIGCONT)
            guest.wait()
        finally:
            late.cancel()
            guest.kill()
    console = console.replace("\r", "")
    if "Kernel panic" in console and "<<<begin" not in console:
        at = re.search(r"RIP: .*|pc : .*", console)
        raise NotRunnable(f"the kernel ends in a panic as it boots: {at.group() if at else console[-300:]}")
    console = re.sub(r"^\[ *\d+\.\d+\] .*\n", "", console, flags=re.M)
    if guest.returncode < 0:
        raise Failure(f"the guest did not end within {cpu_limit} s of CPU time, or {limit} s: "
                      f"{console[-500:]}")
    found = {name: (int(status), text.strip()) for name, text, status in
             re.findall(r"<<<begin (\w+)>>>\n(.*?)\n<<<end \1 (\d+)>>>", console, re.S)}
    if not found:
        raise Failure(f"the guest ran nothing: {console.strip()[-500:]}")
    return found
