# SPDX-License-Identifier: Apache-2.0
"""A large file over a distant line, in pieces over several connections, against aria2c."""

import os
import shutil
import statistics
import subprocess
import tempfile

import nginx
import offstage
import processes
import slow_line
from bench_report import row, spread

# A line to the next continent: 40 ms there and back, and 20 MB/s for each connection.
DELAY, RATE = 0.02, 20_000_000
CONNECTIONS = 8


def run(report, options):
    print(f"\npieces, {options.size >> 20} MiB, {1000 * 2 * DELAY:.0f} ms and {RATE / 1e6:.0f} MB/s a connection", flush=True)
    # In memory, so that no disk is measured.
    shared = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    home = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
    server = nginx.Nginx(os.path.join(shared, "server"), os.path.join(shared, "files"))
    with open(os.path.join(server.root, "large.bin"), "wb") as file:
        for _ in range(options.size >> 20):
            file.write(os.urandom(1 << 20))
    server.start()
    line = slow_line.SlowLine(server.port, DELAY, RATE)
    ours = offstage.Offstage(options.binaries, os.path.join(home, "home"), {"connectionsPerHost": 16})
    daemon = ours.start_daemon()
    try:
        measure(report, options, Ways(shared, f"http://127.0.0.1:{line.port}/large.bin", ours, daemon))
    finally:
        daemon.terminate()
        daemon.wait()
        line.stop()
        server.stop()
        shutil.rmtree(home)
        shutil.rmtree(shared)


class Ways:
    def __init__(self, folder, url, ours, daemon):
        self.folder, self.url, self.ours, self.daemon = folder, url, ours, daemon

    def aria2c(self):
        return self.fetched(lambda path: processes.run_measured(
            ["aria2c", "-q", f"-x{CONNECTIONS}", f"-s{CONNECTIONS}", "-k1M", "--file-allocation=none", "-d", self.folder,
             "-o", os.path.basename(path), self.url], stdout=subprocess.DEVNULL))

    def offstage(self, *words):
        def way(path):
            before = processes.cpu_seconds(self.daemon.pid)
            code, wall, cpu = processes.run_measured(
                [self.ours.command, "download", "--quiet", *words, "-o", path, self.url], env=self.ours.environment,
                stdout=subprocess.DEVNULL)
            return code, wall, cpu + processes.cpu_seconds(self.daemon.pid) - before

        return self.fetched(way)

    def fetched(self, way):
        path = os.path.join(self.folder, "fetched.bin")
        code, wall, cpu = way(path)
        original = os.path.join(self.folder, "files", "large.bin")
        if code != 0 or subprocess.run(["cmp", "-s", path, original]).returncode != 0:
            raise SystemExit(f"A download ended with {code}, and {path} is not the file.")
        os.unlink(path)
        return wall, cpu


def measure(report, options, ways):
    before, mine, own, after = [], [], [], []
    for turn in range(options.triples + 1):
        values = (ways.aria2c(), ways.offstage("--connections", str(CONNECTIONS)), ways.offstage(), ways.aria2c())
        if turn > 0:
            for series, value in zip((before, mine, own, after), values):
                series.append(value)
    one = ways.offstage("--connections", "1")
    report.case(
        "pieces", aria2c_before=before, offstage=mine, offstage_own_choice=own, aria2c_after=after, offstage_one=[one],
        fields=["wall", "cpu"])
    for index, what in ((0, "wall"), (1, "CPU")):
        row(f"aria2c -x{CONNECTIONS} -s{CONNECTIONS}, {what}", [value[index] for value in before + after])
        row(f"offstage --connections {CONNECTIONS}, {what}", [value[index] for value in mine])
        row(f"offstage by its own choice, {what}", [value[index] for value in own])
        row(f"offstage, one connection, {what}", [one[index]])
    middle = statistics.median(value[0] for value in mine)
    noise = spread([value[0] for value in before], [value[0] for value in after])
    report.verdict(
        "download in pieces, wall ÷ aria2c", middle / statistics.median(value[0] for value in before + after), 1.05,
        spread=noise)
    report.verdict("download in pieces, times faster than one connection", one[0] / middle, 3, " ×", at_least=True)
