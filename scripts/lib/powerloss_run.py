# SPDX-License-Identifier: Apache-2.0
"""One recorded run of a daemon, and the losses of power in it: each leaves a state of the disk on which another daemon, in
another boot, has to keep what the first one told."""

import copy
import json
import os
import random
import shutil
import subprocess
import time
import uuid

import crash_model
import offstage
import processes
import syscall_watch
from campaign_server import content_of, digest
from told import Told

PATIENCE = 15
SETTINGS = {"connectionsPerHost": 4, "retryBaseDelay": 0.05, "retryMaximumDelay": 0.2}
# Files of at most so many bytes: long enough for several writes, short enough for hundreds of states.
LARGEST = 200_000
# What a daemon after the loss is watched for.
_LOOKS = "open,create,stat"


class Folders:
    """The root, which forgets, with the daemon's data and the targets; and what outlives everything, beside it."""

    def __init__(self, directory, binaries):
        self.directory = directory
        self.root = os.path.join(directory, "root")
        self.out = os.path.join(self.root, "out")
        self.sources = os.path.join(directory, "sources")
        runtime = os.path.join(directory, "runtime")
        for path in (self.out, self.sources, os.path.join(runtime, "offstage"), os.path.join(directory, "config/offstage")):
            os.makedirs(path, mode=0o700)
        os.symlink("offstage", os.path.join(runtime, "run"))
        with open(os.path.join(directory, "config/offstage/settings.json"), "w") as file:
            json.dump(SETTINGS, file)
        # Only the socket's place is taken from it: the daemon itself makes its folders.
        self.ours = offstage.Offstage(binaries, runtime)
        del self.ours.environment["OFFSTAGE_HOME"]
        self.ours.environment |= {
            "XDG_RUNTIME_DIR": runtime,
            "XDG_CONFIG_HOME": os.path.join(directory, "config"),
            "XDG_DATA_HOME": os.path.join(self.root, "share"),
            "XDG_STATE_HOME": os.path.join(self.root, "state"),
            "OFFSTAGED": self.ours.daemon,
        }

    def fill(self, state):
        """Makes the root what a state says, and returns the numbers of its files: [(actual, shown)]."""
        for name in os.listdir(self.root):
            path = os.path.join(self.root, name)
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        for folder in sorted(state.folders):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        numbers = []
        first = {}
        for path, (number, mode, content, time_of_file) in state.files.items():
            if number in first:
                os.link(first[number], path)
                continue
            first[number] = path
            with open(path, "wb") as file:
                file.write(content)
                os.fchmod(file.fileno(), mode & 0o7777)
                numbers.append((os.fstat(file.fileno()).st_ino, number))
            if time_of_file is not None:
                os.utime(path, ns=(time_of_file, time_of_file))
        return numbers


