# SPDX-License-Identifier: Apache-2.0
"""Which states a kill of the daemon hit: the daemon is frozen, looked at, and killed without running again."""

import json
import os
import re
import shutil
import signal
import sqlite3
import tempfile

import offstage
import processes

STATES = ("queued", "waiting", "running", "saving", "paused", "finished")
_PARTIAL = re.compile(r"\.offstage-[^/]*-(\d+)\.part")


def kill_and_look(daemon):
    """SIGKILLs the daemon of an `Offstage`; returns {transfer id: state} as of that instruction, or None without one.

    The store says what was committed. An attempt that has only begun may still be stored as queued; it is counted as
    running when the frozen daemon has its file open.
    """
    pid = daemon.daemon_pid()
    if pid is None:
        return None
    try:
        os.kill(pid, signal.SIGSTOP)
        processes.wait_until(lambda: processes.state_of(pid) in ("T", "Z", None), 10, "the daemon to freeze")
        opened = open_files(pid)
        with tempfile.TemporaryDirectory(prefix="offstage-look-") as directory:
            copies = []
            for suffix in ("", "-wal"):
                if os.path.exists(daemon.store + suffix):
                    copies.append(shutil.copy(daemon.store + suffix, os.path.join(directory, "store" + suffix)))
            offstage.end(pid, signal.SIGKILL)
            return read_states(os.path.join(directory, "store"), opened) if copies else {}
    except ProcessLookupError:
        return None


def open_files(pid):
    """Paths of the files that a process has open."""
    paths = set()
    try:
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            try:
                paths.add(os.readlink(f"/proc/{pid}/fd/{descriptor}"))
            except OSError:
                pass
    except OSError:
        pass
    return paths


def read_states(store, opened):
    partial_ids = {int(match.group(1)) for path in opened if (match := _PARTIAL.search(path))}
    try:
        connection = sqlite3.connect(store)
        rows = connection.execute("SELECT id, record FROM records").fetchall()
        connection.close()
    except sqlite3.Error:
        # Killed while the very first daemon was making the store: there were no transfers.
        return {}
    states = {}
    for identifier, record in rows:
        transfer = json.loads(record)
        state = next(iter(transfer["state"]))
        if state == "queued" and (identifier in partial_ids or source_path(transfer) in opened):
            state = "running"
        states[identifier] = state
    return states


def source_path(transfer):
    direction = transfer["spec"]["direction"]
    return direction["upload"]["_0"]["path"] if "upload" in direction else None
