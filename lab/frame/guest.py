# SPDX-License-Identifier: Apache-2.0
"""Boots kernels of Debian's packages in qemu's software emulation, and runs commands in them.

The guest's only file system is an initramfs: what the packages of a JDK of ci/jdks put into /usr (with a C
library and a shell of its own), and the files that the experiment adds. It needs no root and no network.
"""
import os
import re
import shutil
import subprocess

from .lab import BUILD, ROOT, Failure, NotRunnable, say

FOLDER = BUILD / "kernels"
LEFT_OUT = shutil.ignore_patterns("jmods", "man", "docs", "legal", "include", "debug", "share", "gcc")
BEGIN, END = "<<<begin {}>>>", "<<<end {} {}>>>"
INIT = """#!/bin/bash
export PATH=/usr/bin:/usr/sbin HOME=/tmp LANG=C.UTF-8
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
exec >/dev/console 2>&1
cd /tmp
{commands}
echo o >/proc/sysrq-trigger; sleep 60
"""
DOWNLOAD = r"""
. ci/lib/common.bash; . ci/lib/jdks.bash
suite={suite} WORK={work} LOG={work}/log
mkdir -p "$WORK" && find_debian && prepare_apt || {{ echo "${{why:-$(reason_from_log)}}"; exit 1; }}
cd "$WORK" && apt_private apt-get -qq -y install --download-only {package} >>"$LOG" 2>&1 ||
    {{ reason_from_log; exit 1; }}
for file in cache/archives/linux-*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar -x -C {target} --wildcards --transform 's,.*/,,' './boot/vmlinuz*' \
        './boot/config*' './usr/lib/modules/*/vmlinuz' './usr/lib/modules/*/config' 2>/dev/null
done
rm -rf cache
"""


def kernel(suite, package):
    """(vmlinuz, configuration) of a package of one of Debian's suites, downloaded once."""
    target = FOLDER / f"{suite}-{package}"
    if not list(target.glob("vmlinuz*")):
        target.mkdir(parents=True, exist_ok=True)
        say(f"  fetching {package} of Debian {suite}...")
        script = DOWNLOAD.format(suite=suite, work=FOLDER / f"apt-{suite}", package=package, target=target)
        done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True,
                              env={**os.environ, "TC_ROOT": str(ROOT)})
        if done.returncode != 0 or not list(target.glob("vmlinuz*")):
            raise NotRunnable(f"{package} of Debian {suite} cannot be had: "
                              f"{(done.stdout + done.stderr).strip()[-300:] or 'it has no vmlinuz'}")
    return max(target.glob("vmlinuz*")), max(target.glob("config*"))


def options(configuration, *names):
    """Which options of a kernel's configuration are set."""
    text = configuration.read_text()
    return {name: f"\nCONFIG_{name}=y\n" in text for name in names}


def root(jdk_root, files):
    """The files of the guest, without its commands: {path in the guest: file} added to the JDK's packages."""
    folder = FOLDER / "root"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(jdk_root / "usr", folder / "usr", symlinks=True, ignore=LEFT_OUT)
    for name in ("bin", "lib", "lib64", "sbin"):
        (folder / name).symlink_to(f"usr/{name}")
    for name in ("proc", "sys", "dev", "tmp", "tc"):
        (folder / name).mkdir()
    for inside, file in files.items():
        (folder / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, folder / inside)
    return folder


def initramfs(folder, commands):
    """The archive that the kernel unpacks, with an init that runs the commands: {name: line of shell}."""
    lines = "\n".join(f"echo '{BEGIN.format(name)}'; {command}; echo; echo \"{END.format(name, '$?')}\""
                      for name, command in commands.items())
    (folder / "init").write_text(INIT.format(commands=lines))
    (folder / "init").chmod(0o755)
    archive = FOLDER / "initramfs.cpio"
    with archive.open("wb") as out:
        files = subprocess.Popen(["find", ".", "-print0"], cwd=folder, stdout=subprocess.PIPE)
        done = subprocess.run(["cpio", "--null", "--quiet", "-o", "-H", "newc", "-R", "0:0"], cwd=folder,
                              stdin=files.stdout, stdout=out, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"cpio: {done.stderr.strip()[-300:]}")
    return archive


def boot(vmlinuz, archive, arguments="", cpus=2, limit=900):
    """What each command printed: {name: (status, text)}; and the console."""
    if not (qemu := shutil.which("qemu-system-x86_64")) or not shutil.which("cpio"):
        raise NotRunnable("qemu or cpio is missing: apt-get install qemu-system-x86 cpio")
    # The emulated counter is the host's, which is steady; without this the kernel tests it and gives it up.
    line = f"console=ttyS0 quiet panic=-1 tsc=reliable {arguments}"
    try:
        done = subprocess.run([qemu, "-accel", "tcg", "-cpu", "max", "-smp", str(cpus), "-m", "3G",
            "-nographic", "-no-reboot", "-nic", "none", "-kernel", vmlinuz, "-initrd", archive,
            "-append", line], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=limit)
    except subprocess.TimeoutExpired as late:
        console = (late.stdout or b"").decode(errors="replace")
        raise Failure(f"the guest did not end within {limit} s: {console[-500:]}") from None
    console = done.stdout.replace("\r", "")
    found = {name: (int(status), text.strip()) for name, text, status in
             re.findall(r"<<<begin (\w+)>>>\n(.*?)\n<<<end \1 (\d+)>>>", console, re.S)}
    if not found:
        raise Failure(f"the guest ran nothing: {(console + done.stderr).strip()[-500:]}")
    return found, console
