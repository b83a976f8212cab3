# SPDX-License-Identifier: Apache-2.0
"""What background sessions cost: handing over, re-attaching, and the time until a delegate is told."""

import json
import os
import shutil
import socket
import sqlite3
import statistics
import struct
import subprocess
import tempfile
import threading
import time

import offstage
import swift_package
from bench_report import row
from stalled_server import StalledServer

BODY = 64 << 10
# Tasks that the daemon takes in with one commit.
BATCH = 512


def run(report, options):
    folder = swift_package.build(options.benchmarks)
    many_tasks(report, options, os.path.join(folder, "session-bench"), os.path.join(folder, "bare-reader"))
    latency(report, options, os.path.join(folder, "session-bench"))


def ask(ours, program, *arguments):
    """Runs the program and returns the JSON that it prints."""
    result = subprocess.run(
        [program, *map(str, arguments)],
        env={**ours.environment, "OFFSTAGED": ours.daemon}, capture_output=True, text=True, timeout=600,
    )
    if result.returncode != 0:
        raise SystemExit(f"session-bench {arguments[0]} ended with {result.returncode}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def bare(ours, reader, disk):
    """Decodes and inserts the very tasks that are in the store, with nothing around it; returns tasks a second."""
    specifications, database = os.path.join(disk, "specifications"), os.path.join(disk, "bare.sqlite")
    with sqlite3.connect(f"file:{ours.store}?mode=ro", uri=True) as store, open(specifications, "wb") as file:
        for (spec,) in store.execute("SELECT spec FROM records ORDER BY id"):
            file.write(spec + b"\n")
        # SQLite makes its own tables itself.
        ours_alone = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        schema = [sql for (sql,) in store.execute(ours_alone)]
    with sqlite3.connect(database) as empty:
        for sql in schema:
            empty.execute(sql)
    empty.close()
    result = subprocess.run([reader, specifications, database, str(BATCH)], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"bare-reader ended with {result.returncode}: {result.stderr.strip()}")
    found = json.loads(result.stdout)
    return found["count"] / found["seconds"]


def many_tasks(report, options, program, reader):
    count = options.queued
    print(f"\nsession, {count} tasks behind a server that never answers, {options.session_runs} times", flush=True)
    handed, attached, pages, held, bare_rates = [], [], [], [], []
    for turn in range(options.session_runs):
        disk = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
        server = StalledServer()
        ours = offstage.Offstage(options.binaries, os.path.join(disk, "home"), {"connectionsPerHost": 1})
        body = os.path.join(disk, "event.json")
        with open(body, "w") as file:
            file.write(json.dumps({"event": "x" * 300}))
        daemon = ours.start_daemon()
        try:
            url = f"http://127.0.0.1:{server.port}/events"
            handed.append(ask(ours, program, "submit", "bench", count, url, body))
            with Ping(ours) as ping:
                attached.append(ask(ours, program, "attach", "bench"))
                pages.append(ask(ours, program, "pages", os.path.join(ours.home, "run", "daemon.sock"), "bench"))
            held.append(ping.times)
            for found in (attached[-1], pages[-1]):
                if found["count"] != count:
                    raise SystemExit(f"{found['count']} of {count} tasks are there.")
            daemon.terminate()
            daemon.wait()
            bare_rates.append(bare(ours, reader, disk))
        finally:
            daemon.terminate()
            daemon.wait()
            server.stop()
            shutil.rmtree(disk)
    report.case("session", handed=handed, attached=attached, pages=pages, pings=held, bare=bare_rates)
    rates = [run["count"] / run["durable"] for run in handed]
    row("durable submits", rates, "a second")
    row("bare reader", bare_rates, "a second")
    row("resume(), p50", [run["p50"] * 1e6 for run in handed], "µs")
    row("resume(), p99", [run["p99"] * 1e6 for run in handed], "µs")
    row("resume(), greatest", [run["max"] * 1e3 for run in handed], "ms")
    row("first page", [run["first"] * 1e3 for run in pages], "ms")
    row("all pages", [run["all"] for run in pages])
    row("getAllTasks", [run["all"] for run in attached])
    row("ping meanwhile, greatest", [max(times) * 1e3 for times in held], "ms")
    middle = statistics.median
    report.verdict("session: durable submits", middle(rates), 10_000, " a second", at_least=True)
    ratio = middle(rate / bare_rate for rate, bare_rate in zip(rates, bare_rates))
    report.verdict("session: durable submits ÷ bare reader", ratio, 0.4, at_least=True)
    report.verdict("session: resume(), p50", middle(run["p50"] for run in handed) * 1e6, 30, " µs")
    report.verdict("session: resume(), p99", middle(run["p99"] for run in handed) * 1e6, 200, " µs")
    report.verdict("session: resume(), greatest", middle(run["max"] for run in handed) * 1e3, 20, " ms")
    report.verdict("session: re-attach, first page", middle(run["first"] for run in pages) * 1e3, 50, " ms")
    report.verdict("session: re-attach, all tasks", middle(run["all"] for run in attached), 3, " s")
    report.verdict("session: loop held", middle(max(times) for times in held) * 1e3, 20, " ms")


class Ping:
    """Greets the daemon again and again on a connection of its own, and notes how long each answer took."""

    def __init__(self, ours):
        self.times = []
        self._stopped = threading.Event()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(os.path.join(ours.home, "run", "daemon.sock"))
        self._greet()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self._thread.join()
        self._socket.close()

    def _run(self):
        while not self._stopped.is_set():
            began = time.monotonic()
            self._greet()
            self.times.append(time.monotonic() - began)
            time.sleep(0.002)

    def _greet(self):
        """The one request that the loop answers by itself: any other waits for the store too."""
        self._ask("hello", {"version": {"major": 0, "minor": 1, "patch": 0}, "protocolVersion": 1, "client": "bench"})

    def _ask(self, name, value):
        payload = json.dumps(value).encode()
        self._socket.sendall(
            struct.pack(">IBIB", 6 + len(name) + len(payload), 1, 1, len(name)) + name.encode() + payload
        )
        length = struct.unpack(">I", self._receive(4))[0]
        body = self._receive(length)
        if body[0] != 2:
            raise RuntimeError(f"'{name}' was answered with {body!r}")

    def _receive(self, count):
        parts = b""
        while len(parts) < count:
            part = self._socket.recv(count - len(parts))
            if not part:
                raise RuntimeError("the daemon hung up")
            parts += part
        return parts


def latency(report, options, program):
    count = options.session_latencies
    print(f"\nsession latency, {count} tasks with bodies of {BODY >> 10} KiB, one after the other", flush=True)
    disk = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
    server = NotingServer()
    ours = offstage.Offstage(options.binaries, os.path.join(disk, "home"))
    body = os.path.join(disk, "body.bin")
    with open(body, "wb") as file:
        file.write(os.urandom(BODY))
    daemon = ours.start_daemon()
    try:
        rows = ask(ours, program, "latency", "latency", count, f"http://127.0.0.1:{server.port}", body)["rows"]
        times = {"up": [], "down": []}
        for found in rows:
            sent = server.sent["/" + found["path"]]
            times[found["path"].split("-")[0]].append((found["body"] - sent, found["end"] - sent))
    finally:
        daemon.terminate()
        daemon.wait()
        server.stop()
        shutil.rmtree(disk)
    report.case("session latency", body=BODY, **times, fields=["body told", "end told"])
    for kind, what in (("up", "upload's reply"), ("down", "download")):
        told = [pair[0] * 1e3 for pair in times[kind]]
        ends = [pair[1] * 1e3 for pair in times[kind]]
        print(f"    {what}: body median {statistics.median(told):.2f} ms, p90 {sorted(told)[int(len(told) * 0.9)]:.2f} ms;"
              f" end median {statistics.median(ends):.2f} ms")
        report.verdict(f"session: delegate told after the last byte, {what}", statistics.median(told), 5, " ms")


class NotingServer:
    """Answers every request with a body, and notes when its last byte went out."""

    def __init__(self):
        self.sent = {}
        self._body = os.urandom(BODY)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer):
        with peer, peer.makefile("rb") as stream:
            while line := stream.readline():
                path = line.split()[1].decode()
                length = 0
                while (header := stream.readline()) not in (b"\r\n", b""):
                    name, _, value = header.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                    if name.lower() == b"expect":
                        peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                stream.read(length)
                head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nETag: \"one\"\r\n\r\n" % len(self._body)
                peer.sendall(head + self._body[:-1])
                self.sent[path] = time.monotonic()
                peer.sendall(self._body[-1:])
