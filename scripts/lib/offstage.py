# SPDX-License-Identifier: Apache-2.0
"""The command and the daemon under an OFFSTAGE_HOME of our own."""

import json
import os
import re
import signal
import socket
import subprocess
import time

import processes

class Offstage:
    """One OFFSTAGE_HOME, with the binaries from one folder."""

    def __init__(self, binaries, home, settings=None):
        self.command = os.path.join(os.path.abspath(binaries), "offstage")
        self.daemon = os.path.join(os.path.abspath(binaries), "offstaged")
        for path in (self.command, self.daemon):
            if not os.access(path, os.X_OK):
                raise SystemExit(f"{path} is not there: build first (swift build, or swift build -c release).")
        self.home = home
        os.makedirs(home, mode=0o700, exist_ok=True)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET") and not name.lower().endswith("_proxy")
        }
        self.environment["OFFSTAGE_HOME"] = home
        if settings is not None:
            self.write_settings(settings)

    def write_settings(self, settings):
        with open(os.path.join(self.home, "settings.json"), "w") as file:
            json.dump(settings, file)

    @property
    def store(self):
        return os.path.join(self.home, "store.sqlite")

    def run(self, *arguments, input=None, check=True, timeout=600):
        """Runs the command and returns its standard output."""
        result = subprocess.run(
            [self.command, *arguments],
            env=self.environment,
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        if check and result.returncode != 0:
            raise RuntimeError(
                f"offstage {' '.join(arguments)} ended with {result.returncode}: {result.stderr.strip()}"
            )
        return result.stdout

    def json(self, *arguments, input=None):
        return json.loads(self.run(*arguments, "--json", input=input))

    def rows(self):
        """All transfers, newest first."""
        return self.json("list", "--all")["transfers"]

    def start(self, *arguments, **options):
        """Starts the command without waiting for it."""
        return processes.watch(processes.start([self.command, *arguments], env=self.environment, **options))

    def start_daemon(self, **options):
        """Starts the daemon as our own child and waits until its socket is there."""
        process = processes.watch(
            processes.start(
                [self.daemon],
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=options.pop("stderr", subprocess.DEVNULL),
                **options,
            )
        )
        processes.wait_until(
            lambda: self.is_answering() or process.poll() is not None, 30, f"the daemon's socket in {self.home}"
        )
        if process.poll() is not None:
            raise RuntimeError(f"The daemon ended at once with {process.returncode}: see {self.home}/daemon.log.")
        return process

    def is_answering(self):
        """Whether a daemon accepts connections at this home's socket."""
        return _accepts(os.path.join(self.home, "run", "daemon.sock"))

    def daemon_pid(self):
        """The process id of this home's living daemon, or None: found by its program and its environment.

        Of several the oldest: a younger one has only come to find the lock taken.
        """
        mark = b"OFFSTAGE_HOME=" + os.fsencode(self.home)
        program = os.path.realpath(self.daemon)
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                if os.readlink(f"/proc/{name}/exe") != program:
                    continue
                with open(f"/proc/{name}/environ", "rb") as file:
                    if mark not in file.read().split(b"\0"):
                        continue
                with open(f"/proc/{name}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] not in "ZX":
                found.append((int(fields[19]), int(name)))
        return min(found)[1] if found else None

    def stop_daemon(self):
        """SIGTERM; returns the seconds it took, or None when there was no daemon."""
        pid = self.daemon_pid()
        if pid is None:
            return None
        began = time.monotonic()
        end(pid, signal.SIGTERM)
        return time.monotonic() - began


def acknowledged_ids(text):
    """Ids in what a command printed when it had handed transfers over: a number a line, or `Handed over as 1, 3–5;`."""
    found = {int(number) for number in re.findall(r"^(\d+)$", text, re.MULTILINE)}
    for spans in re.findall(r"(?:Handed over as|were handed over:) ([\d, –]+)", text):
        for span in spans.split(","):
            first, _, last = span.strip().partition("–")
            if first:
                found.update(range(int(first), int(last or first) + 1))
    return found


def end(pid, number):
    """Sends a signal and waits until the process is gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
    try:
        processes.wait_until(lambda: not processes.is_alive(pid), 20, f"process {pid} to end")
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        raise
    processes.reap_orphans()


def _accepts(path):
    try:
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(path)
            return True
    except OSError:
        return False
