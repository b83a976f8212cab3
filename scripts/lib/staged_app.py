# SPDX-License-Identifier: Apache-2.0
"""Apps of a benchmark under a daemon of their own: a bundle for each around the same program, its process
as our child, and what it notes."""

import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import offstage
import processes
from daemon_wire import DaemonWire

_PLIST = """\
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>{id}</string>
<key>CFBundleExecutable</key><string>{name}</string>
<key>UIBackgroundModes</key><array><string>fetch</string><string>processing</string></array>
<key>BGTaskSchedulerPermittedIdentifiers</key><array><string>com.example.bench.later</string></array>
</dict></plist>
"""
# Seconds after which an app that has not done what it should has failed.
PATIENCE = 30


def boot_time():
    """Seconds on the clock that the apps note, too."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Stage:
    """A folder, a daemon in it and apps of the same program, all gone afterwards."""

    def __init__(self, options, program, settings=None):
        self._directory = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
        self._program = program
        self.ours = offstage.Offstage(options.binaries, os.path.join(self._directory, "home"), settings)
        self.apps = []

    def __enter__(self):
        self.daemon = self.ours.start_daemon()
        return self

    def __exit__(self, *_):
        # First, so that it launches none again.
        self.daemon.terminate()
        self.daemon.wait()
        for app in self.apps:
            app.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def app(self, name, *arguments):
        app = StagedApp(self.ours, self._directory, name, self._program, *arguments)
        self.apps.append(app)
        return app


class StagedApp:
    def __init__(self, ours, directory, name, program, *arguments):
        self.id = f"com.example.{name}"
        self.ours = ours
        self.process = None
        self._wire = None
        bundle = os.path.join(os.path.realpath(directory), f"{name}.app")
        os.makedirs(bundle)
        self.executable = os.path.join(bundle, name)
        try:
            os.link(program, self.executable)
        except OSError:
            shutil.copy(program, self.executable)
        with open(os.path.join(bundle, "Info.plist"), "w") as file:
            file.write(_PLIST.format(id=self.id, name=name))
        pipe = os.path.join(directory, f"{name}.notes")
        os.mkfifo(pipe, 0o600)
        self.arguments = [self.executable, pipe, *map(str, arguments)]
        self.environment = {**ours.environment, "OFFSTAGED": ours.daemon}
        self._notes = queue.Queue()
        # Held open for writing too: the end of a process is not the end of the pipe.
        self._pipe = open(os.open(pipe, os.O_RDWR | os.O_CLOEXEC), "rb", buffering=0)
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def wire(self):
        if self._wire is None:
            self._wire = DaemonWire(self.ours)
        return self._wire

    def share(self, wire):
        """Uses a connection that others use too."""
        self._wire = wire

    def start(self):
        """Starts it as a shell does, in a process group of its own, and waits until it is active."""
        self.process = processes.watch(processes.start(
            self.arguments, env=self.environment, process_group=0, stdout=subprocess.DEVNULL
        ))
        self.expect("active")

    def spawn_alone(self, mode):
        """Starts it without a daemon's doing; returns the time of that and what it notes first."""
        began = boot_time()
        process = processes.start([*self.arguments[:2], mode], env=self.environment)
        noted = self.expect("started")[0]
        process.wait()
        return began, noted

    def act(self, verb, waits=False, **arguments):
        return self.wire.act(self.id, verb, waits, **arguments)

    def expect(self, what):
        """Waits for a note, over others before it; returns its time in seconds and its detail."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                name, _, at, detail = self._notes.get(timeout=max(0.001, deadline - time.monotonic()))
            except queue.Empty:
                raise RuntimeError(f"{self.id} has not noted '{what}' in {PATIENCE} s.") from None
            if name == what:
                return int(at) / 1e9, int(detail) / 1e9

    def await_stopped(self):
        """Waits until the kernel tells its parent that it is stopped; returns when that was."""
        return self._wait(os.WSTOPPED)

    def await_continued(self):
        return self._wait(os.WCONTINUED)

    def close(self):
        """Ends its processes, whatever state they are in: ours, and one that the daemon launched."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        for number in os.listdir("/proc"):
            try:
                if number.isdigit() and os.readlink(f"/proc/{number}/exe") == self.executable:
                    os.kill(int(number), signal.SIGKILL)
            except OSError:
                continue
        if self._wire is not None:
            self._wire.close()

    def _wait(self, what):
        watchdog = threading.Timer(PATIENCE, self.process.kill)
        watchdog.start()
        try:
            found = os.waitid(os.P_PID, self.process.pid, what | os.WEXITED | os.WNOWAIT)
            at = boot_time()
        finally:
            watchdog.cancel()
        if found.si_code in (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED):
            raise RuntimeError(f"{self.id} has ended, where it should have been stopped or continued.")
        os.waitid(os.P_PID, self.process.pid, what | os.WNOHANG)
        return at

    def _read(self):
        rest = b""
        while part := self._pipe.read(65536):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                self._notes.put(line.decode().split())
