# SPDX-License-Identifier: Apache-2.0
"""A large file to S3 and from there, and many small ones, over a distant line, against rclone and the AWS command line."""

import os
import shutil
import statistics
import subprocess
import tempfile

import offstage
import processes
import slow_line
import upload_servers
from bench_report import row, spread

# A line to the next continent: 40 ms there and back, and 20 MB/s for each connection.
DELAY, RATE = 0.02, 20_000_000
CONNECTIONS = 16


class Stage:
    """The server behind the line, and the three programs that send to it."""

    def __init__(self, options):
        # In memory, so that no disk is measured.
        self.folder = tempfile.mkdtemp(prefix="offstage-bench-s3-", dir="/dev/shm")
        self.disk = tempfile.mkdtemp(prefix="offstage-bench-s3-", dir=options.disk)
        self.server = upload_servers.Ministack(self.folder)
        self.line = slow_line.SlowLine(self.server.port, DELAY, RATE)
        self.url = f"http://127.0.0.1:{self.line.port}"
        self.aws = os.path.join(os.path.dirname(upload_servers.environment("awscli", ["awscli==1.42.73"])), "aws")
        self.ours = offstage.Offstage(
            options.binaries, os.path.join(self.disk, "home"),
            {"connectionsPerHost": 64, "maximumRunning": 32, "keepFinishedCount": 1_000_000})
        self.ours.environment.update(self.server.variables)
        self.daemon = self.ours.start_daemon()
        self.environment = {**os.environ, **self.server.variables, "AWS_ENDPOINT_URL": self.url}
        # rclone does not start with it.
        self.environment.pop("AWS_CA_BUNDLE", None)
        with open(self.server.variables["AWS_CONFIG_FILE"], "a") as file:
            file.write(f"s3 =\n  max_concurrent_requests = {CONNECTIONS}\n  multipart_chunksize = 16MB\n")

    def close(self):
        self.daemon.terminate()
        self.daemon.wait()
        self.line.stop()
        self.server.stop()
        shutil.rmtree(self.folder)
        shutil.rmtree(self.disk)

    def offstage(self, *words, command="upload"):
        before = processes.cpu_seconds(self.daemon.pid)
        code, wall, cpu = processes.run_measured(
            [self.ours.command, command, "--quiet", "--endpoint-url", self.url, *words], env=self.ours.environment,
            stdout=subprocess.DEVNULL)
        check(code, "offstage")
        return wall, cpu + processes.cpu_seconds(self.daemon.pid) - before

    def rclone(self, *words):
        settings = ["--config", "/dev/null", "--s3-provider", "Other", "--s3-env-auth", "--s3-endpoint", self.url,
                    "--s3-region", "us-east-1", "--s3-no-check-bucket", "--ignore-times",
                    "--s3-upload-cutoff", "8Mi", "--s3-chunk-size", "16Mi",
                    "--s3-upload-concurrency", str(CONNECTIONS)]
        return self.peer("rclone", ["rclone", "copy", *settings, *words])

    def awscli(self, *words):
        return self.peer("aws", [self.aws, "s3", "cp", "--quiet", *words])

    def peer(self, name, words):
        code, wall, cpu = processes.run_measured(words, env=self.environment, stdout=subprocess.DEVNULL)
        check(code, name)
        return wall, cpu


def run(report, options):
    print(f"\ns3, {options.size >> 20} MiB, {1000 * 2 * DELAY:.0f} ms and {RATE / 1e6:.0f} MB/s a connection", flush=True)
    try:
        stage = Stage(options)
    except upload_servers.Missing as reason:
        print(f"    not measured: {reason}")
        return
    try:
        large_file(report, options, stage)
        large_object(report, options, stage)
        small_files(report, options, stage)
    finally:
        stage.close()


def large_file(report, options, stage):
    path = os.path.join(stage.folder, "large.bin")
    with open(path, "wb") as file:
        for _ in range(options.size >> 20):
            file.write(os.urandom(1 << 20))
    ways = {
        "rclone": lambda: stage.rclone(path, ":s3:films/rclone/"),
        "offstage": lambda: stage.offstage("--connections", str(CONNECTIONS), path, "s3://films/ours/"),
        "offstage, 8 connections": lambda: stage.offstage(path, "s3://films/ours/"),
        "aws": lambda: stage.awscli(path, "s3://films/aws/large.bin"),
    }
    runs = measure(report, options, "s3-large", ways)
    one = [stage.offstage("--connections", "1", path, "s3://films/ours/")[0]]
    row("offstage, one connection", one)
    judge(report, "S3 upload", runs, "offstage")
    faster = one[0] / statistics.median(wall for wall, _ in runs["offstage"])
    report.verdict("S3 upload, times faster than one connection", faster, 3, " ×", at_least=True)


