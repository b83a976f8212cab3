# SPDX-License-Identifier: Apache-2.0
"""A long queue, many running transfers, and a disk that takes its time."""

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

import bench_records
import nginx
import offstage
import processes
from bench_report import row
from stalled_server import StalledServer

MIB = 1 << 20


def run(report, options):
    processes.raise_file_limit(8192)
    long_queue(report, options)
    many_running(report, options)
    slow_commits(report, options)
    if options.records > 0:
        bench_records.run(report, options)


def long_queue(report, options):
    print(f"\nqueue, {options.queued} transfers behind a server that never answers", flush=True)
    disk = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
    server = StalledServer()
    ours = offstage.Offstage(options.binaries, os.path.join(disk, "home"))
    daemon = ours.start_daemon()
    try:
        empty = processes.memory(daemon.pid)[1]
        began = time.monotonic()
        urls = "".join(f"http://127.0.0.1:{server.port}/{index}.bin\n" for index in range(options.queued))
        os.mkdir(os.path.join(disk, "targets"))
        ours.run("download", "--detach", "--output-dir", os.path.join(disk, "targets"), "-", input=urls)
        took = time.monotonic() - began
        report.case("queue", hand_over=took)
        print(f"    handed over in {took:.1f} s")
        report.verdict("hand-over, for each of a long queue", took / options.queued * 1e6, 60, " µs")
        time.sleep(3)
        judge_queue(report, ours, daemon.pid, options.queued, empty, "queued")

        server.forget()
        offstage.end(daemon.pid, 9)
        daemon.wait()
        began = time.monotonic()
        daemon = ours.start_daemon()
        processes.wait_until(lambda: server.first_byte, 60, "the first byte after the restart")
        report.case("queue", restart_to_first_byte=server.first_byte - began)
        report.verdict("restart with a long queue, first byte after", server.first_byte - began, 2, " s")
        time.sleep(3)
        judge_queue(report, ours, daemon.pid, options.queued, empty, "queued, after the restart")
        took = stop(daemon)
        print(f"    stopped in {took:.2f} s")
    finally:
        stop(daemon)
        server.stop()
        shutil.rmtree(disk)


def judge_queue(report, ours, pid, count, empty, name):
    rows = ours.json("list", "--limit", "1")
    queued = sum(number for kind, number in rows["counts"].items() if kind in ("queued", "running", "waiting"))
    if queued != count:
        raise SystemExit(f"{queued} of {count} transfers are there.")
    resident, anonymous = processes.memory(pid)
    times = [processes.run_measured([ours.command, "list"], env=ours.environment, stdout=subprocess.DEVNULL)[1] for _ in range(11)]
    report.case(
        "queue", **{name: {"anonymous": anonymous, "resident": resident, "empty": empty, "list": times}}
    )
    each = max(0, anonymous - 25 * MIB) / count
    row("offstage list", times)
    print(f"    anonymous {anonymous / MIB:.1f} MiB, {(anonymous - empty) / count:.0f} B each above the empty daemon's")
    # Those next in line are held whole: some 20 MiB, however long the line is.
    report.verdict(f"{name}: anonymous beyond 25 MiB, for each", each, 200, " B")
    report.verdict(f"{name}: offstage list", statistics.median(times), 0.05, " s")


def many_running(report, options):
    count = options.running
    print(f"\nrunning, {count} transfers at once, half of them uploads", flush=True)
    directory = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    server = nginx.Nginx(
        os.path.join(directory, "server"), os.path.join(directory, "files"), limit_rate=256 << 10
    )
    with open(os.path.join(server.root, "file.bin"), "wb") as file:
        file.truncate(64 * MIB)
    server.start()
    ours = offstage.Offstage(
        options.binaries, os.path.join(directory, "home"), {"connectionsPerHost": count, "maximumRunning": count}
    )
    daemon = ours.start_daemon()
    try:
        targets = os.path.join(directory, "targets")
        os.mkdir(targets)
        source = os.path.join(directory, "source.bin")
        with open(source, "wb") as file:
            file.truncate(64 * MIB)
        half = count // 2
        listing = "".join(f"{server.url}/file.bin?{index}\t{index}.bin\n" for index in range(half))
        ours.run("download", "--detach", "--output-dir", targets, "-", input=listing)
        uploads = "".join(f"{source}\t{server.url}/in/{index}.bin\n" for index in range(count - half))
        ours.run("upload", "--detach", "--limit-rate", "256k", "-", input=uploads)
        processes.wait_until(
            lambda: ours.json("list", "--limit", "1")["counts"].get("running", 0) == count, 60, f"{count} running"
        )
        samples = []
        for _ in range(10):
            time.sleep(1)
            samples.append(processes.memory(daemon.pid)[1])
        running = ours.json("list", "--limit", "1")["counts"]["running"]
        resident, anonymous = processes.memory(daemon.pid)
        report.case("running", count=running, resident=resident, anonymous=samples)
        print(f"    {running} running, {resident / MIB:.1f} MiB resident")
        report.verdict(f"{running} running: anonymous, greatest of 10", max(samples) / MIB, 64, " MiB")
        ours.run("cancel", "--all", "--yes")
    finally:
        stop(daemon)
        server.stop()
        shutil.rmtree(directory)


