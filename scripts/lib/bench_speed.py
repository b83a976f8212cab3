# SPDX-License-Identifier: Apache-2.0
"""Large files against curl and corelibs' URLSession: interleaved curl / offstage / curl triples on loopback."""

import os
import shutil
import statistics
import subprocess
import tempfile
import time

import nginx
import offstage
import processes
import swift_package
import warm_memory
from bench_report import row, spread

# name, upload, TLS, greatest wall ratio, greatest CPU ratio
CASES = (
    ("download", False, False, 0.9, 1.0),
    ("upload", True, False, 1.15, 1.1),
    ("tls-download", False, True, 1.15, 1.15),
    ("tls-upload", True, True, 1.15, 1.15),
)


class SpeedBench:
    def __init__(self, report, binaries, triples, size, benchmarks):
        self.report = report
        self.triples = triples
        self.size = size
        self.benchmarks = benchmarks
        self.directory = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
        self.server = nginx.Nginx(
            os.path.join(self.directory, "server"), os.path.join(self.directory, "files"), tls=True
        )
        self.offstage = offstage.Offstage(binaries, os.path.join(self.directory, "home"))
        self.daemon = None
        self.memory = None
        self.extra = []

    def __enter__(self):
        self.server.start()
        self.source = os.path.join(self.directory, "source.bin")
        with open(self.source, "wb") as file:
            for _ in range(self.size >> 20):
                file.write(os.urandom(1 << 20))
        shutil.copy(self.source, os.path.join(self.server.root, "file.bin"))
        self.memory = warm_memory.WarmMemory(self.size + (512 << 20))
        self.daemon = self.offstage.start_daemon()
        return self

    def __exit__(self, *_):
        if self.daemon is not None:
            self.daemon.terminate()
            self.daemon.wait()
        self.server.stop()
        if self.memory is not None:
            self.memory.close()
        shutil.rmtree(self.directory)

    def run_case(self, name, is_upload, tls, wall_bar, cpu_bar):
        print(f"\n{name}, {self.size >> 20} MiB", flush=True)
        base = self.server.tls_url if tls else self.server.url
        # Both are told the authority in the same way.
        self.extra = ["--cacert", self.server.certificate] if tls else []
        before, ours, after = [], [], []
        for turn in range(self.triples + 1):
            triple = (self.curl(base, is_upload), self.ours(base, is_upload), self.curl(base, is_upload))
            if turn > 0:  # the first is the warm-up
                for series, value in zip((before, ours, after), triple):
                    series.append(value)
        self.report.case(name, size=self.size, curl_before=before, offstage=ours, curl_after=after, fields=["wall", "cpu"])
        for index, what, bar in ((1, "CPU", cpu_bar), (0, "wall", wall_bar)):
            curl = [value[index] for value in before + after]
            mine = [value[index] for value in ours]
            row(f"curl, {what}", curl)
            row(f"offstage, {what}", mine)
            ratio = statistics.median(mine) / statistics.median(curl)
            noise = spread([value[index] for value in before], [value[index] for value in after])
            self.report.verdict(f"{name}, {what} ÷ curl", ratio, bar, spread=noise)

    def curl(self, base, is_upload):
        if is_upload:
            arguments = ["curl", "-sS", "-f", "-o", "/dev/null", "-T", self.source, f"{base}/in.bin"]
        else:
            arguments = ["curl", "-sS", "-f", "-o", self.target("curl.bin"), f"{base}/file.bin"]
        code, wall, cpu = processes.run_measured([*arguments, *self.extra], env=self.offstage.environment)
        self.check(code, "curl", is_upload, "curl.bin")
        return wall, cpu

    def ours(self, base, is_upload, side=None):
        """One run of ours, or of another build of it: `side` is a pair of an Offstage and its daemon."""
        ours, daemon = side or (self.offstage, self.daemon)
        if is_upload:
            arguments = ["upload", self.source, f"{base}/in.bin"]
        else:
            arguments = ["download", f"{base}/file.bin", "-o", self.target("ours.bin")]
        cpu_before = processes.cpu_seconds(daemon.pid)
        code, wall, cpu = processes.run_measured(
            [ours.command, *arguments, *self.extra], env=ours.environment, stdout=subprocess.DEVNULL
        )
        # What the daemon does after the command has returned is counted as well.
        time.sleep(0.15)
        cpu += processes.cpu_seconds(daemon.pid) - cpu_before
        self.check(code, "offstage", is_upload, "ours.bin")
        return wall, cpu

    def target(self, name):
        """A path in tmpfs with no file at it, and no old upload at the server either."""
        path = os.path.join(self.directory, name)
        if os.path.exists(path):
            os.unlink(path)
        return path

    def check(self, code, who, is_upload, name):
        path = os.path.join(self.server.root, "in.bin") if is_upload else os.path.join(self.directory, name)
        if code != 0 or os.path.getsize(path) != self.size:
            raise SystemExit(f"{who} failed with {code}; nothing measured so far is wrong, but the run ends here.")
        os.unlink(path)

    def url_session(self):
        """corelibs' URLSession on the same file; few runs, since each takes many times as long."""
        self.extra = []
        print(f"\nurlsession, {self.size >> 20} MiB", flush=True)
        folder = swift_package.build(self.benchmarks)
        runs, mine = [], []
        for turn in range(1 + self.triples):
            code, wall, cpu = processes.run_measured(
                [os.path.join(folder, "urlsession-fetch"), f"{self.server.url}/file.bin", self.target("session.bin")],
                env=self.offstage.environment,
            )
            self.check(code, "urlsession-fetch", False, "session.bin")
            one = self.ours(self.server.url, False)
            if turn > 0:
                runs.append((wall, cpu))
                mine.append(one)
        self.report.case("urlsession", size=self.size, urlsession=runs, offstage=mine, fields=["wall", "cpu"])
        row("URLSession, wall", [run[0] for run in runs])
        row("URLSession, CPU", [run[1] for run in runs])
        row("offstage, wall", [run[0] for run in mine])
        row("offstage, CPU", [run[1] for run in mine])
        ratio = statistics.median(run[0] for run in runs) / statistics.median(run[0] for run in mine)
        self.report.verdict("download, times faster than URLSession", ratio, 5, unit=" ×", at_least=True)


def run(report, options, names):
    with SpeedBench(report, options.binaries, options.triples, options.size, options.benchmarks) as bench:
        for case in CASES:
            if case[0] in names:
                bench.run_case(*case)
        if "urlsession" in names:
            bench.url_session()
