# SPDX-License-Identifier: Apache-2.0
"""One torture round of Dropbox: a large file through an upload session, and the daemon killed all the way."""

import os
import random
import subprocess
import time

import dropbox_emulator
import offstage
import processes
from daemon_wire import DaemonWire

# Bytes a second that the emulator reads at most, and seconds that the file takes at least if nothing happens: slow
# enough that kills hit where they are aimed at.
RATE = 64 << 20
SECONDS = 6
# Bytes at which chunks end that always grow, in a file that is never interrupted.
BOUNDARIES = [8 << 20, *((40 + 128 * count << 20) for count in range(8))]


class DropboxRound:
    def __init__(self, seed, number, directory, binaries, size, kills):
        self.directory = directory
        os.makedirs(directory)
        self.rng = random.Random(f"{seed}/{number}/dropbox")
        self.size = size
        self.aims = sorted(self.aim() for _ in range(kills))
        self.emulator = dropbox_emulator.DropboxEmulator(binaries, "--seed", str(number))
        self.offstage = offstage.Offstage(
            binaries, os.path.join(directory, "home"), {"retryBaseDelay": 0.1, "retryMaximumDelay": 0.5}
        )
        self.daemon = None
        self.source = os.path.join(directory, "source.bin")
        self.kills = {"daemon": 0, "command": 0}
        self.hits = []
        self.counts = {}
        self.problems = []

    def aim(self):
        """The byte at which the daemon is killed: anywhere, or where a chunk ends."""
        if self.rng.random() < 0.35:
            inside = [boundary for boundary in BOUNDARIES if boundary < self.size * 95 // 100]
            if inside:
                return max(0, self.rng.choice(inside) + self.rng.randint(-(1 << 20), 1 << 20))
        return self.rng.randrange(self.size * 95 // 100)

    def run(self):
        """Returns the problems found; an empty list is a success."""
        self.emulator.start()
        try:
            self.emulator.set_rules(bytes_per_second=min(RATE, self.size // SECONDS))
            dropbox_emulator.make_file(self.source, self.size, self.rng)
            self.daemon = self.offstage.start_daemon()
            self.emulator.sign_in(self.offstage)
            self.hand_over()
            for aim in self.aims:
                self.kill_at(aim)
            self.bring_home()
            self.check()
        except (TimeoutError, subprocess.TimeoutExpired, RuntimeError, KeyError, ValueError, OSError) as error:
            self.problems.append(f"{type(error).__name__}: {error}")
        finally:
            self.clean_up()
        return self.problems

    def hand_over(self):
        """Whoever handed the file over is killed as soon as the daemon has it."""
        output = os.path.join(self.directory, "command.out")
        with open(output, "wb") as file:
            command = self.offstage.start("upload", self.source, "dropbox:/torture.bin", stdout=file, stderr=file)
        processes.wait_until(self.offstage.rows, 30, "the hand-over")
        command.kill()
        command.wait()
        self.kills["command"] += 1

    def row(self):
        return self.offstage.rows()[0]

    def kill_at(self, aim):
        """Kills the daemon when so many bytes are across, and starts the next one."""
        wire = DaemonWire(self.offstage)
        try:
            processes.wait_until(lambda: self.has_reached(wire, aim), 120, f"byte {aim}")
        finally:
            wire.close()
        # A moment that follows from the seed, so that answers and commits are hit as well.
        time.sleep(self.rng.uniform(0, 0.02))
        if self.daemon.poll() is not None:
            raise RuntimeError(f"the daemon had ended by itself, with {self.daemon.returncode}")
        self.daemon.kill()
        # Reaped, and so with all its threads gone: none of them holds the socket any more.
        self.daemon.wait()
        self.kills["daemon"] += 1
        self.daemon = self.offstage.start_daemon()

    def has_reached(self, wire, aim):
        row = wire.ask("show", {"ids": [1]})["details"][0]["row"]
        if row["kind"] == "finished":
            raise RuntimeError(f"the upload was over before the kill at byte {aim}")
        return row["bytesDone"] >= aim

    def bring_home(self):
        self.offstage.run("wait", str(self.row()["id"]), check=False, timeout=300)

    def check(self):
        rows = self.offstage.rows()
        if len(rows) != 1:
            self.problems.append(f"one transfer was handed over, and {len(rows)} are on record")
        row = rows[0]
        if row["state"] != "finished" or row.get("result") != "completed":
            self.problems.append(f"transfer {row['id']} is {row['state']}: {row['reason']['summary']}")
        record = self.emulator.record()
        files = record["files"]
        wanted = dropbox_emulator.content_hash(self.source)
        if len(files) != 1 or files[0]["size"] != self.size or files[0]["content_hash"] != wanted:
            self.problems.append(f"there should be one file of {self.size} bytes with {wanted}, but there is: {files}")
        if record["commits"] != 1 or record["unchanged_commits"] != 0:
            self.problems.append(f"committed {record['commits']} times, and {record['unchanged_commits']} times again")
        twice = record["chunks_received_twice"]
        if twice > self.kills["daemon"]:
            self.problems.append(f"{twice} chunks came twice, at {self.kills['daemon']} kills")
        calls = record["calls"]
        self.counts = {
            "files committed": record["commits"],
            "chunks that came twice": twice,
            "bytes that came twice": record["bytes_received_twice"],
            "sessions begun": calls.get("files/upload_session/start", 0),
            "chunks asked for": calls.get("files/upload_session/append_v2", 0),
            "commits asked for": calls.get("files/upload_session/finish", 0),
            "tokens renewed": record["token_refreshes"],
        }

    def clean_up(self):
        try:
            self.offstage.stop_daemon()
        except TimeoutError as error:
            self.problems.append(f"the daemon did not stop on SIGTERM: {error}")
        self.emulator.stop()
        processes.reap_orphans()
