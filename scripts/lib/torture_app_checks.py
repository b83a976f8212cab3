# SPDX-License-Identifier: Apache-2.0
"""What must hold at the end of a torture round with an app: read from the lines that the app wrote."""

import os
from dataclasses import dataclass, field

import torture_checks

# What a home holds when nothing is under way.
_KEPT = ("store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "daemon.lock", "crash.mark", "crashes.json", "daemon.log", "settings.json")


@dataclass
class Call:
    """One call of the delegate, as one launch of the app saw it."""

    launch: int
    number: int
    # The line of the log at which it began.
    line: int
    detail: str = ""
    result: str = ""
    has_ended: bool = False
    # Whether the app's delegate was called again in the same launch: then this call had returned.
    has_returned: bool = False


@dataclass
class AppLog:
    launches: int = 0
    begun: set = field(default_factory=set)
    # Task numbers by name.
    resumed: dict = field(default_factory=dict)
    numbers: dict = field(default_factory=dict)
    # {(call, name): [Call]}
    calls: dict = field(default_factory=dict)
    problems: list = field(default_factory=list)


def read_app_log(path):
    log = AppLog()
    running = None
    with open(path) as file:
        for position, line in enumerate(file, 1):
            words = line.split()
            if words[0] == "launch":
                log.launches += 1
                running = None
            elif words[0] == "resuming":
                log.begun.add(words[1])
            elif words[0] == "resumed":
                log.resumed[words[1]] = int(words[2])
                note_number(log, words[1], int(words[2]))
            elif words[0] == "attached":
                note_number(log, words[1], int(words[2]))
            elif words[0] == "begin":
                note_number(log, words[2], int(words[3]))
                if running is not None:
                    running.has_returned = True
                    if not running.has_ended:
                        log.problems.append(f"two calls of the delegate at once: {line.strip()}")
                running = Call(log.launches, int(words[3]), position, detail=" ".join(words[4:]))
                log.calls.setdefault((words[1], words[2]), []).append(running)
            elif words[0] == "end":
                running.has_ended = True
                running.result = " ".join(words[4:])
            elif words[0] == "invalid" and running is not None:
                running.has_returned = True
    return log


def note_number(log, name, number):
    known = log.numbers.setdefault(name, number)
    if known != number:
        log.problems.append(f"{name} was task {known} and is task {number}")


def check_app(items, log):
    """Every task that was handed over has ended, each event has come once. Returns (problems, counts)."""
    problems = list(log.problems)
    counts = {"unsure": 0, "unsure and carried out": 0, "events": 0, "events again": 0}
    by_number = {}
    for name, number in log.numbers.items():
        if number in by_number:
            problems.append(f"{name} and {by_number[number]} are both task {number}")
        by_number[number] = name
    names = {item.name for item in items}
    for name in set(log.numbers) - names:
        problems.append(f"task {log.numbers[name]} is called '{name}', which nobody has asked for")
    for item in items:
        ends = log.calls.get(("completed", item.name), [])
        files = log.calls.get(("finished", item.name), [])
        is_sure = item.name in log.resumed
        if not is_sure:
            counts["unsure"] += 1
            counts["unsure and carried out"] += bool(ends)
        if is_sure and not ends:
            problems.append(f"{item.name} was handed over as task {log.resumed[item.name]} and has not ended")
        if ends and item.kind == "download" and not files:
            problems.append(f"{item.name} ended, and its file was never given")
        if files and item.kind != "download":
            problems.append(f"{item.name} is no download, and was given a file")
        for call in ends:
            if not call.detail.startswith("status-2"):
                problems.append(f"{item.name} ended with {call.detail}")
        if files and ends and files[-1].line > ends[0].line:
            problems.append(f"{item.name} was given its file after its end")
        problems += check_taken(item, files)
        for what, calls in (("completed", ends), ("finished", files)):
            counts["events"] += bool(calls)
            for call in calls[:-1]:
                if call.has_returned:
                    problems.append(f"'{what}' came again for {item.name} after launch {call.launch} had heard of it")
                else:
                    counts["events again"] += 1
    return problems, counts


def check_taken(item, calls):
    """A file is there to be moved, unless an interrupted call has done so already."""
    problems = []
    was_interrupted = False
    for call in calls:
        if call.has_ended and call.result != "moved" and not was_interrupted:
            problems.append(f"{item.name}: the file could not be moved, {call.result}")
        was_interrupted = True
    return problems


def check_files(items, log):
    """What has ended is whole at its target."""
    problems = []
    for item in items:
        if ("completed", item.name) in log.calls:
            problems += torture_checks.check_file(item)
    return problems


def leftovers(home, targets, items):
    """Files that nobody needs any more."""
    found = []
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            if not (folder == home and name in _KEPT) and not path.endswith("/run/daemon.sock"):
                found.append(path)
    wanted = {item.name for item in items}
    return found + [os.path.join(targets, name) for name in os.listdir(targets) if name not in wanted]
