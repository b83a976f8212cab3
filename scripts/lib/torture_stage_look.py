# SPDX-License-Identifier: Apache-2.0
"""What a kill of the daemon hit in the life of an app: the daemon is frozen, looked at, and killed without running again."""

import json
import os
import shutil
import signal
import sqlite3
import tempfile

import offstage
import processes

PHASES = ("launch", "stop", "continue", "expiry", "kill", "at rest")


def kill_and_look(daemon, app):
    """SIGKILLs the daemon of an `Offstage`; returns the phase that the app was in, or None without a daemon."""
    pid = daemon.daemon_pid()
    if pid is None:
        return None
    try:
        os.kill(pid, signal.SIGSTOP)
        processes.wait_until(lambda: processes.state_of(pid) in ("T", "Z", None), 10, "the daemon to freeze")
        has_stopped = app.is_stopped()
        is_there = bool(app.processes())
        with tempfile.TemporaryDirectory(prefix="offstage-look-") as directory:
            for suffix in ("", "-wal"):
                if os.path.exists(daemon.store + suffix):
                    shutil.copy(daemon.store + suffix, os.path.join(directory, "store" + suffix))
            offstage.end(pid, signal.SIGKILL)
            return phase(*read(os.path.join(directory, "store"), app.id), is_there, has_stopped)
    except ProcessLookupError:
        return None


def read(store, app):
    """The registration and the last entry of the story, as committed."""
    try:
        connection = sqlite3.connect(store)
        row = connection.execute("SELECT registration FROM apps WHERE id = ?", (app,)).fetchone()
        last = connection.execute(
            "SELECT entry FROM app_entries WHERE app = ? ORDER BY number DESC LIMIT 1", (app,)
        ).fetchone()
        connection.close()
    except sqlite3.Error:
        return {}, {}
    return json.loads(row[0]) if row else {}, json.loads(last[0])["happening"] if last else {}


def phase(registration, last, is_there, has_stopped):
    """In the middle of what it was, from what is on record and what the kernel shows."""
    word = next(iter(last), "")
    details = last.get(word, {})
    source, target = details.get("from"), details.get("to")
    in_front = registration.get("isInForeground", False)
    if word == "killed":
        return "kill"
    if word == "expiring":
        return "expiry"
    if registration.get("launchToken") or word in ("launching", "attached") or target == "launching":
        return "launch"
    if is_there and (word == "woken" or source == "suspended" or (in_front and has_stopped)):
        return "continue"
    if is_there and not in_front and (target == "background" or (target == "suspended") != has_stopped):
        return "stop"
    return "at rest"
