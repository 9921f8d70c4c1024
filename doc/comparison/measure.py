#!/usr/bin/env python3
"""Measures how soon a command runs in a fresh guest, and what forty such jobs cost: with this harness, restored
and booted, with vmtest and with virtme-ng, one after the other. comparison.md says what to install.

    measure.py HARNESS KERNEL [NAME...]

HARNESS is the harness' program, KERNEL the folder where the package of the guest's kernel was unpacked.
NAMEs restrict the run to those rows. Run it at the root of the checkout; it prints a table.
"""

import ctypes
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STARTS, JOBS, AT_ONCE = 10, 40, 2
NEEDED = ["vmtest", "vng", "virtiofsd", "qemu-ga", "busybox", "depmod", "modprobe", "qemu-system-x86_64"]
CPUS, MEMORY = "2", "512M"
ANSWER = "the guest answers"
PR_SET_CHILD_SUBREAPER = 36

GUEST = Path("target/trapline/x86_64").absolute()
WORK = Path("target/comparison").absolute()

# The job of three-chdir as a script, for tools that run a command.
JOB = """
echo {answer}
cd /run
insmod {guest}/trapline.ko
{guest}/dtrace -n fbt::{chdir}:entry >records 2>said &
until grep -q matched said; do sleep 0.05; done
env -i bash -c 'cd /tmp && cd /tmp; echo two; cd /tmp; pwd'
kill -TERM $!
wait $!
rmmod trapline
echo "$(grep -c chdir records) calls traced"
"""

