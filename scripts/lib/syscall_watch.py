# SPDX-License-Identifier: Apache-2.0
"""The supervisor of system calls (scripts/lib/syscalls): built when it is needed, and a daemon under it."""

import glob
import os
import shutil
import signal
import subprocess
import tempfile

import processes

_SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "syscalls")
# sysexits.h and our own: the statuses that docs/exit-codes.md names.
DOCUMENTED = (0, 3, 64, 71, 73, 74, 78)


class NotHere(Exception):
    """The machine lacks something; the sentence begins with `needs`."""


def build(directory):
    """Compiles the supervisor into a folder and returns its path; raises `NotHere` where it cannot work."""
    compiler = shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        raise NotHere("needs a C compiler")
    program = os.path.join(directory, "syscall_watch")
    sources = sorted(glob.glob(os.path.join(_SOURCES, "*.c")))
    arguments = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11", "-o", program, *sources]
    subprocess.run(arguments, check=True)
    tried = subprocess.run([program, "--calls", "signalfd", "--", "/bin/true"], capture_output=True, text=True)
    if tried.returncode != 0:
        raise NotHere(f"needs seccomp's user notification ({tried.stderr.strip()})")
    return program


def memory_folder(given=None):
    """A temporary folder in memory, where there is one: nothing here has to outlive a loss of power for real."""
    base = given or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    return tempfile.mkdtemp(prefix="offstage-", dir=base)


class WatchedDaemon:
    """A daemon under the supervisor, as our own child."""

    def __init__(self, command, ours, output):
        """The command is the supervisor's, with all that it takes; the output is where the daemon's log goes."""
        self.ours = ours
        self.supervisor = processes.watch(
            processes.start(command, env=ours.environment, stdout=subprocess.DEVNULL, stderr=output)
        )
        self.pid = None

    def wait_until_ready(self, seconds=10):
        """Whether it answers; it has ended where it does not. Raises TimeoutError for one that hangs."""
        path = os.path.join(self.ours.home, "run", "daemon.sock")
        has_ended = lambda: self.supervisor.poll() is not None
        processes.wait_until(lambda: has_ended() or self._accepts(path), seconds, "the daemon's start")
        return not has_ended()

    def _accepts(self, path):
        if self.pid is None:
            found = processes.children_of(self.supervisor.pid)
            self.pid = found[0] if found else None
        return os.path.exists(path) and _connects(path)

    @property
    def is_alive(self):
        return self.supervisor.poll() is None and self.pid is not None and processes.is_alive(self.pid)

    def stop(self, number=signal.SIGTERM, seconds=10):
        """Ends it with a signal and returns its status, 128 and more for a signal. One that hangs is killed, and
        TimeoutError raised."""
        if self.pid is None:
            found = processes.children_of(self.supervisor.pid)
            self.pid = found[0] if found else None
        try:
            if self.pid is not None:
                os.kill(self.pid, number)
        except ProcessLookupError:
            pass
        try:
            return self.supervisor.wait(seconds)
        except subprocess.TimeoutExpired:
            os.kill(self.pid, signal.SIGKILL)
            self.supervisor.wait(20)
            raise TimeoutError(f"the daemon did not end in {seconds} s") from None


def _connects(path):
    import socket

    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(5)
        try:
            peer.connect(path)
            return True
        except OSError:
            return False
