# SPDX-License-Identifier: Apache-2.0
"""A fresh Debian in a container of systemd-nspawn, with or without systemd in it. Its network is the machine's own."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import processes

SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Missing(Exception):
    """What this machine lacks, as a reason that begins with "needs"."""


class Failed(Exception):
    """A command in the container that did not end as it should, with what it said."""


def check_machine():
    if os.geteuid() != 0:
        raise Missing("needs root, to make a Debian")
    for program, package in [("debootstrap", "debootstrap"), ("systemd-nspawn", "systemd-container"), ("nsenter", "util-linux")]:
        if not shutil.which(program):
            raise Missing(f"needs {program}, of Debian's package {package}")


def bootstrap(folder):
    """Makes a smallest Debian in a folder."""
    command = ["debootstrap", "--variant=minbase", SUITE, folder, os.environ.get("OFFSTAGE_DEBIAN_MIRROR", MIRROR)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        last = (result.stdout + result.stderr).strip().splitlines()[-1:]
        raise Missing(f"needs Debian's mirror ({''.join(last)})")


class Container:
    """One running Debian, in a copy of a base that is thrown away with it."""

    def __init__(self, base):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="offstage-debian.", dir="/var/tmp"))
        self.root = self.folder / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", base, self.root], check=True)
        self.process = None
        self.boots = False

    def start(self, *, boots):
        """Starts it: with systemd as its first process, or with one that waits."""
        self.boots = boots
        command = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--directory", str(self.root)]
        command += ["--boot"] if boots else ["--as-pid2", "sleep", "infinity"]
        self.log = open(self.folder / "log", "ab")
        self.process = processes.start(command, stdout=self.log, stderr=self.log)
        if boots:
            self.wait_for(lambda: self.run("systemctl", "is-system-running", check=False)[0].strip() in ("running", "degraded"))
        else:
            self.wait_for(lambda: self.run("true", check=False)[1] == 0)

    def wait_for(self, condition, seconds=60):
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if self.process.poll() is not None:
                raise Missing(f"needs a machine on which systemd-nspawn runs ({self.said()})")
            if self.leader() and condition():
                return
            time.sleep(0.2)
        raise Failed(f"The container did not get there within {seconds} s: {self.said()}")

    def said(self):
        lines = (self.folder / "log").read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def leader(self):
        """The first process in the container: the child of nspawn's that is in another PID namespace."""
        for pid in processes.children_of(self.process.pid):
            try:
                if os.readlink(f"/proc/{pid}/ns/pid") != os.readlink("/proc/self/ns/pid"):
                    return pid
            except OSError:
                pass
        return None

    def run(self, *command, user=None, check=True, seconds=300):
        """Runs a command as root, or a line of a shell as a user who has logged in; gives its output and status."""
        leader = self.leader()
        if leader is None:
            return "", -1
        enter = ["nsenter", "--target", str(leader), "--mount", "--uts", "--ipc", "--pid", "--root", "--", "env", "--chdir=/", "-i"]
        enter += [f"PATH={PATH}", "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "TERM=dumb"]
        if user and self.boots:
            # With a session of logind's, as at a terminal.
            enter += ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", f"--uid={user}", "--property=PAMName=login"]
            command = ["/bin/bash", "-lc", f"cd && {command[0]}"]
        elif user:
            command = ["runuser", "--login", user, "--command", command[0]]
        result = subprocess.run(
            [*enter, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds
        )
        if check and result.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))} ended with {result.returncode}:\n{result.stdout[-3000:]}")
        return result.stdout, result.returncode

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        if self.boots:
            self.run("systemctl", "poweroff", check=False)
        elif leader := self.leader():
            os.kill(leader, 9)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder)
