# SPDX-License-Identifier: Apache-2.0
"""Thousands of small files against aria2c, on a real disk, every file of ours synced."""

import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import nginx
import offstage
import processes
from bench_report import row, spread

SIZE = 4096
CONNECTIONS = 16


def run(report, options):
    print(f"\nsmall, {options.files} files of {SIZE} bytes, {CONNECTIONS} at a time", flush=True)
    shared = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    disk = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
    check_is_a_disk(disk)
    server = nginx.Nginx(os.path.join(shared, "server"), os.path.join(shared, "files"))
    for index in range(options.files):
        with open(os.path.join(server.root, f"{index:05}.bin"), "wb") as file:
            file.write(os.urandom(SIZE))
    server.start()
    ours = offstage.Offstage(
        options.binaries, os.path.join(disk, "home"),
        {"connectionsPerHost": CONNECTIONS, "maximumRunning": CONNECTIONS, "keepFinishedCount": 1_000_000},
    )
    daemon = ours.start_daemon()
    try:
        listing = os.path.join(disk, "urls.txt")
        with open(listing, "w") as file:
            file.writelines(f"{server.url}/{index:05}.bin\n" for index in range(options.files))
        # First, while little is on record: under strace, each look into a large store is slow.
        count_syncs(report, options, ours, daemon, disk, listing)
        measure(report, options, ours, daemon, disk, listing)
    finally:
        daemon.terminate()
        daemon.wait()
        server.stop()
        shutil.rmtree(disk)
        shutil.rmtree(shared)


def measure(report, options, ours, daemon, disk, listing):
    def aria2():
        target = fresh(disk, "aria2")
        code, wall, cpu = processes.run_measured(
            ["aria2c", "-q", f"-j{CONNECTIONS}", "-i", listing, "-d", target], stdout=subprocess.DEVNULL
        )
        check(code, "aria2c", target, options.files)
        return wall, cpu

    before, mine, after = [], [], []
    for turn in range(options.triples + 1):
        triple = (aria2(), fetch(ours, daemon, disk, listing, options.files), aria2())
        if turn > 0:
            for series, value in zip((before, mine, after), triple):
                series.append(value)
    report.case("small", files=options.files, aria2c_before=before, offstage=mine, aria2c_after=after, fields=["wall", "cpu"])
    for index, what in ((0, "wall"), (1, "CPU")):
        row(f"aria2c -j{CONNECTIONS}, {what}", [value[index] for value in before + after])
        row(f"offstage, {what}", [value[index] for value in mine])
    ratio = statistics.median(value[0] for value in mine) / statistics.median(value[0] for value in before + after)
    noise = spread([value[0] for value in before], [value[0] for value in after])
    report.verdict("small files, wall ÷ aria2c", ratio, 1.0, spread=noise)


def fetch(ours, daemon, disk, listing, count):
    target = fresh(disk, "ours")
    cpu_before = processes.cpu_seconds(daemon.pid)
    with open(listing) as file:
        code, wall, cpu = processes.run_measured(
            [ours.command, "download", "--output-dir", target, "-"],
            env=ours.environment, stdin=file, stdout=subprocess.DEVNULL,
        )
    time.sleep(0.15)
    check(code, "offstage", target, count)
    return wall, cpu + processes.cpu_seconds(daemon.pid) - cpu_before


def count_syncs(report, options, ours, daemon, disk, listing):
    """A run of its own under strace, which slows everything: only the counts are of use."""
    print("    counting fsync and fdatasync of the daemon under strace", flush=True)
    output = os.path.join(disk, "strace.txt")
    tracer = processes.watch(
        processes.start(
            ["strace", "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", output, "-p", str(daemon.pid)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
    )
    if "attached" not in tracer.stderr.readline():
        raise SystemExit("strace could not attach to the daemon: run as root, or allow ptrace.")
    fetch(ours, daemon, disk, listing, options.files)
    tracer.terminate()
    tracer.wait()
    tracer.stderr.close()
    files, other = set(), 0
    with open(output, errors="replace") as lines:
        for line in lines:
            match = re.search(r"f(?:data)?sync\(\d+<([^>]*)>", line)
            if match and ".part" in match.group(1):
                files.add(match.group(1))
            elif match:
                other += 1
    report.case("small", synced_files=len(files), other_syncs=other)
    print(f"    {len(files)} different downloaded files synced, {other} other syncs (store, folders)")
    report.verdict("small files synced", len(files), options.files, at_least=True)


def fresh(disk, name):
    path = os.path.join(disk, name)
    shutil.rmtree(path, ignore_errors=True)
    os.mkdir(path)
    # Neither side pays for what the other has left in the page cache.
    os.sync()
    return path


def check(code, who, target, count):
    found = sum(1 for entry in os.scandir(target) if entry.stat().st_size == SIZE)
    if code != 0 or found != count:
        raise SystemExit(f"{who} ended with {code} and {found} of {count} files.")


def check_is_a_disk(path):
    kind = subprocess.run(["stat", "-f", "-c", "%T", path], capture_output=True, text=True).stdout.strip()
    if kind in ("tmpfs", "ramfs"):
        raise SystemExit(f"{path} is on {kind}, where syncing costs nothing: name a folder on a disk with --disk.")
    print(f"    store and targets on {kind} ({path})")
