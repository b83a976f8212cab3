#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One machine begins an upload and is killed, or lets go of it; another goes on in the same session at the server.

    scripts/lib/fleet_takeover.py                        each server, by SIGKILL and by release
    scripts/lib/fleet_takeover.py --server tuspyserver --size 64

Two daemons, each with a home of its own and its own copy of the file, and a keeper for each over its socket, as a fleet's member
is one. Real servers (from PyPI) and the emulator of Dropbox, behind a relay that counts. Exit code 1 when the file has not
arrived once and whole, or more was sent twice than was under way; 77 when no server can be installed.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import struct
import sys
import tempfile
import time
import urllib.parse

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(HERE, "scripts", "lib"))

import counting_relay  # noqa: E402
import daemon_wire  # noqa: E402
import dropbox_emulator  # noqa: E402
import offstage  # noqa: E402
import processes  # noqa: E402
import upload_servers  # noqa: E402

MEBIBYTE = 1 << 20
EVENT = 4
# What the buffers of the connections may hold when a machine lets go: the relay counts it only when it reads it.
BUFFERED = 16 * MEBIBYTE
FLEET = "3f1c5b0e-7b6d-4a53-9c7e-1d2a8f4f7a10"


class Dropbox:
    """The emulator of Dropbox, as a server of `upload_servers` is one."""

    name = "dropbox"
    variables = {}
    # Pieces of 4 MiB in up to 8 lanes.
    under_way = 8 * 4 * MEBIBYTE

    def __init__(self, directory, binaries):
        self.emulator = dropbox_emulator.DropboxEmulator(binaries)
        self.emulator.start()
        self.port = urllib.parse.urlsplit(self.emulator.url).port

    def prepare(self, ours, port):
        straight, self.emulator.url = self.emulator.url, f"http://127.0.0.1:{port}"
        self.emulator.sign_in(ours)
        self.emulator.url = straight

    def arguments(self, file, port):
        return [file, "dropbox:/film.bin"]

    def problems(self, row, source, size, digest):
        files = self.emulator.record()["files"]
        wanted = dropbox_emulator.content_hash(source)
        found = [(file["size"], file["content_hash"]) for file in files]
        return [] if found == [(size, wanted)] else [f"the emulator holds {files}"]

    def stop(self):
        self.emulator.stop()


def real(kind):
    def make(directory, binaries):
        server = upload_servers.SERVERS[kind](directory)
        server.under_way = server.cost_of_kill
        judge = server.problems
        server.problems = lambda row, source, size, digest: judge(row, size, digest)
        return server
    return make


SERVERS = {kind: real(kind) for kind in ("tuspyserver", "resumable-upload", "ministack")}
SERVERS["dropbox"] = Dropbox


