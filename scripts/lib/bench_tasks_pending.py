# SPDX-License-Identifier: Apache-2.0
"""What a hundred thousand pending requests cost: memory, a decision, a restart."""

import random
import sqlite3
import statistics
import time

import bench_apps_memory
import processes
from bench_apps import tell
from bench_wakeups import watch
from daemon_wire import DaemonWire
from staged_app import Stage

REQUESTS_PER_APP = 100
DECISIONS = 1000
DAY = 86_400
# Between the epoch of Unix and the one that the store counts from.
REFERENCE = 978_307_200


def run(report, options):
    count = options.task_pending
    print(f"\ntasks: {count} pending requests of {-(-count // REQUESTS_PER_APP)} apps", flush=True)
    with Stage(options, "/bin/true") as stage:
        bench_apps_memory.halt(stage)
        apps = -(-count // REQUESTS_PER_APP)
        bench_apps_memory.insert(stage.ours.store, "waiting", apps, [])
        empty, _ = restart(stage, 0)
        bare = decisions(stage)
        bench_apps_memory.halt(stage)
        insert(stage.ours.store, count)
        restarts = []
        for _ in range(5):
            full, took = restart(stage, count)
            restarts.append(took)
            if len(restarts) < 5:
                bench_apps_memory.halt(stage)
        busy = decisions(stage)
        answers = reasons(stage, count)
        watch(report, stage.daemon.pid, options.seconds, f"tasks, {count} pending", settle=5)
    each = (full - empty) / count
    report.case(
        "tasks pending", count=count, apps=apps, anonymous_empty=empty, anonymous_full=full, restarts=restarts,
        decisions_without=bare, decisions=busy, reasons=answers,
    )
    print(f"    anonymous {empty >> 10} KiB with the apps alone, {full >> 10} KiB with the requests")
    tell("a change of conditions, none", [seconds * 1e3 for seconds in bare])
    tell(f"the same with {count}", [seconds * 1e3 for seconds in busy])
    tell("why, of one of them", [seconds * 1e3 for seconds in answers])
    report.verdict("tasks: memory of a pending request", each, 1024, " B")
    # The way to the daemon and back is in it; its worst is the scheduler's of the machine, as without requests.
    report.verdict("tasks: a decision, the way to the daemon and back included", statistics.median(busy) * 1e3, 1, " ms")
    report.verdict("tasks: restart until all are there, greatest of 5", max(restarts), 1, " s")


def restart(stage, count):
    """Starts the daemon; returns its anonymous memory at rest, and the seconds until it told of all requests."""
    began = time.monotonic()
    stage.daemon = stage.ours.start_daemon()
    wire = DaemonWire(stage.ours)
    processes.wait_until(lambda: wire.ask("tasks.list", {"limit": 1})["count"] == count, 60, f"{count} requests")
    took = time.monotonic() - began
    wire.close()
    time.sleep(5)
    return processes.memory(stage.daemon.pid)[1], took


def decisions(stage):
    """The times of changes of the network that is pretended, each of which is decided about."""
    wire = DaemonWire(stage.ours)
    times = []
    for number in range(DECISIONS):
        pretended = {"network": ["none", "metered", "unmetered"][number % 3]}
        began = time.monotonic()
        wire.ask("conditions.pretend", {"pretended": pretended})
        times.append(time.monotonic() - began)
    wire.close()
    return times


def reasons(stage, count):
    wire = DaemonWire(stage.ours)
    chance = random.Random(1)
    times = []
    for _ in range(DECISIONS):
        name = identifier(chance.randrange(count))
        began = time.monotonic()
        found = wire.ask("tasks.show", {"task": name})["rows"]
        times.append(time.monotonic() - began)
        if len(found) != 1:
            raise RuntimeError(f"{len(found)} tasks are called {name}.")
    wire.close()
    return times


def app_of(index):
    return f"com.example.waiting-{index // REQUESTS_PER_APP:05}"


def identifier(index):
    return f"{app_of(index)}.work-{index % REQUESTS_PER_APP:02}"


def insert(path, count):
    """Writes requests of every kind, due within the next week, as a daemon would have."""
    chance = random.Random(7)
    now = time.time() - REFERENCE
    uptime = time.clock_gettime(time.CLOCK_BOOTTIME)
    with open("/proc/sys/kernel/random/boot_id") as file:
        boot = file.read().strip()
    rows = [
        (
            app_of(index), identifier(index), "processing" if chance.random() < 0.7 else "refresh",
            now + DAY + chance.random() * 6 * DAY, chance.randrange(2), chance.randrange(2), "", "", now, uptime, boot,
        )
        for index in range(count)
    ]
    store = sqlite3.connect(path)
    with store:
        store.executemany(
            "INSERT INTO tasks (app, identifier, kind, earliest, network, power, title, subtitle, submitted_wall,"
            " submitted_uptime, submitted_boot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows,
        )
    store.close()
