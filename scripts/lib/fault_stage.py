# SPDX-License-Identifier: Apache-2.0
"""One run of a scenario while a system call of the daemon fails, and the judgement of what it came to."""

import glob
import os
import re
import shutil
import subprocess
import time

import offstage
import processes
import syscall_watch
from campaign_server import content_of, digest

SETTINGS = {"connectionsPerHost": 8, "retryBaseDelay": 0.05, "retryMaximumDelay": 0.2}
# Seconds after which what has not happened does not happen any more.
# SQLite by itself tries for ten seconds to get a lock, and a command may read twice.
PATIENCE = 30
# What passes by itself: a transfer may not be given up for it.
PASSING = ("EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EINTR", "ENOBUFS", "ECONNABORTED", "short")
_REFUSED = 3


class Stage:
    """A folder with a daemon's home, what was handed over to it, and what was said of it."""

    def __init__(self, directory, binaries, program, server, arguments):
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(os.path.join(directory, "files"))
        self.directory, self.server, self.program, self.arguments = directory, server, program, arguments
        self.ours = offstage.Offstage(binaries, os.path.join(directory, "home"), SETTINGS)
        self.ours.environment["OFFSTAGED"] = self.ours.daemon
        self.daemon = None
        self.statuses = []
        # With which the call fails; nil without a fault.
        self.error = None
        self.is_lasting = False
        self.problems = []
        self.notes = []
        # {id: what to look for}, for transfers whose number a command printed.
        self.promised = {}
        self.forgotten = set()
        self.helpers = []
        # What is left to do once a daemon without faults runs.
        self.finish = lambda: None
        server.reset()

    # What scenarios do.

    def settings(self, **values):
        self.ours.write_settings({**SETTINGS, **values})

    def path(self, name):
        return os.path.join(self.directory, "files", name)

    def url(self, kind, size, name):
        return f"{self.server.url}/{kind}/{size}/{name}"

    def source(self, name, size):
        with open(self.path(name), "wb") as file:
            file.write(content_of(name, size))
        return self.path(name)

    def start(self, faulty=True):
        """Starts a daemon; with faults its calls are counted and fail as they should."""
        arguments = self.arguments if faulty else ["--calls", "signalfd"]
        command = [self.program, "--root", self.directory, *arguments, "--", self.ours.daemon]
        with open(os.path.join(self.directory, "daemon.err"), "ab") as output:
            self.daemon = syscall_watch.WatchedDaemon(command, self.ours, output)
        try:
            if not self.daemon.wait_until_ready(PATIENCE):
                status = self.daemon.supervisor.returncode
                if not faulty and status == _REFUSED and self._another_answers():
                    return True
                self._ended(status)
                return False
        except TimeoutError:
            self.problems.append("hang: the daemon does not start and does not end")
            self.stop(9)
            return False
        return True

    def _another_answers(self):
        """Whether another daemon without faults serves this home: an app that is still alive starts one of its own as soon
        as it misses the one that was stopped, and may be first."""
        if "already running" not in self.last_words():
            return False
        self.daemon = None
        try:
            processes.wait_until(self.ours.is_answering, PATIENCE, "the daemon that an app has started")
        except TimeoutError:
            return False
        return True

    def stop(self, number=15):
        """Ends the daemon, whoever has started it."""
        daemon, self.daemon = self.daemon, None
        if daemon is not None:
            try:
                status = daemon.stop(number, PATIENCE)
                # One that another daemon has kept from starting may not listen to signals yet.
                if status != 128 + number:
                    self._ended(status)
            except TimeoutError as error:
                self.problems.append(f"hang: {error}")
        for _ in range(3):
            pid = self.ours.daemon_pid()
            if pid is None:
                return
            try:
                offstage.end(pid, number)
            except TimeoutError as error:
                self.problems.append(f"hang: {error}")

    def _ended(self, status):
        self.statuses.append(status)
        if status > 128:
            self.problems.append(f"crash: the daemon ended by signal {status - 128}: {self.last_words()}")
        elif status not in syscall_watch.DOCUMENTED:
            self.problems.append(f"crash: the daemon ended with {status}, which is not documented: {self.last_words()}")
        elif status != 0:
            self.notes.append(f"ended with {status}: {self.last_words()}")
            if not self.last_words():
                self.problems.append(f"crash: the daemon ended with {status} and said nothing")

    def last_words(self):
        with open(os.path.join(self.directory, "daemon.err"), errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        return " / ".join(lines[-2:])[-300:]

    def run(self, *arguments, input=None):
        """Runs a command; returns (status, output). One that hangs is a problem."""
        try:
            result = subprocess.run(
                [self.ours.command, *arguments], env=self.ours.environment, input=input, capture_output=True, text=True,
                stdin=subprocess.DEVNULL if input is None else None, timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            waits = self.is_lasting and self.daemon is not None
            (self.notes if waits else self.problems).append(f"hang: offstage {' '.join(arguments)[:100]}")
            return None, ""
        if result.returncode < 0 or result.returncode == _REFUSED and not result.stderr.strip():
            self.problems.append(f"crash: offstage {arguments[0]} ended with {result.returncode} {result.stderr[-200:]}")
        return result.returncode, result.stdout

    def hand_over(self, items, *arguments, input=None):
        """Runs an upload or a download that prints numbers, and remembers what was promised with them."""
        _, output = self.run(*arguments, input=input)
        numbers = sorted(offstage.acknowledged_ids(output))
        self.promised.update(zip(numbers, items))
        return numbers

    def download(self, kind, size, name, *options, target=None):
        target = target or self.path(name)
        item = {"target": target, "sha256": digest(content_of(name, size))}
        return self.hand_over([item], "download", "--detach", *options, "-o", target, self.url(kind, size, name))

    def upload(self, kind, size, name, *options):
        file = self.source(name, size)
        item = {"path": f"/{kind}/in/{name}".replace("/moved/", "/file/"), "sha256": digest(content_of(name, size))}
        return self.hand_over([item], "upload", "--detach", *options, file, f"{self.server.url}/{kind}/in/{name}")

    def wait(self, seconds=PATIENCE):
        """Waits until what was promised has ended; what does not is looked at once more after the restart."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            rows = self.rows()
            if rows is None:
                return
            left = [row for row in rows if row["id"] in self.promised and row["state"] not in ("finished", "paused")]
            if not left:
                return
            time.sleep(0.02)
        for row in left:
            self.notes.append(f"{row['id']} waits: {row['state']}, {row['reason']['summary']}")

    def wait_for_request(self, path, seconds=PATIENCE):
        """Waits until the server has answered one; a transfer that failed before it asked sends none."""
        deadline = time.monotonic() + seconds
        next_look = time.monotonic() + 1
        while not self.server.served(path) and self.daemon.is_alive:
            now = time.monotonic()
            if now >= next_look:
                rows = self.rows()
                if rows is None or all(row["state"] == "finished" for row in rows if row["id"] in self.promised):
                    return
                if now >= deadline:
                    # What fails for good may be waited for: then the restart without faults tells.
                    found = self.notes if self.is_lasting else self.problems
                    found.append(f"hang: the server has had no request for {path} within {seconds} s")
                    return
                next_look = now + 0.2
            time.sleep(0.01)

    def rows(self):
        status, output = self.run("list", "--all", "--json")
        if status != 0:
            return None
        import json

        return json.loads(output)["transfers"]

    # The judgement.

    def judge(self, error):
        """Looks at what was told, then lets a daemon without faults finish and looks again."""
        told = {}
        for row in self.rows() or []:
            if row["state"] == "finished":
                told[row["id"]] = row
        self.error = error
        self._check(told)
        self.stop()
        self.is_lasting = False
        if not self.start(faulty=False):
            self.problems.append(f"loss: no daemon starts any more: {self.last_words()}")
            return
        for identifier in self.promised:
            if identifier not in self.forgotten:
                self.run("resume", str(identifier))
        self.finish()
        self.wait()
        rows = {row["id"]: row for row in self.rows() or []}
        for identifier in self.promised:
            row = rows.get(identifier)
            if row is None and identifier not in self.forgotten:
                self.problems.append(f"loss: transfer {identifier} was promised and is not known after a restart")
            elif row is not None and row["state"] != "finished":
                self.problems.append(f"hang: transfer {identifier} does not end after a restart: {row['reason']['summary']}")
            elif row is not None and identifier in told and row["result"] != told[identifier]["result"]:
                self.problems.append(f"lie: transfer {identifier} was {told[identifier]['result']}, is {row['result']}")
        self._check(rows)
        self.stop()
        # What a full disk left of a transfer that failed is kept for its retry; what could not be removed is there.
        has_failed = any(row.get("result") == "failed" for row in rows.values())
        is_kept = "unlink" in self.arguments or has_failed or any(note.startswith("failed") for note in self.notes)
        if not self.problems and not is_kept:
            for path in glob.glob(os.path.join(self.directory, "files", ".offstage-*")):
                self.problems.append(f"left: {os.path.basename(path)}")

    def _check(self, rows):
        for identifier, item in self.promised.items():
            row = rows.get(identifier)
            if row is None or row["state"] != "finished" or item.get("checked"):
                continue
            if row["result"] == "completed":
                self._check_content(identifier, item)
            elif row["result"] == "failed" and not item.get("may fail"):
                summary = row["reason"]["summary"]
                item["checked"] = True
                self.fail(f"transfer {identifier} {summary}")

    def fail(self, what):
        """Something was given up for good, with a reason: bad where it would have passed by itself."""
        if self.error in PASSING:
            self.problems.append(f"lie: given up for {self.error}, which passes: {what}")
        else:
            self.notes.append(f"failed: {what}")

    def _check_content(self, identifier, item):
        if "target" in item:
            try:
                with open(item["target"], "rb") as file:
                    found = digest(file.read())
            except OSError as problem:
                found = str(problem)
            if found != item["sha256"]:
                self.problems.append(f"lie: transfer {identifier} is told done and its file is not whole ({found[:60]})")
        elif "path" in item and item["sha256"] not in self.server.received(item["path"]):
            self.problems.append(f"lie: transfer {identifier} is told done and the server has not got it")

    def clean_up(self):
        for helper in self.helpers:
            helper()
        if self.daemon is not None and self.daemon.supervisor.poll() is None:
            try:
                self.daemon.stop(9)
            except (TimeoutError, ProcessLookupError):
                pass
        pid = self.ours.daemon_pid()
        if pid is not None:
            offstage.end(pid, 9)
        processes.reap_orphans()


def calls_in(log):
    """The calls of a run as {(call, class): count}, in the order in which they first came."""
    found = {}
    with open(log, errors="replace") as file:
        for line in file:
            words = line.rstrip("\n").split("\t")
            if len(words) == 3:
                found[words[0], words[1]] = found.get((words[0], words[1]), 0) + 1
    return found


def injected_in(log):
    with open(log, errors="replace") as file:
        return sum(1 for line in file if re.search(r"\t[A-Za-z]\w*$", line) and line.count("\t") == 2)