def slow_commits(report, options):
    print("\nslow commits, 300 ms each", flush=True)
    directory = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    server = nginx.Nginx(os.path.join(directory, "server"), os.path.join(directory, "files"), limit_rate=4 * MIB)
    with open(os.path.join(server.root, "file.bin"), "wb") as file:
        file.truncate(512 * MIB)
    server.start()
    ours = offstage.Offstage(options.binaries, os.path.join(directory, "home"), {"testCommitDelay": 0.3})
    daemon = ours.start_daemon()
    stopped = threading.Event()
    background = watcher = None
    try:
        listing = "".join(f"{server.url}/file.bin?{index}\t{index}.bin\n" for index in range(4))
        identifiers = ours.json("download", "--detach", "--output-dir", directory, "-", input=listing)["ids"]
        watcher, ticks = watch_events(ours)
        # Commits without end, so that every measurement falls into one.
        background = threading.Thread(target=keep_committing, args=(ours, identifiers[0], stopped))
        background.start()
        time.sleep(1)
        began = time.monotonic()
        lists = [processes.run_measured([ours.command, "list"], env=ours.environment, stdout=subprocess.DEVNULL)[1] for _ in range(11)]
        time.sleep(max(0, 5 - (time.monotonic() - began)))
        gaps = longest_gap(ticks, began, time.monotonic())
        pauses = []
        for identifier in identifiers[1:]:
            pauses.append(
                processes.run_measured([ours.command, "pause", str(identifier)], env=ours.environment, stdout=subprocess.DEVNULL)[1]
            )
        report.case("slow commits", list=lists, pause=pauses, ticks=len(ticks), longest_gap=gaps)
        row("offstage list", lists)
        row("offstage pause", pauses)
        report.verdict("slow commits: offstage list", statistics.median(lists), 0.1, " s")
        report.verdict("slow commits: longest gap between progress ticks", gaps, 1, " s")
        # A pause is answered once it is on the disk: its own commit, and what is left of the one under way.
        report.verdict("slow commits: offstage pause", statistics.median(pauses), 0.7, " s")
    finally:
        stopped.set()
        if background is not None:
            background.join()
        ours.run("cancel", "--all", "--yes", check=False)
        if watcher is not None:
            # It would start another daemon in the place of one that stops.
            watcher.kill()
            watcher.wait()
        stop(daemon)
        server.stop()
        shutil.rmtree(directory)


def watch_events(ours):
    """The process that watches, and the times at which it was told of progress, filled in as they come."""
    ticks = []
    process = ours.start("events", "--json", stdout=subprocess.PIPE, text=True)

    def read():
        for line in process.stdout:
            if "progress" in json.loads(line).get("event", ""):
                ticks.append(time.monotonic())

    threading.Thread(target=read, daemon=True).start()
    return process, ticks


def keep_committing(ours, identifier, stopped):
    rate = 1 << 20
    while not stopped.is_set():
        rate += 1
        ours.run("limit", str(identifier), str(rate), check=False)


def longest_gap(ticks, began, ended):
    inside = [began, *(tick for tick in ticks if began <= tick <= ended), ended]
    return max(second - first for first, second in zip(inside, inside[1:]))


def stop(daemon):
    began = time.monotonic()
    if daemon.poll() is None:
        daemon.terminate()
        daemon.wait()
    return time.monotonic() - began
