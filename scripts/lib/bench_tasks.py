# SPDX-License-Identifier: Apache-2.0
"""How soon work is begun that is due, and what the daemon does while none is; times on CLOCK_BOOTTIME, from the app."""

import os
import statistics

import bench_tasks_pending
from bench_apps import percentile, tell
from bench_wakeups import watch
from staged_app import Stage, boot_time
from swift_package import build

# Seconds from asking for work to when it is due: enough to be suspended, or ended, before. An app is suspended a grace of
# 0.25 s after its last hold, and not sooner after the return of its handler.
SUSPENDED_DELAY, ENDED_DELAY = 0.5, 0.35
# An app that has come to rest later than so many seconds before its work is due was not at rest: that run is left out.
MARGIN = 0.02
# Any number of runs fits into a day, and the machine is at rest whatever else it does.
SETTINGS = {"deferredWork": {"dailySeconds": 86_400}}
AT_REST = {"network": "unmetered", "hasExternalPower": True, "isBusy": False, "isDiskFull": False}


def run(report, options):
    program = os.path.join(options.stage_program or build(options.benchmarks), "stage-bench")
    if options.task_samples:
        suspended(report, options, program)
        not_running(report, options, program)
    between_due_times(report, options, program)
    if options.task_pending:
        bench_tasks_pending.run(report, options)


def suspended(report, options, program):
    count = options.task_samples
    print(f"\ntasks: {count} times due while the app is suspended", flush=True)
    late, left_out = [], 0
    with Stage(options, program, SETTINGS) as stage:
        app = begin(stage, SUSPENDED_DELAY)
        while len(late) < count:
            due = app.expect("submitted")[1]
            rested = app.await_stopped()
            entered = app.expect("entered")[0]
            if rested < due - MARGIN:
                late.append(entered - due)
            else:
                left_out += 1
                check_left_out(left_out, late)
    report.case("tasks suspended", late=late, left_out=left_out)
    print(f"    {left_out} runs left out: the app was not suspended in time")
    tell("due → handler, suspended", [seconds * 1e3 for seconds in late])
    check_early(late)
    report.verdict("tasks: due → handler, suspended, p99", percentile(late, 99) * 1e3, 100, " ms")


def not_running(report, options, program):
    count = options.task_samples
    print(f"\ntasks: {count} times due while the app does not run", flush=True)
    late, left_out = [], 0
    with Stage(options, program, SETTINGS) as stage:
        app = begin(stage, ENDED_DELAY)
        starts = [noted - began for began, noted in (app.spawn_alone("start") for _ in range(options.app_starts))]
        while len(late) < count:
            due = app.expect("submitted")[1]
            app.act("terminate", waits=True)
            if app.process is not None:
                app.process.wait()
                app.process = None
            rested = boot_time()
            entered = app.expect("entered")[0]
            if rested < due - MARGIN:
                late.append(entered - due)
            else:
                left_out += 1
                check_left_out(left_out, late)
    report.case("tasks not running", late=late, starts=starts, left_out=left_out)
    print(f"    {left_out} runs left out: the app had not ended in time")
    tell("own start", [seconds * 1e3 for seconds in starts])
    tell("due → handler, not running", [seconds * 1e3 for seconds in late])
    check_early(late)
    beyond = (percentile(late, 99) - statistics.median(starts)) * 1e3
    report.verdict("tasks: due → handler, not running, p99, beyond its own start", beyond, 150, " ms")


def between_due_times(report, options, program):
    """Waits with an app suspended whose work is due when the bench is over."""
    print(f"\ntasks: {options.seconds} s between due times", flush=True)
    with Stage(options, program, SETTINGS) as stage:
        app = begin(stage, 10 * options.seconds + 600)
        app.expect("submitted")
        app.await_stopped()
        # Connections and buffers are kept for half a minute.
        watch(report, stage.daemon.pid, options.seconds, "tasks between due times", settle=35 if options.seconds >= 10 else 3)


def begin(stage, delay):
    """An app in background that asks for work after so many seconds, again and again."""
    app = stage.app("later", "later", delay)
    app.wire.ask("conditions.pretend", {"pretended": AT_REST})
    app.start()
    app.act("background", waits=True)
    return app


def check_early(late):
    # Both clocks run at the same speed, but a correction of the wall clock may lie between two readings.
    if min(late) < -0.002:
        raise RuntimeError(f"A handler was entered {-min(late) * 1e3:.1f} ms before its time.")


def check_left_out(left_out, late):
    if left_out > max(20, len(late) // 10):
        raise RuntimeError(f"{left_out} runs were left out beside {len(late)}: the machine is too busy for this.")
