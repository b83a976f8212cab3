# SPDX-License-Identifier: Apache-2.0
"""How soon apps are stopped, continued, warned and launched again; all times on CLOCK_BOOTTIME, from both processes."""

import os
import socket
import statistics
import threading

import background_time
import bench_apps_memory
import processes
from staged_app import PATIENCE, Stage, boot_time
from swift_package import build

# Apps whose time in background runs out at the same time.
LANES = 4
# With slow commits: seconds that each takes, and those after which none is owed.
DELAY, SETTLED = 0.3, 1.0
# The grace is a choice and no cost: what is measured is the question to the process, and its stop.
GRACE = 0


def run(report, options):
    program = os.path.join(options.stage_program or build(options.benchmarks), "stage-bench")
    for name in filter(None, options.app_runs.split(",")):
        conditions[name](report, options, program, name)
    if options.app_records:
        bench_apps_memory.run(report, options, program)


def idle(report, options, program, name):
    series(report, options, program, name, hold=0.05, budget=0.6)
    relaunches(report, options, program, name)


def loaded(report, options, program, name):
    spinners = [
        processes.start(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count())
    ]
    try:
        idle(report, options, program, name)
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def slow(report, options, program, name):
    # What is owed at going to background is committed long before the task is ended, or expires.
    series(report, options, program, name, hold=SETTLED, budget=SETTLED * 2, settings={"testCommitDelay": DELAY})


conditions = {"idle": idle, "loaded": loaded, "slow-commits": slow}


def series(report, options, program, condition, hold, budget, settings=None):
    """Home and back, again and again: once for an app that ends its task itself, once for apps whose task expires."""
    count = options.app_samples
    print(f"\napps, {condition}: {count} times to background and back", flush=True)
    lanes = [f"expiry-{lane}" for lane in range(LANES)]
    budgets = {f"com.example.{lane}": {"backgroundTime": str(budget)} for lane in lanes}
    settings = {"apps": budgets, "suspendGrace": GRACE, **(settings or {})}
    with Stage(options, program, settings) as stage:
        holder = stage.app("holder", "hold", hold)
        holder.start()
        rounds = [home_and_back(holder) for _ in range(count)]
        waiters = [stage.app(lane, "expire") for lane in lanes]
        expiries = in_parallel(
            [lambda app=app: [expire_and_back(app, budget) for _ in range(-(-count // LANES))] for app in waiters]
        )
    report.case(
        f"apps {condition}", rounds=rounds, expiries=expiries,
        fields=["ended to stopped", "continued to delegate", "asked to delegate"],
    )
    stopped, continued, asked = ([times[index] * 1e3 for times in rounds] for index in range(3))
    late = [times[0] * 1e3 for times in expiries]
    tell("last end → stopped", stopped)
    # The first includes what the daemon does for it; the kernel's word of the second may come late.
    tell("asked to continue → delegate", asked)
    tell("continued → delegate", continued)
    tell("expiry after its time", late)
    tell("end at expiry → stopped", [times[1] * 1e3 for times in expiries])
    judge(report, f"apps, {condition}: last end → stopped", stopped)
    judge(report, f"apps, {condition}: continue → delegate", asked)
    report.verdict(f"apps, {condition}: expiry off its time, p99", percentile(map(abs, late), 99), 20, " ms")


def home_and_back(app):
    """Returns the seconds from its last end of a task to its stop, and from continuing it, and asking for it, to its
    delegate."""
    app.act("background")
    stopped = app.await_stopped()
    app.wire.answer()
    ended, _ = app.expect("ended")
    asked = boot_time()
    app.act("foreground")
    continued = app.await_continued()
    told, _ = app.expect("foreground")
    app.wire.answer()
    app.expect("active")
    return stopped - ended, told - continued, told - asked


def expire_and_back(app, budget):
    """Returns by how many seconds its expiration handler was called late, and those from its end to its stop."""
    if app.process is None:
        app.start()
    app.act("background")
    stopped = app.await_stopped()
    app.wire.answer()
    _, end = app.expect("background")
    expired, _ = app.expect("expired")
    ended, _ = app.expect("ended")
    app.act("foreground")
    app.await_continued()
    app.wire.answer()
    app.expect("active")
    return expired - (end - background_time.warning(budget)), stopped - ended


def in_parallel(works):
    """The lists that all of them return, one after the other."""
    results, errors = [], []

    def work(body):
        try:
            results.extend(body())
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(body,)) for body in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def relaunches(report, options, program, condition):
    """The last outstanding task of a dead app's session ends, and its delegate is told."""
    count = options.app_samples
    print(f"\napps, {condition}: {count} times launched for a session's events", flush=True)
    server = GatedServer()
    try:
        with Stage(options, program) as stage:
            app = stage.app("fetcher", "fetch", f"http://127.0.0.1:{server.port}/file")
            starts = [noted - began for began, noted in (app.spawn_alone("start") for _ in range(options.app_starts))]
            app.start()
            app.act("background", waits=True)
            told = []
            for _ in range(count):
                server.await_request()
                app.act("terminate", waits=True)
                if app.process is not None:
                    app.process.wait()
                    app.process = None
                sent = server.answer()
                told.append(app.expect("events")[0] - sent)
            app.act("terminate", waits=True)
    finally:
        server.stop()
    report.case(f"apps {condition}", starts=starts, relaunches=told)
    tell("own start", [seconds * 1e3 for seconds in starts])
    tell("event → delegate", [seconds * 1e3 for seconds in told])
    beyond = (percentile(told, 99) - statistics.median(starts)) * 1e3
    report.verdict(f"apps, {condition}: event → relaunched delegate, p99, beyond its own start", beyond, 150, " ms")


class GatedServer:
    """Answers one request at a time, when it is told to."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=8)
        self._listener.settimeout(PATIENCE)
        self.port = self._listener.getsockname()[1]
        self._peer = None

    def stop(self):
        self._listener.close()
        if self._peer:
            self._peer.close()

    def await_request(self):
        """Waits until a request has come, on a new connection."""
        self._peer, _ = self._listener.accept()
        self._peer.settimeout(PATIENCE)
        self._peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        request = b""
        while b"\r\n\r\n" not in request:
            request += self._peer.recv(65536)

    def answer(self):
        """Answers it; returns when the last byte went out."""
        self._peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfil")
        at = boot_time()
        self._peer.sendall(b"e")
        self._peer.close()
        self._peer = None
        return at


def percentile(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, len(values) * percent // 100)]


def tell(name, milliseconds):
    print(
        f"    {name:30} p50 {statistics.median(milliseconds):7.2f} ms   p99 {percentile(milliseconds, 99):7.2f} ms"
        f"   [{min(milliseconds):.2f} … {max(milliseconds):.2f}]", flush=True,
    )


def judge(report, name, milliseconds):
    report.verdict(f"{name}, p50", statistics.median(milliseconds), 5, " ms")
    report.verdict(f"{name}, p99", percentile(milliseconds, 99), 30, " ms")
