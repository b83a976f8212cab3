# SPDX-License-Identifier: Apache-2.0
"""What must hold at the end of a torture round of the stage: the story of an app against what it noted itself."""

# Seconds in which a killed process may still write what it had begun to.
_LAST_BREATH = 2


def check_log(app):
    """One process after the other, each launched once. Returns the problems."""
    problems = []
    order = []
    for line in app.lines:
        if not order or line.pid != order[-1]:
            if line.pid in order:
                problems.append(f"{app.name}: process {line.pid} wrote '{line.word}' after process {order[-1]} had begun")
            order.append(line.pid)
    launches = [line.pid for line in app.lines if line.word == "launched"]
    for pid in set(launches):
        if launches.count(pid) > 1:
            problems.append(f"{app.name}: process {pid} was launched {launches.count(pid)} times")
    return problems


def check_story(app, entries, daemon_deaths):
    """The story is in order and complete, but for what a killed daemon could not write. Returns the problems.

    `daemon_deaths` are times on the boot-time clock.
    """
    problems = []
    state = "terminated"
    before = None
    for entry in entries:
        at = entry["uptime"]
        if before is not None:
            if entry["number"] <= before["number"]:
                problems.append(f"{app.name}: entry {entry['number']} follows {before['number']}")
            if at < before["uptime"]:
                problems.append(f"{app.name}: '{entry['text']}' is earlier than what it follows")
        since = before["uptime"] if before else 0
        may_lack = any(since <= death <= at for death in daemon_deaths)
        if entry["event"] == "moved":
            if entry["from"] != state and not may_lack:
                problems.append(f"{app.name}: moved from {entry['from']} at {at:.3f}, but it was {state}")
            if entry["from"] == entry["to"]:
                problems.append(f"{app.name}: moved from {entry['from']} to the same at {at:.3f}")
            state = entry["to"]
        elif entry["event"] == "found":
            state = entry["to"]
        elif entry["event"] == "launching" or (entry["event"] == "attached" and state == "terminated"):
            state = "launching"
        elif entry["event"] in ("ended", "launchFailed"):
            state = "terminated"
        before = entry
    return problems + check_processes(app, entries, daemon_deaths)


def check_processes(app, entries, daemon_deaths):
    """Every process is in the story, and none was killed without a record."""
    problems = []
    parts = {}
    current = None
    # What is told of a launch before its process has a number there: it may have been killed by then.
    launch = None
    for entry in entries:
        if entry["event"] == "launching":
            launch = []
        if entry["event"] in ("attached", "found"):
            current = entry["process"]
            parts.setdefault(current, []).extend(launch or [])
            launch = None
        (parts.setdefault(current, []) if launch is None else launch).append(entry)
    by_process = {}
    for line in app.lines:
        by_process.setdefault(line.pid, []).append(line)
    alive = app.processes()
    for pid, lines in by_process.items():
        story = parts.get(pid)
        if story is None:
            problems.append(f"{app.name}: process {pid} wrote {len(lines)} lines and is not in the story")
            continue
        kills = [entry for entry in story if entry["event"] == "killed"]
        said_goodbye = any(line.word == "terminate" for line in lines)
        if pid not in alive and not kills and not said_goodbye:
            problems.append(f"{app.name}: process {pid} is gone, and the story does not say that it was killed")
        for kill in kills:
            late = [line for line in lines if line.at > kill["uptime"] + _LAST_BREATH]
            spared = [death for death in daemon_deaths if death >= kill["uptime"] - 0.1]
            if late and not spared:
                problems.append(f"{app.name}: process {pid} wrote '{late[0].word}' after it was killed")
    return problems


def check_fetches(app):
    """Each download that was handed over has come once, whole. Returns the problems."""
    problems = []
    words = {}
    for line in app.lines:
        words.setdefault(line.word, []).append(line.rest)
    for name in words.get("resumed", []):
        if f"{name} 0" not in words.get("completed", []):
            problems.append(f"{app.name}: {name} was handed over, and its delegate has not heard of its end")
        if name not in words.get("got", []):
            problems.append(f"{app.name}: {name} has not been given")
    return problems
