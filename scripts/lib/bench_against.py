# SPDX-License-Identifier: Apache-2.0
"""Two builds of Offstage side by side in one run: large files, small files, what an idle daemon costs, and the benches of
sessions, apps and deferred work, each of which is run for one build and the other in turn."""

import argparse
import contextlib
import io
import os
import shutil
import statistics
import tempfile
import time

import bench_apps
import bench_session
import bench_small
import bench_speed
import bench_tasks
import nginx
import offstage
import processes
from bench_report import row

# A ratio over these says that something was lost. The machine's own noise is printed beside it: the spread between
# the two halves of the older build's runs.
WALL_BAR, CPU_BAR = 1.05, 1.05
MIB = 1 << 20


class Builds:
    """The older build and this one, each with a daemon and a home of its own."""

    def __init__(self, baseline, binaries, folder, settings=None):
        self.sides = {}
        for name, path in (("before", baseline), ("now", binaries)):
            build = offstage.Offstage(path, os.path.join(folder, f"home-{name}"), settings)
            self.sides[name] = (build, build.start_daemon())

    def interleaved(self, rounds, measure):
        """Runs `measure(side)` for both in turn, the first to run being another one each time; drops the warm-up."""
        runs = {"before": [], "now": []}
        for turn in range(rounds + 1):
            for name in ("before", "now") if turn % 2 else ("now", "before"):
                value = measure(self.sides[name])
                if turn > 0:
                    runs[name].append(value)
        return runs

    def close(self):
        for _, daemon in self.sides.values():
            daemon.terminate()
            daemon.wait()


def run(report, options, cases):
    speed = [case for case in bench_speed.CASES if case[0] in cases]
    if speed:
        large_files(report, options, speed)
    if "small" in cases:
        small_files(report, options)
    if "idle" in cases:
        idle(report, options)
    for name, module in (("session", bench_session), ("apps", bench_apps), ("tasks", bench_tasks)):
        if name in cases:
            in_turn(report, options, name, module)


def large_files(report, options, cases):
    # The bench's own daemon is not measured here: it makes the server, the certificate and the files.
    with bench_speed.SpeedBench(report, options.binaries, options.triples, options.size, options.benchmarks) as bench:
        builds = Builds(options.baseline, options.binaries, bench.directory)
        try:
            for name, is_upload, tls, _, _ in cases:
                base = bench.server.tls_url if tls else bench.server.url
                bench.extra = ["--cacert", bench.server.certificate] if tls else []
                print(f"\n{name}, {options.size >> 20} MiB, two builds", flush=True)
                runs = builds.interleaved(options.triples, lambda side: bench.ours(base, is_upload, side))
                judge(report, name, runs)
        finally:
            builds.close()


def small_files(report, options):
    print(f"\nsmall, {options.files} files of {bench_small.SIZE} bytes, two builds", flush=True)
    shared = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    disk = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
    bench_small.check_is_a_disk(disk)
    server = nginx.Nginx(os.path.join(shared, "server"), os.path.join(shared, "files"))
    for index in range(options.files):
        with open(os.path.join(server.root, f"{index:05}.bin"), "wb") as file:
            file.write(os.urandom(bench_small.SIZE))
    server.start()
    listing = os.path.join(disk, "urls.txt")
    with open(listing, "w") as file:
        file.writelines(f"{server.url}/{index:05}.bin\n" for index in range(options.files))
    count = bench_small.CONNECTIONS
    settings = {"connectionsPerHost": count, "maximumRunning": count, "keepFinishedCount": 1_000_000}
    builds = Builds(options.baseline, options.binaries, disk, settings)
    try:
        judge(
            report, "small files",
            builds.interleaved(options.triples, lambda side: bench_small.fetch(*side, disk, listing, options.files)),
        )
    finally:
        builds.close()
        server.stop()
        shutil.rmtree(disk)
        shutil.rmtree(shared)


