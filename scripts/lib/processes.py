# SPDX-License-Identifier: Apache-2.0
"""Children that die with the script, processes looked up by what they are, and what processes cost."""

import ctypes
import os
import resource
import signal
import socket
import subprocess
import time

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans():
    """Daemons started by a command that exits become children of this script, so that it can reap them."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def start(arguments, **options):
    """Starts a child that is killed if this script dies."""
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen(arguments, preexec_fn=_die_with_parent, **options)


def reap_orphans():
    """Collects adopted children that have ended, without touching those that subprocess looks after."""
    for pid in children_of(os.getpid()):
        if state_of(pid) == "Z" and pid not in _watched:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass


_watched = set()


def watch(process):
    """Says that a child is waited for elsewhere."""
    _watched.add(process.pid)
    return process


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def state_of(pid):
    """The one-letter state of a process, or None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def is_alive(pid):
    return state_of(pid) not in (None, "Z", "X")


def wait_until(condition, seconds, what):
    """Polls until the condition gives something true, and returns it."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"Waited {seconds:g} s in vain for {what}.")
        time.sleep(0.002)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def cpu_seconds(pid):
    """User and system time of a living process, its threads included, from the kernel's clock of that process."""
    return time.clock_gettime((~pid << 3) | 2)


def run_measured(arguments, **options):
    """Runs a command to its end; returns (exit code, wall seconds, CPU seconds)."""
    began = time.monotonic()
    process = start(arguments, **options)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, wall, usage.ru_utime + usage.ru_stime


def memory(pid):
    """Resident and anonymous memory in bytes."""
    values = {}
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            name, _, rest = line.partition(":")
            if rest.strip().endswith("kB"):
                values[name] = int(rest.split()[0]) * 1024
    return values["Rss"], values["Anonymous"]


def context_switches(pid):
    """Voluntary and other context switches of all threads together."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as file:
            total += sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)
    return total


def raise_file_limit(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