def large_object(report, options, stage):
    """What `large_file` has sent is fetched, into memory."""
    target = os.path.join(stage.folder, "fetched")
    os.makedirs(target)
    size = os.path.getsize(os.path.join(stage.folder, "large.bin"))

    def fetched(way, name):
        path = os.path.join(target, name)
        if os.path.exists(path):
            os.unlink(path)
        value = way(path)
        if os.path.getsize(path) != size:
            raise SystemExit(f"{path} is not whole")
        os.unlink(path)
        return value

    def ours(connections):
        return lambda path: stage.offstage(
            "--connections", str(connections), "-o", path, "s3://films/ours/large.bin", command="download")

    ways = {
        "rclone": lambda: fetched(
            lambda path: stage.rclone(
                "--multi-thread-streams", str(CONNECTIONS), "--multi-thread-cutoff", "16Mi",
                ":s3:films/ours/large.bin", os.path.dirname(path)), "large.bin"),
        "offstage": lambda: fetched(ours(CONNECTIONS), "ours.bin"),
        "offstage, 8 connections": lambda: fetched(ours(8), "ours.bin"),
        "aws": lambda: fetched(lambda path: stage.awscli("s3://films/ours/large.bin", path), "aws.bin"),
    }
    runs = measure(report, options, "s3-fetched", ways)
    one = [fetched(ours(1), "ours.bin")[0]]
    row("offstage, one connection", one)
    judge(report, "S3 download", runs, "offstage")
    faster = one[0] / statistics.median(wall for wall, _ in runs["offstage"])
    report.verdict("S3 download, times faster than one connection", faster, 3, " ×", at_least=True)


def small_files(report, options, stage):
    folder = os.path.join(stage.folder, "small")
    os.makedirs(folder)
    count = 200 if options.quick else 10_000
    for index in range(count):
        with open(os.path.join(folder, f"{index:05}.bin"), "wb") as file:
            file.write(os.urandom(16 << 10))
    print(f"    {count} objects of 16 KiB, 32 at a time", flush=True)
    ways = {
        "rclone": lambda: stage.rclone("--transfers", "32", "--checkers", "32", folder, ":s3:films/small-rclone/"),
        "offstage": lambda: stage.offstage(folder, "s3://films/small-ours/"),
        "aws": lambda: stage.awscli("--recursive", folder, "s3://films/small-aws/"),
    }
    runs = measure(report, options, "s3-small", ways, most=3)
    best = min(statistics.median(wall for wall, _ in runs[name]) for name in ("rclone", "aws"))
    mine = statistics.median(wall for wall, _ in runs["offstage"])
    report.verdict("S3 objects a second ÷ the best of others", best / mine, 1.0, at_least=True)


def measure(report, options, case, ways, most=5):
    """Runs each in turn, after a turn that is thrown away."""
    runs = {name: [] for name in ways}
    for turn in range(min(options.triples, most) + 1):
        for name, way in ways.items():
            value = way()
            if turn > 0:
                runs[name].append(value)
    report.case(case, fields=["wall", "cpu"], **runs)
    for index, what in ((0, "wall"), (1, "CPU")):
        for name, values in runs.items():
            row(f"{name}, {what}", [value[index] for value in values])
    return runs


def judge(report, name, runs, ours):
    for peer in ("rclone", "aws"):
        values = runs[peer]
        noise = spread([value[0] for value in values[::2]], [value[0] for value in values[1::2] or values])
        for index, what, bar in ((0, "wall", 1.1), (1, "CPU", 0.5)):
            middle = statistics.median(value[index] for value in runs[ours])
            ratio = middle / statistics.median(value[index] for value in values)
            report.verdict(f"{name}, {what} ÷ {peer}", ratio, bar, spread=noise if index == 0 else None)


def check(code, who):
    if code != 0:
        raise SystemExit(f"{who} ended with {code}.")
