# SPDX-License-Identifier: Apache-2.0
"""One torture round of Dropbox: a large file through an upload session, and the daemon killed all the way."""

import os
import random
import time

import dropbox_emulator
import offstage
import processes
import torture_base
from daemon_wire import DaemonWire

# Bytes a second that the emulator reads at most, and seconds that the file takes at least if nothing happens: slow
# enough that kills hit where they are aimed at.
RATE = 64 << 20
SECONDS = 6
# Seconds between a commit and its answer, in which the daemon is killed.
COMMIT_LATENCY = 1
FINISH, METADATA = "files/upload_session/finish", "files/get_metadata"
# What kills are counted for.
ASKED, BETWEEN = "while the commit was asked for", "between the commit and its answer"
# Bytes at which chunks end that always grow, in a file that is never interrupted.
BOUNDARIES = [8 << 20, *((40 + 128 * count << 20) for count in range(8))]


def slow_commit(rate=None):
    """A rule that lets the answer to the commit take its time, and its body, too, where a rate is said."""
    fault = {"kind": "slow", "latency": COMMIT_LATENCY, "bytes_per_second": rate}
    return {"route": FINISH, "fault": fault}


class DropboxRound(torture_base.BaseRound):
    def __init__(self, seed, number, directory, binaries, size, kills):
        super().__init__(directory, {"daemon": 0, "command": 0})
        os.makedirs(directory)
        self.rng = random.Random(f"{seed}/{number}/dropbox")
        self.size = size
        self.aims = sorted(self.aim() for _ in range(kills))
        # What Dropbox's documentation leaves open, and what is aimed at behind the last byte.
        choice = random.Random(f"{seed}/{number}/dropbox rules")
        self.after_commit = choice.choice(("not_found", "closed"))
        self.keeps_prefix = choice.random() < 0.5
        self.kills_before_commit = choice.random() < 0.5
        # Through a sequential session, or a concurrent one with so many chunks at once.
        self.connections = choice.choice((1, 4))
        self.emulator = dropbox_emulator.DropboxEmulator(binaries, "--seed", str(number))
        self.offstage = offstage.Offstage(
            binaries, os.path.join(directory, "home"), {"retryBaseDelay": 0.1, "retryMaximumDelay": 0.5}
        )
        self.daemon = None
        self.source = os.path.join(directory, "source.bin")
        self.hits_at = {ASKED: 0, BETWEEN: 0}
        self.record_at_kill = None

    def aim(self):
        """The byte at which the daemon is killed: anywhere, or where a chunk ends."""
        if self.rng.random() < 0.35:
            inside = [boundary for boundary in BOUNDARIES if boundary < self.size * 95 // 100]
            if inside:
                return max(0, self.rng.choice(inside) + self.rng.randint(-(1 << 20), 1 << 20))
        return self.rng.randrange(self.size * 95 // 100)

    def perform(self):
        self.emulator.start()
        self.emulator.set_rules(
            bytes_per_second=min(RATE, self.size // SECONDS), after_commit=self.after_commit,
            keeps_prefix=self.keeps_prefix,
        )
        dropbox_emulator.make_file(self.source, self.size, self.rng)
        self.daemon = self.offstage.start_daemon()
        self.emulator.sign_in(self.offstage)
        self.hand_over()
        self.emulator.set_faults(slow_commit())
        for aim in self.aims[:-1]:
            self.kill_at(aim)
        # Set before the next daemon starts, which may begin with the commit.
        rate = min(RATE, self.size // SECONDS) // 4 if self.kills_before_commit else None
        self.kill_at(self.aims[-1], [slow_commit(rate)])
        if self.kills_before_commit:
            self.kill_before_commit()
        self.kill_after_commit()
        self.bring_home()
        self.check()

    def hand_over(self):
        """Whoever handed the file over is killed as soon as the daemon has it."""
        output = os.path.join(self.directory, "command.out")
        with open(output, "wb") as file:
            words = ["upload", "--connections", str(self.connections), self.source, "dropbox:/torture.bin"]
            command = self.offstage.start(*words, stdout=file, stderr=file)
        processes.wait_until(self.offstage.rows, 30, "the hand-over")
        command.kill()
        command.wait()
        self.kills["command"] += 1

    def row(self):
        return self.offstage.rows()[0]

    def kill_at(self, aim, faults=None):
        """Kills the daemon when so many bytes are across, and starts the next one."""
        wire = DaemonWire(self.offstage)
        try:
            processes.wait_until(lambda: self.has_reached(wire, aim), 120, f"byte {aim}")
        finally:
            wire.close()
        self.kill(faults)

    def kill_before_commit(self):
        """Kills the daemon while the last chunk and the commit are on their way."""
        asked = self.record_at_kill["calls"].get(FINISH, 0)
        processes.wait_until(
            lambda: self.emulator.record()["calls"].get(FINISH, 0) > asked, 120, "the commit to be asked for"
        )
        self.kill([slow_commit()])

    def kill_after_commit(self):
        """Kills the daemon when the file is committed and it cannot know, since the answer takes its time."""
        processes.wait_until(lambda: self.emulator.record()["commits"] == 1, 120, "the commit")
        # A kill that was aimed at an earlier moment may have come so late.
        if self.hits_at[BETWEEN] > 0:
            return
        wire = DaemonWire(self.offstage)
        try:
            self.has_reached(wire, self.size)
        finally:
            wire.close()
        self.kill([])

    def kill(self, faults=None):
        """Kills the daemon and starts the next one; in between, faults may take the place of those before."""
        # A moment that follows from the seed, so that answers are hit as well.
        time.sleep(self.rng.uniform(0, 0.02))
        if self.daemon.poll() is not None:
            raise RuntimeError(f"the daemon had ended by itself, with {self.daemon.returncode}")
        record = self.record_at_kill = self.emulator.record()
        self.daemon.kill()
        # Reaped, and so with all its threads gone: none of them holds the socket any more.
        self.daemon.wait()
        self.kills["daemon"] += 1
        if record["commits"] == 0:
            self.hits_at[ASKED] += record["calls"].get(FINISH, 0) > 0
        else:
            self.hits_at[BETWEEN] += METADATA not in record["calls"]
        if faults is not None:
            self.emulator.set_faults(*faults)
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
        # A server that keeps parts may still be reading what a dead daemon had sent when the next one asks: then it says
        # that nothing is there, refuses the whole chunk, and gets the rest.
        # Of several chunks at once, each may have to be sent again.
        most = self.connections if self.connections > 1 else 2 if self.keeps_prefix else 1
        if twice > self.kills["daemon"] * most:
            self.problems.append(f"{twice} chunks came twice, at {self.kills['daemon']} kills")
        # What comes again in another session is not known as the same bytes: with those that are it must be the file.
        came = sum(record["body_bytes"].get(f"files/upload_session/{call}", 0) for call in ("append_v2", "finish"))
        first = came - record["bytes_received_twice"]
        if first != self.size:
            self.problems.append(f"{first} bytes came for the first time in their session, for a file of {self.size}")
        calls = record["calls"]
        if self.hits_at[BETWEEN] == 0:
            self.problems.append("no kill hit the time between the commit and its answer")
        elif calls.get(METADATA, 0) == 0:
            self.problems.append("nobody asked whether the file had been committed")
        self.counts = {
            **{f"kills {name}": count for name, count in self.hits_at.items()},
            "rounds in which several chunks go at once": int(self.connections > 1),
            "rounds in which a part of a chunk is kept": int(self.keeps_prefix),
            "rounds in which a committed session is closed": int(self.after_commit == "closed"),
            "files committed": record["commits"],
            "chunks that came twice": twice,
            "bytes that came twice": record["bytes_received_twice"],
            "sessions begun": calls.get("files/upload_session/start", 0),
            "chunks asked for": calls.get("files/upload_session/append_v2", 0),
            "commits asked for": calls.get(FINISH, 0),
            "questions whether it was committed": calls.get(METADATA, 0),
            "tokens renewed": record["token_refreshes"],
        }

    def clean_up(self):
        super().clean_up()
        try:
            self.emulator.stop()
        except TimeoutError as error:
            self.problems.append(str(error))
