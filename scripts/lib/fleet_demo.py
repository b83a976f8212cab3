#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`scripts/demo fleet`: a database and three members in a temporary folder; half of it is killed, and every file arrives once.

    scripts/lib/fleet_demo.py BINARIES

Everything is on loopback and on Unix sockets, and is cleaned up. Without PostgreSQL's programs the exit code is 77.
"""

import collections
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import fleet_database
import fleet_receiver
import offstage
import postgres
import processes

FILES, LARGE = 60, 3
MEBIBYTE = 1 << 20
IS_TERMINAL = sys.stdout.isatty()


def colour(code, text):
    return f"\033[{code}m{text}\033[0m" if IS_TERMINAL else text


def say(text):
    print("\n" + colour("1", text), flush=True)


def good(text):
    print(colour("32", f"✓ {text}"), flush=True)


class Failed(Exception):
    """What should have been otherwise, in a sentence."""


class Member:
    """A machine: a home with its daemon, and the member's process."""

    def __init__(self, demo, name, site):
        self.demo, self.name, self.site = demo, name, site
        self.offstage = offstage.Offstage(
            demo.binaries, os.path.join(demo.folder, name), {"retryBaseDelay": 0.2, "retryMaximumDelay": 1, "rateLimit": 8 << 20})
        self.log = open(os.path.join(demo.folder, f"{name}.log"), "ab")
        self.process = None

    def join(self, shows):
        self.demo.type(self, "join", "--name", self.name, "--label", f"site={self.site}", "--share", "media", "--key",
                       "operator/fleet.key", database=self.demo.node.words("works"), shows=shows)

    def start(self):
        self.process = processes.watch(processes.start(
            [self.demo.program, "member", "run"], env=self.offstage.environment, stdout=self.log, stderr=self.log))

    def kill(self):
        """The member and its daemon, as if its machine had lost its power."""
        self.process.kill()
        self.process.wait()
        self.process = None
        self.kill_daemon()

    def kill_daemon(self):
        try:
            with open(os.path.join(self.offstage.home, "daemon.lock")) as file:
                pid = int(file.readline().split()[0])
            # The number may be another process's by now.
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "offstaged":
                os.kill(pid, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
            pass


class Demo:
    def __init__(self, binaries, folder):
        self.binaries, self.folder = os.path.abspath(binaries), folder
        self.program = os.path.join(self.binaries, "offstage-fleet")
        self.sources = os.path.join(folder, "media")
        self.operator = offstage.Offstage(binaries, os.path.join(folder, "operator"))
        self.node, self.receiver, self.members = None, None, []
        self.port = processes.free_port()
        os.makedirs(self.sources)
        # PostgreSQL runs as a user of its own.
        os.chmod(folder, 0o711)

    def type(self, who, *words, database=None, input=None, shows=True):
        """Shows a command as a person would type it, runs it, and returns what it printed."""
        print(colour("2", f"$ offstage fleet {' '.join(words)}"), flush=True)
        return self.run(who, "fleet", *words, database=database, input=input, shows=shows)

    def run(self, who, *words, database=None, input=None, shows=True):
        home = who.offstage if isinstance(who, Member) else who
        environment = dict(home.environment, OFFSTAGE_FLEET_DATABASE=database or self.node.words())
        done = subprocess.run([home.command, *words], env=environment, input=input, capture_output=True, text=True,
                              cwd=self.folder)
        if shows:
            print(done.stdout, end="", flush=True)
        if done.returncode != 0:
            raise Failed(f"offstage {' '.join(words[:2])} failed: {done.stderr.strip()}")
        return done.stdout

    def start_receiver(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fleet_receiver.py")
        self.receiver = processes.watch(processes.start(
            [sys.executable, script, os.path.join(self.folder, "received"), "127.0.0.1", str(self.port)],
            stdout=subprocess.PIPE, stderr=open(os.path.join(self.folder, "receiver.log"), "ab")))
        self.receiver.stdout.readline()

    def counts(self):
        return json.loads(self.run(self.operator, "fleet", "list", "--json", "-n", "1", shows=False))["counts"]

    def rows(self):
        return json.loads(self.run(self.operator, "fleet", "list", "--all", "--json", shows=False))["rows"]

    def set_up(self):
        say("1. A database, and a fleet in it")
        database = os.path.join(self.folder, "database")
        os.makedirs(database)
        self.node = fleet_database.Node(database, "a")
        fleet_database.Node.own(database)
        self.node.run("initdb", "-D", self.node.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.node.configure(fleet_database.SETTINGS)
        self.node.start()
        with self.node.connect(database="postgres") as admin:
            admin.script("CREATE DATABASE fleet")
        self.type(self.operator, "init")
        for role, login in (("member", "works"), ("submitter", "ann")):
            self.type(self.operator, "grant", "--create", role, login)
        with self.node.connect() as admin:
            # A member that is silent for so long has lost its rows: thirty seconds would be a long demo.
            admin.query("UPDATE offstage.fleet SET lease_seconds = 5")
        self.start_receiver()

        say("2. Three members, two of them in Seoul")
        for name, site in (("nas-1", "seoul"), ("nas-2", "seoul"), ("pi-3", "busan")):
            member = Member(self, name, site)
            member.join(shows=not self.members)
            member.start()
            self.members.append(member)
        self.type(self.operator, "members")

    def submit(self):
        say(f"3. {FILES + LARGE} files, as one list: {LARGE} of them are large, and for Seoul alone")
        block = random.randbytes(MEBIBYTE)
        lines, self.digests = [], {}
        for number in range(FILES + LARGE):
            is_large = number < LARGE
            name = f"{'film' if is_large else 'photo'}-{number:02}.bin"
            content = f"{number}\n".encode() + (block * 24 if is_large else block[:random.randrange(1, 300_000)])
            path = os.path.join(self.sources, name)
            with open(path, "wb") as file:
                file.write(content)
            self.digests[name] = hashlib.sha256(content).hexdigest()
            line = {"path": path, "key": name, "url": f"http://127.0.0.1:{self.port}/in/{name}"}
            lines.append(json.dumps(line | ({"on": ["site=seoul"], "priority": 1} if is_large else {})))
        self.list = "\n".join(lines) + "\n"
        # Its own fingerprint is told to the submitter by whoever set the fleet up.
        words = ["upload", "--fleet", "--protocol", "tus", "-"]
        print(colour("2", f"$ offstage {' '.join(words)} <list"), flush=True)
        self.run(self.operator, *words, database=self.node.words("ann"), input=self.list)
        processes.wait_until(lambda: self.counts().get("leased", 0) >= 3, 30, "rows under way")
        self.type(self.operator, "list", "-n", "6")

    def kill_half(self):
        say("4. Half of it is killed: a machine, the database, and the server that takes the files")
        received = lambda: sum(entry["received"] for entry in self.log() if entry["what"] == "took")
        processes.wait_until(lambda: received() > 4 * MEBIBYTE, 60, "bytes at the server")
        # The one that sends most of the large files, so that the other has to go on with them.
        films = collections.Counter(row["member"] for row in self.rows() if "film" in row["path"] and row.get("member"))
        victim = max(self.members, key=lambda member: films[member.name])
        print(colour("2", f"$ kill -KILL (member and daemon of {victim.name})"), flush=True)
        victim.kill()
        print(colour("2", "$ kill -KILL (PostgreSQL, all of its processes)"), flush=True)
        self.node.kill()
        print(colour("2", "$ kill -KILL (the receiving server)"), flush=True)
        self.receiver.kill()
        self.receiver.wait()
        time.sleep(2)
        self.start_receiver()
        self.node.start()
        good("The database and the server are back. The machine is not.")
        print(colour("2", "$ offstage upload --fleet --protocol tus - <list     (the same list: was it sent?)"), flush=True)
        said = self.run(self.operator, "upload", "--fleet", "--protocol", "tus", "-", database=self.node.words("ann"),
                        input=self.list)
        if f"{FILES + LARGE} were there before" not in said:
            raise Failed(f"The same list made rows twice: {said}")
        self.type(self.operator, "why", "1", "63")

    def log(self):
        return fleet_receiver.read_log(os.path.join(self.folder, "received"))

    def bring_home(self):
        say("5. The others go on")

        def are_done():
            counts = self.counts()
            if counts.get("failed") or counts.get("unknown"):
                raise Failed(f"Rows have failed: {counts}")
            return counts.get("done") == FILES + LARGE
        processes.wait_until(are_done, 180, "all rows to be done")
        self.type(self.operator, "members")
        self.type(self.operator, "list", "-n", "5")

    def receipts(self):
        say("6. The receipts")
        self.type(self.operator, "show", "--receipt", "1")
        completed = collections.Counter(entry["name"] for entry in self.log() if entry["what"] == "completed")
        files = {entry["name"]: entry["id"] for entry in self.log() if entry["what"] == "completed"}
        twice = [name for name, count in completed.items() if count > 1]
        if twice or completed.keys() != self.digests.keys():
            raise Failed(f"Not once: {twice or self.digests.keys() ^ completed.keys()}")
        for name, upload in files.items():
            with open(os.path.join(self.folder, "received", "uploads", upload), "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() != self.digests[name]:
                    raise Failed(f"{name} did not arrive whole.")
        lengths = sum(entry["length"] for entry in self.log() if entry["what"] == "completed")
        received = sum(entry["received"] for entry in self.log() if entry["what"] in ("took", "refused"))
        by = collections.Counter(row.get("member") for row in self.rows())
        films = sum(entry["what"] == "created" and "film" in entry["name"] for entry in self.log())
        good(f"{len(files)} files arrived, each whole and once by the server's own log; "
             f"{(received - lengths) / MEBIBYTE:.1f} of {lengths / MEBIBYTE:.0f} MiB were sent twice.")
        good(f"The {LARGE} large ones took {films} upload sessions: another member went on in those of the dead one.")
        good("Ended by " + ", ".join(f"{name}: {count}" for name, count in sorted(by.items())) + ".")

    def clean_up(self):
        for member in self.members:
            if member.process is not None:
                member.kill()
            else:
                member.kill_daemon()
        if self.receiver is not None:
            self.receiver.kill()
        if self.node is not None:
            self.node.stop()


def main():
    if postgres.binaries() is None:
        print("needs PostgreSQL's server: install the Debian package postgresql-15")
        return 77
    processes.adopt_orphans()
    folder = tempfile.mkdtemp(prefix="offstage-fleet-demo.")
    demo = Demo(sys.argv[1], folder)
    began = time.monotonic()
    try:
        demo.set_up()
        demo.submit()
        demo.kill_half()
        demo.bring_home()
        demo.receipts()
        good(f"Done in {time.monotonic() - began:.0f} s.")
    except (Failed, TimeoutError, RuntimeError, OSError, subprocess.CalledProcessError) as problem:
        print(colour("31", f"✗ {problem}") + f"\n  kept: {folder}", file=sys.stderr, flush=True)
        return 1
    finally:
        demo.clean_up()
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