class Run:
    """Hands transfers over to a recorded daemon; what follows from its seed is what is asked for."""

    def __init__(self, folders, program, server, seed, emulator=None, is_first=True):
        self.folders, self.program, self.server, self.emulator = folders, program, server, emulator
        self.rng = random.Random(seed)
        # Whether it is the first daemon ever: it makes all its folders.
        self.base = [folders.root, folders.out]
        if not is_first:
            for path in ("share/offstage/snapshots", "share/offstage/downloads", "share/offstage/journals", "state/offstage"):
                while len(path) > 0:
                    self.base.append(os.path.join(folders.root, path))
                    path = os.path.dirname(path)
        self.items = {}
        self.held, self.cancelled, self.forgotten = set(), set(), set()
        self.recordings = [os.path.join(folders.directory, "recording")]

    def record(self):
        server = self.server
        server.reset()
        server.pace = 0.004
        self.folders.fill(crash_model.State({}, dict.fromkeys(self.base, 0o700)))
        daemon = self._start(["--record", self.recordings[0]])
        if not daemon.wait_until_ready(PATIENCE):
            raise RuntimeError("the daemon does not start")
        try:
            watcher = self.folders.ours.start("events", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            steps = self.rng.randint(3, 5)
            account = self.rng.randrange(steps) if self.emulator else None
            for step in range(steps):
                if step == account:
                    self.emulator.sign_in(self.folders.ours)
                self._step()
            self._wait([number for number in self.items if number not in self.held])
            self._forget()
            watcher.kill()
            watcher.wait()
        finally:
            # As often as not in order: what a stop writes is cut, too.
            daemon.stop(self.rng.choice((9, 15)), PATIENCE)
        self.received = {each.path: each.sha256 for each in server.requests if each.method != "GET"}

    def _start(self, arguments):
        ours = self.folders.ours
        with open(os.path.join(self.folders.directory, "daemon.err"), "ab") as output:
            command = [self.program, "--root", self.folders.root, *arguments, "--", ours.daemon]
            return syscall_watch.WatchedDaemon(command, ours, output)

    def _step(self):
        rng = self.rng
        what = rng.choice(("downloads", "downloads", "uploads", "uploads", "hold", "cancel", "snapshot", "form", "replace"))
        if what == "uploads":
            self._upload(rng.randint(1, 4))
        elif what == "snapshot":
            self._upload(1, "--snapshot")
        elif what == "form":
            file = self._source("f")
            self._hand_over([{}], "upload", "--detach", "-F", f"x=@{file}", f"{self.server.url}/form/in/{uuid.uuid4()}")
        elif what == "downloads":
            for kind in rng.sample(("file", "slow", "cut", "busy", "moved"), rng.randint(1, 3)):
                self._download(kind)
        elif what == "replace":
            self._download(rng.choice(("file", "cut")), "--force")
        else:
            numbers = self._download("slow")
            verb = "pause" if what == "hold" else "cancel"
            if self._command(verb, *map(str, numbers)) is not None:
                (self.held if what == "hold" else self.cancelled).update(numbers)
        if rng.random() < 0.5:
            self._wait([number for number in self.items if number not in self.held])

    def _name(self, letter):
        return f"{letter}{len(self.items)}-{self.rng.randrange(1 << 30):x}"

    def _source(self, letter):
        path = os.path.join(self.folders.sources, self._name(letter))
        with open(path, "wb") as file:
            file.write(content_of(os.path.basename(path), self.rng.randint(1, LARGEST)))
        return path

    def _upload(self, count, *options):
        kind = self.rng.choice(("file", "slow", "busy"))
        files = [self._source(f"u{index}") for index in range(count)]
        items = [
            {"path": f"/{kind}/in/{os.path.basename(file)}", "sha256": digest(open(file, "rb").read())} for file in files
        ]
        self._hand_over(items, "upload", "--detach", *options, *files, f"{self.server.url}/{kind}/in/")

    def _download(self, kind, *options):
        name, size = self._name("d"), self.rng.randint(0 if kind == "file" else 100, LARGEST)
        sha256 = digest(content_of(name, size))
        if self.rng.random() < 0.3:
            options += ("--checksum", f"sha256:{sha256}")
        target = os.path.join(self.folders.out, name)
        item = {"target": target, "sha256": sha256, "asked": f"/{kind}/{size}/{name}"}
        return self._hand_over([item], "download", "--detach", *options, "-o", target, self.server.url + item["asked"])

    def _command(self, *arguments):
        try:
            return self.folders.ours.run(*arguments, timeout=PATIENCE)
        except RuntimeError:
            return None

    def _hand_over(self, items, *arguments):
        ours = self.folders.ours
        self.recordings.append(f"{self.recordings[0]}-{len(self.recordings)}")
        # It makes private copies by itself: they are recorded, too.
        command = [self.program, "--root", self.folders.root, "--record", self.recordings[-1], "--", ours.command]
        output = subprocess.run(
            [*command, *arguments], env=ours.environment, check=True, capture_output=True, text=True, timeout=PATIENCE
        )
        numbers = sorted(offstage.acknowledged_ids(output.stdout))
        self.items.update(zip(numbers, items))
        return numbers

    def rows(self):
        return {row["id"]: row for row in self.folders.ours.rows()}

    def _wait(self, numbers):
        is_over = lambda: all(row["state"] == "finished" for number, row in self.rows().items() if number in numbers)
        processes.wait_until(is_over, PATIENCE, "transfers to end")

    def _forget(self):
        done = [number for number, row in self.rows().items() if row.get("result") == "completed"]
        for number in self.rng.sample(done, min(len(done), 1)):
            if self._command("forget", str(number)) is not None:
                self.forgotten.add(number)

    def cuts(self, count, first=None):
        """Moments at which the power is lost, each with what had been told, and what may be left: (position, told, state).

        With `first`, a cut whose daemon was recorded: it is cut in turn, while it brings everything home.
        """
        records = crash_model.read_recording(*([first.recording] if first else self.recordings))
        sent = [index + 1 for index, record in enumerate(records) if record[0] == "S"]
        # Just after something was told is where it shows whether it was durable.
        places = sorted(
            self.rng.choice(sent) if sent and self.rng.random() < 0.5 else self.rng.randint(0, len(records))
            for _ in range(count)
        )
        model = crash_model.CrashModel(self.base)
        told = Told()
        if first:
            model.copy_of(first.state)
            told = copy.deepcopy(first.told)
        done = 0
        for place in places:
            for record in records[done:place]:
                if record[0] == "S":
                    told.sent(record[1], record[3])
                else:
                    model.play(record)
            done = max(done, place)
            seed = self.rng.randrange(1 << 60)
            yield place, told, model.crash(random.Random(seed))


class Cut:
    """One loss of power: what is left is looked at, then a daemon starts on it."""

    def __init__(self, run, told, state, first=None):
        """With `first`, the cut whose daemon this one ends."""
        self.run, self.told, self.state = run, told, state
        # What nobody had been promised yet is not on the disk, and its number may have gone to another.
        self.items = dict(first.items if first else run.items)
        self.problems = []
        self.recording = None

    def check(self, recording=None):
        """Returns what is wrong. With a recording, the daemon that goes on is recorded there."""
        self.recording = recording
        self.told = copy.deepcopy(self.told)
        self._look_at_files()
        numbers = self.run.folders.fill(self.state)
        directory = self.run.folders.directory
        inodes, boot = os.path.join(directory, "inodes"), os.path.join(directory, "boot_id")
        with open(inodes, "w") as file:
            file.writelines(f"{actual} {shown}\n" for actual, shown in numbers)
        with open(boot, "w") as file:
            file.write(f"{uuid.uuid4()}\n")
        self.run.server.reset()
        watched = ["--record", recording] if recording else ["--calls", _LOOKS]
        daemon = self.run._start([*watched, "--inodes", inodes, "--boot-id", boot])
        try:
            if daemon.wait_until_ready(PATIENCE):
                self._finish()
            else:
                self.problems.append(f"loss: no daemon starts on what was left (status {daemon.supervisor.returncode})")
        except (TimeoutError, RuntimeError, ValueError, subprocess.SubprocessError) as problem:
            self.problems.append(f"hang: {problem}")
        finally:
            try:
                status = daemon.stop(15, PATIENCE)
                run = self.run
                run.received |= {each.path: each.sha256 for each in run.server.requests if each.method != "GET"}
                if status != 0 and not self.problems:
                    self.problems.append(f"crash: the daemon ended with {status}")
            except (TimeoutError, ProcessLookupError) as problem:
                self.problems.append(f"hang: {problem}")
        return self.problems

    def _look_at_files(self):
        """Before any daemon starts: what was told done is there, whole."""
        for number, cause in self.told.ended.items():
            item = self.items.get(number, {})
            if cause == "completed" and "target" in item:
                found = self.state.files.get(item["target"])
                if found is None:
                    self.problems.append(f"lie: download {number} was told done, and its file is not there")
                elif digest(found[2]) != item["sha256"]:
                    self.problems.append(f"lie: download {number} was told done, and its file is not whole")

    def _finish(self):
        run, told = self.run, self.told
        rows = run.rows()
        for number in sorted(told.promised - run.forgotten - set(rows)):
            self.problems.append(f"loss: transfer {number} was promised, and is not known")
        for number in told.acted & run.forgotten & set(rows):
            self.problems.append(f"lie: transfer {number} was told forgotten, and is there")
        for number, row in rows.items():
            if number in run.held and told.kinds.get(number) == "paused" and row["state"] != "paused":
                self.problems.append(f"lie: transfer {number} was told paused, and is {row['state']}")
            if row["state"] == "paused":
                run._command("resume", str(number))
        deadline = time.monotonic() + PATIENCE
        rows = run.rows()
        while late := next((row for row in rows.values() if row["state"] != "finished"), None):
            if time.monotonic() > deadline:
                raise TimeoutError(f"transfer {late['id']} does not end: {late['state']}, {late['reason']['summary']}")
            time.sleep(0.01)
            rows = run.rows()
        for number, row in rows.items():
            self._check_row(number, row)
        if told.has_account:
            self._use_account()

    def _use_account(self):
        """An account that was told added is there, and its token can be read and used."""
        run = self.run
        if "dropbox" not in (run._command("account", "list") or ""):
            self.problems.append("loss: an account was told added, and is not there")
            return
        file = run._source("x")
        if run._command("upload", "--quiet", file, f"dropbox:/{os.path.basename(file)}") is None:
            self.problems.append("loss: an account was told added, and cannot be used")
        for number, row in run.rows().items():
            if row["url"].startswith("dropbox:"):
                self.items.pop(number, None)

    def _check_row(self, number, row):
        run, item = self.run, self.items.get(number)
        ended = self.told.ended.get(number)
        if ended is not None and ended != row["result"] and number not in run.cancelled:
            self.problems.append(f"lie: transfer {number} was told {ended}, and is {row['result']}")
        if item is None:
            return
        if row["result"] == "failed":
            self.problems.append(f"lie: transfer {number} failed: {row['reason']['summary']}")
        elif row["result"] == "completed" and "target" in item:
            try:
                with open(item["target"], "rb") as file:
                    is_whole = digest(file.read()) == item["sha256"]
            except OSError:
                is_whole = False
            if not is_whole:
                self.problems.append(f"lie: download {number} is done after the restart, and its file is not whole")
            if ended == "completed" and run.server.served(item["asked"]):
                self.problems.append(f"again: download {number} was told done, and was fetched again")
        elif row["result"] == "completed" and "path" in item:
            if item["sha256"] not in (run.received.get(item["path"]), *run.server.received(item["path"])):
                self.problems.append(f"lie: upload {number} is done after the restart, and the server has not got it")
            if ended == "completed" and run.server.served(item["path"]):
                self.problems.append(f"again: upload {number} was told done, and was sent again")