# The init of the initramfs for a kernel whose 9p is a module: mounts the root that vmtest names on the command line.
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
for module in /modules/*; do insmod $module; done
for word in $(cat /proc/cmdline); do
    case $word in init=* | rootflags=*) eval "${word%%=*}='${word#*=}'" ;; esac
done
mount -t 9p -o ro,$rootflags /dev/root /root
umount /proc
exec switch_root /root $init
"""


class Harness:
    """This harness: one process runs many jobs."""

    def __init__(self, program, boot):
        self.environment = {"TRAPLINE_BOOT": boot}
        self.report = WORK / "report.json"
        self.one = [program, "run", "x86_64", "fbt/three-chdir", "--report", "json", str(self.report)]
        self.many = [[*self.one, "--repeat", str(JOBS), "--jobs", str(AT_ONCE)]]

    def first_answer(self):
        """The whole run minus what the report gives as after the first answer; and the whole run."""
        began = time.monotonic()
        run(self.one, **self.environment)
        whole = time.monotonic() - began
        (job,) = json.loads(self.report.read_text())["jobs"]
        return whole - job["run_ms"] / 1000, whole

    @staticmethod
    def judge(output):
        """The exit status is the verdict."""


class Tool:
    """A tool that boots a guest for one command."""

    environment = {}

    def __init__(self, command):
        self.one = command
        self.many = [command] * JOBS

    def first_answer(self):
        """Time until the job's first line appeared, and until the tool exited."""
        began, answered, output = time.monotonic(), None, []
        with subprocess.Popen(
            self.one, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as tool:
            for line in tool.stdout:
                if answered is None and ANSWER in line:
                    answered = time.monotonic() - began
                output.append(line)
        whole = time.monotonic() - began
        check(self.one, tool.returncode, "".join(output))
        self.judge("".join(output))
        return answered, whole

    @staticmethod
    def judge(output):
        """The workload ran, and each of its three calls was traced."""
        if "two" not in output or "3 calls traced" not in output:
            sys.exit(f"not what was to be expected:\n{output[-2000:]}")


def check(command, status, output):
    """Exits with an error unless the status is 0: only successful runs are measured."""
    if status != 0:
        sys.exit(f"{command} ended with {status}:\n{output[-2000:]}")


def run(command, **environment):
    """Runs a command and returns its output; exits with an error if it fails."""
    done = subprocess.run(
        command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    check(command, done.returncode, done.stdout)
    return done.stdout


def batch(tool):
    """Runs all jobs, AT_ONCE at a time; returns wall time and the CPU time of all descendants."""
    reap()
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    waiting, running = list(tool.many), {}
    try:
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                started = start(waiting.pop(), tool.environment)
                running[started[0].pid] = started
            pid, status = os.wait()
            if pid in running:
                finish(tool, *running.pop(pid), os.waitstatus_to_exitcode(status))
    finally:
        for pid in running:
            os.killpg(pid, signal.SIGKILL)
    wall = time.monotonic() - began
    reap()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def start(command, environment):
    """Starts a command in a process group of its own, so that it can be killed with its children; its output goes to a file."""
    log = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, process_group=0,
        stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
    )
    return process, log


def finish(tool, process, log, status):
    """Judges a tool that has exited."""
    process.returncode = status
    log.seek(0)
    output = log.read()
    check(process.args, status, output)
    tool.judge(output)


def reap():
    """Waits for daemons that a tool left behind: they are reparented to this process, and count once reaped."""
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return


def vmtest(name, kernel, words, options):
    """Writes its configuration: the one-line interface has no options for QEMU."""
    folder = WORK / name
    folder.mkdir(exist_ok=True)
    config = folder / "vmtest.toml"
    config.write_text(
        f"[[target]]\nname = {json.dumps(name)}\nkernel = {json.dumps(str(kernel))}\n"
        f"kernel_args = {json.dumps('ro ' + words)}\ncommand = {json.dumps(f'bash {WORK}/job')}\n"
        f"[target.vm]\nnum_cpus = {CPUS}\nmemory = {json.dumps(MEMORY)}\n"
        f"extra_args = {json.dumps(['-machine', 'accel=tcg', '-cpu', 'max', *options])}\n"
    )
    return Tool(["vmtest", "--config", str(config)])


def virtme(kernel, *options):
    """Uses virtiofs for the root, its default."""
    fixed = ["--disable-kvm", "--cpus", CPUS, "--memory", MEMORY, "--run", str(kernel)]
    return Tool(["vng", *fixed, *options, "--", f"bash {WORK}/job"])


def initrd(package, release):
    """The initramfs that vmtest needs where 9p is a module: it mounts the root as a kernel would."""
    folder = WORK / "initrd"
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("bin", "modules", "proc", "root"):
        (folder / name).mkdir(parents=True)
    run(["depmod", "-b", str(package), release])
    loads = ["modprobe", "-d", str(package), "-S", release, "-a", "--show-depends"]
    told = run([*loads, "9p", "9pnet_virtio", "virtio_pci", "virtio_console"])
    modules = dict.fromkeys(line.split()[1] for line in told.splitlines())
    for number, module in enumerate(modules):
        shutil.copy(module, folder / "modules" / f"{number:02}.ko")
    shutil.copy(shutil.which("busybox"), folder / "bin")
    (folder / "init").write_text(INIT)
    (folder / "init").chmod(0o755)
    run(["sh", "-c", f"cd {folder} && find . | busybox cpio -o -H newc >../initrd.cpio"])
    return WORK / "initrd.cpio"


def contenders(harness, package):
    """All tools, by name. Those `alike` boot the harness's own kernel file with its command line and firmware."""
    guest = json.loads((GUEST / "guest.json").read_text())
    release, chdir = guest["kernel_release"], guest["names"]["syscall.chdir"]
    (WORK / "job").write_text(JOB.format(answer=ANSWER, guest=GUEST, chdir=chdir))
    usual, unpacked = (package / "boot" / name for name in (f"vmlinuz-{release}", "vmlinux"))
    unpacked.unlink(missing_ok=True)
    unpacked.symlink_to(GUEST / guest["kernel"])
    files = ["-initrd", str(initrd(package, release))]
    not_theirs = ("console=", "rdinit=", "panic=")
    words = " ".join(word for word in guest["append"].split() if not word.startswith(not_theirs))
    firmware = ["-bios", "qboot.rom"]
    return {
        "trapline": Harness(harness, "saved"),
        "trapline-cold": Harness(harness, "cold"),
        "vmtest": vmtest("vmtest", usual, "", files),
        "vmtest-alike": vmtest("vmtest-alike", unpacked, words, [*files, "-machine", "q35", *firmware]),
        "virtme-ng": virtme(usual),
        "virtme-ng-alike": virtme(unpacked, "--append", words, f"--qemu-opts={' '.join(firmware)}"),
    }


def main():
    """Runs each tool once to warm up, then for the table."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    missing = [program for program in NEEDED if shutil.which(program) is None]
    if missing:
        sys.exit(f"not found: {', '.join(missing)}; doc/comparison.md says how to install them")
    harness, package, *names = sys.argv[1:]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    WORK.mkdir(parents=True, exist_ok=True)
    print(f"| | first answer, s | one job, s | {JOBS} jobs, s | CPU, s |\n|---|---|---|---|---|")
    for name, tool in contenders(harness, Path(package).absolute()).items():
        if names and name not in names:
            continue
        tool.first_answer()
        answered, whole = zip(*(tool.first_answer() for _ in range(STARTS)))
        wall, cpu = batch(tool)
        first, one = statistics.median(answered), statistics.median(whole)
        print(f"| {name} | {first:.2f} | {one:.2f} | {wall:.0f} | {cpu:.0f} |", flush=True)


if __name__ == "__main__":
    main()
