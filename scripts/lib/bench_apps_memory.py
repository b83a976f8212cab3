# SPDX-License-Identifier: Apache-2.0
"""What ten thousand suspended apps cost the daemon, and two hundred real ones."""

import json
import os
import resource
import signal
import sqlite3
import time

import processes
from daemon_wire import DaemonWire
from staged_app import Stage, boot_time

# The records share so many processes; each is held by a descriptor of its own.
SHARED_PROCESSES = 200
# What the daemon needs descriptors for besides.
OTHER_DESCRIPTORS = 500


def run(report, options, program):
    count = options.app_records
    print(f"\napps: memory of {count} records, and of {options.app_real} real processes", flush=True)
    with Stage(options, program) as stage:
        empty = memory(stage)
        halt(stage)
        last = insert(stage.ours.store, "resting", count, [])
        resting = restart(stage, last, "terminated")
        halt(stage)
        sleepers = [processes.start(["/bin/sleep", "100000"], process_group=0) for _ in range(SHARED_PROCESSES)]
        try:
            suspended_count = min(count, resource.getrlimit(resource.RLIMIT_NOFILE)[1] - OTHER_DESCRIPTORS)
            last = insert(stage.ours.store, "suspended", suspended_count, [stopped(sleeper) for sleeper in sleepers])
            suspended = restart(stage, last, "suspended")
            halt(stage)
        finally:
            for sleeper in sleepers:
                sleeper.kill()
                sleeper.wait()
        last = insert(stage.ours.store, "resting", count, [])
        before = restart(stage, last, "terminated")
        real = real_apps(stage, options.app_real)
    per_record = (resting - empty) / count
    per_suspended = (suspended - empty) / suspended_count
    per_real = (real - before) / options.app_real
    report.case(
        "apps memory", records=count, suspended=suspended_count, real=options.app_real, anonymous_empty=empty,
        anonymous_records=resting, anonymous_suspended=suspended, anonymous_before_real=before, anonymous_real=real,
    )
    print(f"    empty {empty >> 10} KiB, {count} records {resting >> 10} KiB, {suspended_count} suspended {suspended >> 10} KiB")
    print(f"    a real app beside {count} records: {per_real / 1024:.2f} KiB, its connection included")
    report.verdict("apps: memory of a record", per_record / 1024, 2, " KiB")
    report.verdict(f"apps: memory of a suspended app's record ({suspended_count} of them)", per_suspended / 1024, 2, " KiB")


def halt(stage):
    stage.daemon.terminate()
    stage.daemon.wait()


def restart(stage, last, state):
    stage.daemon = stage.ours.start_daemon()
    return memory(stage, last, state)


def has(wire, app, state):
    try:
        return wire.ask("apps.show", {"app": app})["row"]["state"] == state
    except RuntimeError:
        return False


def memory(stage, last=None, state=None):
    """Anonymous memory of the daemon once it has all its apps, of which it takes up the last one last, and has come to
    rest."""
    wire = DaemonWire(stage.ours)
    if last:
        processes.wait_until(lambda: has(wire, last, state), 60, f"{last} to be there")
    wire.close()
    time.sleep(5)
    return processes.memory(stage.daemon.pid)[1]


def stopped(process):
    """Stops a process; returns what a registration says of it."""
    os.kill(process.pid, signal.SIGSTOP)
    with open(f"/proc/{process.pid}/stat") as file:
        started = int(file.read().rpartition(")")[2].split()[19])
    with open("/proc/sys/kernel/random/boot_id") as file:
        boot = file.read().strip()
    return {"identity": {"number": process.pid, "startedAt": started}, "bootID": boot, "isChild": False}


def insert(path, name, count, shared):
    """Registers apps, and no others, as a daemon would have; those of `shared` are their processes, in turn. Returns
    the last."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home/somebody", "USER": "somebody", "LOGNAME": "somebody",
        "SHELL": "/bin/bash", "LANG": "de_CH.UTF-8", "XDG_RUNTIME_DIR": "/run/user/1000", "WAYLAND_DISPLAY": "wayland-0",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
    }
    store = sqlite3.connect(path)
    with store:
        store.execute("DELETE FROM apps")
        for number in range(count):
            app = f"com.example.{name}-{number:05}"
            executable = f"/home/somebody/Applications/{name}-{number:05}.app/{name}-{number:05}"
            registration = {
                "id": app, "executable": executable,
                "information": {
                    "name": f"{name} {number}", "backgroundModes": ["fetch", "processing"], "permittedTaskIdentifiers": [],
                },
                "launch": {
                    "arguments": ["--library", "/home/somebody/Pictures"], "workingDirectory": "/home/somebody",
                    "environment": environment,
                },
                "isQuit": False, "isInForeground": False, "backoff": {"crashes": 0, "wakes": 0},
            }
            if shared:
                registration["process"] = shared[number % len(shared)]
            store.execute("INSERT INTO apps (id, registration) VALUES (?, ?)", (app, json.dumps(registration).encode()))
    store.close()
    return app


def real_apps(stage, count):
    """Launches so many, sends them all to background, and back once the memory is known; returns that."""
    apps = [stage.app(f"real-{number}", "hold", 0.2) for number in range(count)]
    began = boot_time()
    for app in apps:
        app.start()
    wire = DaemonWire(stage.ours)
    for app in apps:
        app.share(wire)
        app.act("background")
        wire.answer()
    for app in apps:
        app.await_stopped()
    time.sleep(5)
    anonymous = processes.memory(stage.daemon.pid)[1]
    asked = boot_time()
    for app in apps:
        app.act("foreground")
        wire.answer()
    for app in apps:
        app.expect("foreground")
    print(f"    {count} apps began in {asked - began:.1f} s, and all came back in {(boot_time() - asked) * 1e3:.0f} ms")
    return anonymous
