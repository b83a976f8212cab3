# SPDX-License-Identifier: Apache-2.0
"""What finished transfers on record cost those that come: small files, and commits meanwhile, over none and over many."""

import os
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time

import nginx
import offstage
import processes
from bench_report import row
from bench_small import CONNECTIONS, SIZE, check_is_a_disk
from daemon_wire import DaemonWire

MIB = 1 << 20


def run(report, options):
    count, records = options.files, options.records
    print(f"\nrecords, {count} files of {SIZE} bytes over {records} finished transfers and over none, in turn", flush=True)
    shared = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    disk = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
    check_is_a_disk(disk)
    server = nginx.Nginx(os.path.join(shared, "server"), os.path.join(shared, "files"))
    for index in range(count):
        with open(os.path.join(server.root, f"{index:05}.bin"), "wb") as file:
            file.write(os.urandom(SIZE))
    server.start()
    empty = Side(options, server, os.path.join(disk, "empty"), records=0)
    full = Side(options, server, os.path.join(disk, "full"), records=records)
    try:
        # The first round of each, in which it warms up, is not counted; the sides change places.
        for turn in range(options.rounds + 1):
            for side in (empty, full) if turn % 2 else (full, empty):
                side.fetch(is_counted=turn > 0)
    finally:
        for side in (empty, full):
            side.stop()
        server.stop()
    for name, side in (("none", empty), (f"{records}", full)):
        report.case("records", **{name: side.measured})
        row(f"over {name}: CPU of command and daemon", side.measured["cpu"])
        row(f"over {name}: commits, p99", side.measured["commit_p99"])
        print(f"    over {name}: resident {', '.join(f'{value / MIB:.0f}' for value in side.measured['resident'])} MiB")
    ratio = statistics.median(full.measured["cpu"]) / statistics.median(empty.measured["cpu"])
    report.verdict("small files over what is on record, CPU ÷ over none", ratio, 1.1)
    report.verdict("small files over what is on record: commits, p99", statistics.median(full.measured["commit_p99"]), 0.02, " s")
    shutil.rmtree(disk)
    shutil.rmtree(shared)


class Side:
    """A daemon with so many finished transfers on record, as many as it is to keep: for each that ends, one is forgotten."""

    def __init__(self, options, server, folder, records):
        os.mkdir(folder)
        self.options, self.folder = options, folder
        self.rounds = 0
        self.measured = {"cpu": [], "wall": [], "commit_p99": [], "commits": [], "resident": []}
        self.listing = os.path.join(folder, "urls.txt")
        with open(self.listing, "w") as file:
            file.writelines(f"{server.url}/{index:05}.bin\n" for index in range(options.files))
        settings = {
            "connectionsPerHost": CONNECTIONS, "maximumRunning": CONNECTIONS, "keepFinishedCount": records or 1_000_000,
        }
        self.ours = offstage.Offstage(options.binaries, os.path.join(folder, "home"), settings)
        self.daemon = self.ours.start_daemon()
        self.fetch(is_counted=False)
        if records > options.files:
            self.stop()
            fill(self.ours.store, records)
            self.daemon = self.ours.start_daemon()
            settle(self.daemon.pid)
        self.committed = self.ours.json(
            "download", "--detach", "--begin", "+100d", "--output-dir", folder, f"{server.url}/00000.bin"
        )["ids"][0]

    def stop(self):
        self.daemon.terminate()
        self.daemon.wait()

    def fetch(self, is_counted):
        # Into a new folder each time: what was deleted a moment ago makes ext4 slow to create.
        self.rounds += 1
        target = os.path.join(self.folder, f"targets-{self.rounds}")
        os.mkdir(target)
        os.sync()
        stopped, times = threading.Event(), []
        committer = threading.Thread(target=keep_committing, args=(self.ours, self.committed, stopped, times)) if is_counted else None
        before = processes.cpu_seconds(self.daemon.pid)
        if committer:
            committer.start()
        with open(self.listing) as file:
            code, wall, cpu = processes.run_measured(
                [self.ours.command, "download", "--output-dir", target, "-"],
                env=self.ours.environment, stdin=file, stdout=subprocess.DEVNULL,
            )
        time.sleep(0.3)
        used = processes.cpu_seconds(self.daemon.pid) - before
        stopped.set()
        found = len(os.listdir(target))
        if code != 0 or found != self.options.files:
            raise SystemExit(f"offstage ended with {code} and {found} of {self.options.files} files.")
        if committer:
            committer.join()
            times.sort()
            self.measured["cpu"].append(cpu + used)
            self.measured["wall"].append(wall)
            self.measured["commit_p99"].append(times[len(times) * 99 // 100])
            self.measured["commits"].append(len(times))
            self.measured["resident"].append(processes.memory(self.daemon.pid)[0])


def keep_committing(ours, identifier, stopped, times):
    """Pauses and resumes a transfer, some two hundred times a second, and notes how long each commit took to be told."""
    wire = DaemonWire(ours)
    while not stopped.is_set():
        for verb in ("pause", "resume"):
            began = time.monotonic()
            wire.ask("act", {"verb": verb, "selection": {"ids": {"_0": [identifier]}}})
            times.append(time.monotonic() - began)
            stopped.wait(0.004)
    wire.close()


def fill(store, records):
    """Copies one finished transfer until there are so many, which ended before all that are there."""
    with sqlite3.connect(store) as database:
        database.execute("PRAGMA synchronous = OFF")
        last, have = database.execute("SELECT MAX(id), COUNT(*) FROM transfers").fetchone()
        columns = [column[1] for column in database.execute("PRAGMA table_info(transfers)")]
        values = [{"id": "n", "url": "url || n", "path": "path || n", "finished_at": "finished_at - 1e6 + n"}.get(name, name) for name in columns]
        numbers = f"WITH RECURSIVE numbers(n) AS (SELECT {last + 1} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last + records - have})"
        database.execute(
            f"{numbers} INSERT INTO transfers ({', '.join(columns)}) SELECT {', '.join(values)} FROM numbers, transfers WHERE id = {last}"
        )
        database.execute(f"{numbers} INSERT INTO records (id, record, spec) SELECT n, record, spec FROM numbers, records WHERE id = {last}")
        database.execute("UPDATE meta SET value = ? WHERE key = 'highest_id'", (str(last + records - have),))
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def settle(pid):
    """Waits until a large store's file has been looked through, which a start does beside its work."""
    while True:
        before = processes.cpu_seconds(pid)
        time.sleep(1)
        if processes.cpu_seconds(pid) - before < 0.02:
            return
