# SPDX-License-Identifier: Apache-2.0
"""An app of a torture round: a bundle of its own around the same program, its log, and its processes."""

import os
import shutil
import time
from dataclasses import dataclass

import processes

_PLIST = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>CFBundleIdentifier</key>
    <string>{identifier}</string>
    <key>CFBundleExecutable</key>
    <string>{executable}</string>
    <key>CFBundleName</key>
    <string>{name}</string>
</dict>
</plist>
"""


@dataclass
class Line:
    """One line of the app's log."""

    at: float
    pid: int
    word: str
    rest: str


class StageApp:
    def __init__(self, name, directory, program):
        self.name = name
        self.id = f"com.example.{name}"
        self.bundle = os.path.join(directory, f"{name}.app")
        self.folder = os.path.join(directory, name)
        # /proc has so many letters of a name; a short one is read in full.
        self.executable = os.path.join(self.bundle, name)
        self.ordered = 0
        for path in (self.bundle, self.folder):
            os.makedirs(path)
        try:
            os.link(program, self.executable)
        except OSError:
            shutil.copy(program, self.executable)
        with open(os.path.join(self.bundle, "Info.plist"), "w") as file:
            file.write(_PLIST.format(identifier=self.id, executable=name, name=name))
        self.order("")

    def order(self, *lines):
        """What it does when it is next sent to background or comes to the front; replaced in one step."""
        path = os.path.join(self.folder, "orders")
        with open(path + ".new", "w") as file:
            file.write("".join(line + "\n" for line in lines if line))
        os.rename(path + ".new", path)

    @property
    def lines(self):
        """Everything that it has noted, whole lines alone."""
        try:
            with open(os.path.join(self.folder, "stage.log")) as file:
                text = file.read()
        except FileNotFoundError:
            return []
        found = []
        for line in text.split("\n")[:-1]:
            at, pid, word, *rest = line.split(" ")
            found.append(Line(float(at), int(pid), word, " ".join(rest)))
        return found

    def count(self, word):
        return sum(line.word == word for line in self.lines)

    def wait_for(self, word, more_than, seconds=20):
        """Waits until a word has been noted more often, and returns the line."""
        def look():
            found = [line for line in self.lines if line.word == word]
            return found[-1] if len(found) > more_than else None

        return processes.wait_until(look, seconds, f"'{word}' in the log of {self.name}")

    def processes(self):
        """The numbers of its living processes."""
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    if os.readlink(f"/proc/{name}/exe") == self.executable and processes.is_alive(int(name)):
                        found.append(int(name))
                except OSError:
                    continue
        return found

    def is_stopped(self):
        """Whether it has a process, and the kernel has stopped it."""
        found = self.processes()
        return len(found) == 1 and is_stopped(found[0])

    def runs(self):
        found = self.processes()
        return len(found) == 1 and not is_stopped(found[0])


def is_stopped(pid):
    """Stopped by a signal, or frozen with its group."""
    if processes.state_of(pid) == "T":
        return True
    try:
        with open(f"/proc/{pid}/cgroup") as file:
            group = next((line[3:].strip() for line in file if line.startswith("0::")), None)
        for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
            path = f"{root}{group}/cgroup.events"
            if group and os.path.exists(path):
                with open(path) as file:
                    return "frozen 1" in file.read()
    except OSError:
        pass
    return False


def now():
    """Seconds on the clock that apps and daemon write down."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