class Keeper(daemon_wire.DaemonWire):
    """A connection that keeps, and remembers what it was last told."""

    def __init__(self, ours):
        super().__init__(ours)
        self.kept, self.done, self.asked, self.ended = None, 0, 0, {}
        self.ask("fleet.attach", {"fleet": FLEET})
        self.ask("watch", {"onlyOutcomes": True})

    def answer(self):
        exchange = self._exchange
        while True:
            kind, number, payload = self.frame()
            if kind == EVENT or number != exchange:
                continue
            if kind != 2:
                raise RuntimeError(f"The daemon refused: {payload.decode(errors='replace')}")
            return json.loads(payload)

    def frame(self):
        body = self._receive(struct.unpack(">I", self._receive(4))[0])
        kind, number, length = struct.unpack(">BIB", body[:6])
        payload = body[6 + length:]
        if kind == EVENT:
            self.happened(body[6:6 + length].decode(), json.loads(payload))
        return kind, number, payload

    def happened(self, name, event):
        if name == "keep":
            self.asked += 1
            # As a database would: it is kept, and then the daemon hears of it.
            self.kept, self.done = event.get("memory"), event["bytesDone"]
            self.send("fleet.kept", {"answers": [{"number": event["number"], "isKept": True}]})
        elif name == "transfer" and "finished" in event:
            row = event["finished"]["_0"]
            self.ended[row["id"]] = row

    def follow(self, condition, seconds=300):
        """Reads what comes until the condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"asked {self.asked} times, {self.done} bytes done")
            self.frame()


class Machine:
    """A daemon with a home and a copy of the file."""

    def __init__(self, name, directory, binaries, server, relay, source):
        self.folder = os.path.join(directory, name)
        os.makedirs(self.folder)
        self.file = os.path.join(self.folder, "film.bin")
        shutil.copyfile(source, self.file)
        stat = os.stat(source)
        os.utime(self.file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        settings = {"retryBaseDelay": 0.1, "retryMaximumDelay": 0.5}
        self.ours = offstage.Offstage(binaries, os.path.join(self.folder, "home"), settings)
        self.ours.environment.update(server.variables)
        self.daemon = self.ours.start_daemon()
        server.prepare(self.ours, relay.port)
        self.spec = self.rehearse(server.arguments(self.file, relay.port))
        self.keeper = Keeper(self.ours)

    def rehearse(self, words):
        """The specification that the command makes."""
        handed = self.ours.run("upload", *words, "--detach", "--begin", "2030-01-01 00:00")
        number = min(offstage.acknowledged_ids(handed))
        with sqlite3.connect(f"file:{self.ours.store}?mode=ro", uri=True) as store:
            (spec,) = store.execute("SELECT spec FROM records WHERE id = ?", (number,)).fetchone()
        store.close()
        self.ours.run("cancel", str(number))
        self.ours.run("forget", str(number))
        spec = json.loads(spec)
        del spec["earliestBegin"]
        return spec

    def submit(self, fence, **more):
        spec = {**self.spec, **more, "keeper": {"fleet": FLEET, "row": 7, "fence": fence}}
        numbers = [self.keeper.ask("submit", {"specs": [spec]})["ids"][0] for _ in range(2)]
        if numbers[0] != numbers[1]:
            raise RuntimeError(f"the same lease was taken twice: {numbers}")
        return numbers[0]


def one(kind, way, options, directory):
    """Returns what is wrong."""
    rng = random.Random(f"{options.seed}/{kind}/{way}")
    size = options.size * MEBIBYTE
    source = os.path.join(directory, "source.bin")
    digest = write_source(source, size, rng)
    server = SERVERS[kind](directory, options.binaries)
    relay = counting_relay.CountingRelay(server.port)
    try:
        first = Machine("first", directory, options.binaries, server, relay, source)
        second = Machine("second", directory, options.binaries, server, relay, source)
        before = relay.sent
        number = first.submit(1, rateLimit=options.rate * MEBIBYTE)
        # The last chunk may be more than a half: nothing is kept before it has arrived.
        aim = size * rng.randrange(15, 40) // 100
        first.keeper.follow(lambda: first.keeper.done >= aim)
        if way == "kill":
            os.kill(first.daemon.pid, signal.SIGKILL)
            first.daemon.wait()
        else:
            first.keeper.ask("act", {"verb": "release", "selection": {"ids": {"_0": [number]}}})
            first.keeper.follow(lambda: number in first.keeper.ended)
            late = rest_of(relay)
            if late > BUFFERED:
                return [f"{late} bytes came after the end"]
            if "released" not in first.keeper.ended[number]["reason"]["cause"]:
                return [f"it was let go, and says {first.keeper.ended[number]['reason']}"]
        kept = first.keeper.kept
        if kept is None:
            return ["nothing was kept"]
        began = second.submit(2, keptUpload=kept)
        second.keeper.follow(lambda: began in second.keeper.ended)
        row = second.ours.json("show", str(began))["transfers"][0]
        if row["result"] != "completed":
            return [f"the second machine ended with {row}"]
        problems = server.problems(row, source, size, digest)
        twice = relay.sent - before - size
        if twice > server.under_way + MEBIBYTE:
            problems.append(f"{twice} bytes were sent beyond the file, and {server.under_way} were under way")
        print(f"{kind}, by {way}: {options.size} MiB, {first.keeper.done / MEBIBYTE:.1f} MiB were kept, "
              f"{twice / MEBIBYTE:.2f} MiB sent beyond the file, asked {first.keeper.asked} and {second.keeper.asked} times",
              flush=True)
        for machine in (first, second):
            machine.ours.stop_daemon()
        return problems
    finally:
        relay.stop()
        server.stop()


def rest_of(relay):
    """Returns how many bytes still come, until none has come for half a second."""
    at_end = relay.sent
    while True:
        last = relay.sent
        time.sleep(0.5)
        if relay.sent == last:
            return last - at_end


def write_source(path, size, rng):
    digest = hashlib.sha256()
    with open(path, "wb") as file:
        for begin in range(0, size, MEBIBYTE):
            block = rng.randbytes(min(MEBIBYTE, size - begin))
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--server", action="append", choices=sorted(SERVERS), help="otherwise all")
    parser.add_argument("--way", action="append", choices=["kill", "release"], help="otherwise both")
    parser.add_argument("--size", type=int, default=256, help="MiB (256)")
    parser.add_argument("--rate", type=int, default=64, help="MiB a second of the first machine (64)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binaries", default=os.path.join(HERE, ".build", "release"))
    options = parser.parse_args()
    processes.adopt_orphans()
    failed = ran = 0
    for kind in options.server or sorted(SERVERS):
        for way in options.way or ["kill", "release"]:
            directory = tempfile.mkdtemp(prefix="offstage-takeover-")
            try:
                problems = one(kind, way, options, directory)
            except upload_servers.Missing as reason:
                print(reason)
                shutil.rmtree(directory, ignore_errors=True)
                continue
            ran += 1
            for problem in problems:
                print(f"BAD {kind}, by {way}: {problem}")
            failed += bool(problems)
            if not problems:
                shutil.rmtree(directory, ignore_errors=True)
            else:
                print(f"kept in {directory}")
    if not ran:
        return 77
    print(f"{ran} takeovers, seed {options.seed}: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