def judge(report, name, runs):
    report.case(f"{name}, two builds", **runs, fields=["wall", "cpu"])
    for index, what, bar in ((0, "wall", WALL_BAR), (1, "CPU", CPU_BAR)):
        before, now = ([value[index] for value in runs[side]] for side in ("before", "now"))
        row(f"before, {what}", before)
        row(f"now, {what}", now)
        halves = [statistics.median(before[0::2]), statistics.median(before[1::2])] if len(before) > 1 else [1, 1]
        noise = abs(halves[0] - halves[1]) / min(halves)
        report.verdict(f"{name}, {what}, now ÷ before", statistics.median(now) / statistics.median(before), bar, spread=noise)


def idle(report, options):
    print(f"\nidle, {options.seconds} s, two builds at the same time", flush=True)
    folder = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    builds = Builds(options.baseline, options.binaries, folder)
    try:
        for build, _ in builds.sides.values():
            build.run("list")
        # What follows the last request is no idling yet.
        time.sleep(5)
        before = {name: processes.context_switches(daemon.pid) for name, (_, daemon) in builds.sides.items()}
        time.sleep(options.seconds)
        found = {}
        for name, (_, daemon) in builds.sides.items():
            resident, anonymous = processes.memory(daemon.pid)
            switches = processes.context_switches(daemon.pid) - before[name]
            found[name] = (resident, anonymous, switches)
            print(f"    {name}: resident {resident / MIB:.2f} MiB, anonymous {anonymous / MIB:.2f} MiB, {switches} context switches")
        report.case("idle, two builds", **found, fields=["resident", "anonymous", "context switches"])
        report.verdict("idle, resident, now ÷ before", found["now"][0] / found["before"][0], 1.05)
        report.verdict("idle, anonymous, now ÷ before", found["now"][1] / found["before"][1], 1.1)
        report.verdict("idle, context switches", found["now"][2], 0, f" in {options.seconds} s")
    finally:
        builds.close()
        shutil.rmtree(folder)


class Figures:
    """Collects the figures that a bench judges, in place of the report that prints them."""

    def __init__(self):
        self.found = {}

    def case(self, *_, **__):
        pass

    def verdict(self, name, measured, limit, unit="", spread=None, text=None, at_least=False):
        self.found[name] = (measured, at_least)


def in_turn(report, options, name, module):
    """Runs a bench for both builds in turn, each with programs of its own checkout, and compares what it judges."""
    rounds = options.baseline_rounds
    print(f"\n{name}, {rounds} times each of two builds in turn", flush=True)
    checkout = options.baseline_checkout or os.path.abspath(options.baseline).partition("/.build/")[0]
    sides = {
        "before": argparse.Namespace(**{
            **vars(options), "binaries": options.baseline, "benchmarks": os.path.join(checkout, "Benchmarks"),
        }),
        "now": options,
    }
    runs = {"before": [], "now": []}
    for turn in range(rounds):
        for side in ("before", "now") if turn % 2 else ("now", "before"):
            figures = Figures()
            with contextlib.redirect_stdout(io.StringIO()):
                module.run(figures, sides[side])
            runs[side].append(figures.found)
    report.case(f"{name}, two builds in turn", **runs)
    for what, (_, at_least) in runs["now"][0].items():
        before, now = ([found[what][0] for found in runs[side] if what in found] for side in ("before", "now"))
        if not before:
            continue
        row(f"before, {what}", before, "")
        row(f"now, {what}", now, "")
        middles = statistics.median(before), statistics.median(now)
        if min(middles) <= 0:
            report.verdict(f"{what}, now - before", middles[1] - middles[0], 0)
            continue
        noise = (max(before) - min(before)) / middles[0]
        ratio = middles[0] / middles[1] if at_least else middles[1] / middles[0]
        report.verdict(f"{what}, now ÷ before" + (" (turned round)" if at_least else ""), ratio, WALL_BAR, spread=noise)
