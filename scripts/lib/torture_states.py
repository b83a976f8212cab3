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
        rows = connection.execute("SELECT id, kind, record, spec FROM transfers JOIN records USING (id)").fetchall()
        connection.close()
    except sqlite3.Error:
        # Killed while the very first daemon was making the store: there were no transfers.
        return {}
    states = {}
    for identifier, kind, record, spec in rows:
        # A record does not name the state that a transfer was made in.
        state = next(iter(json.loads(record).get("state", {kind: None})))
        if state == "queued" and (identifier in partial_ids or source_path(json.loads(spec)) in opened):
            state = "running"
        states[identifier] = state
    return states


def source_path(spec):
    return spec["upload"]["path"] if "upload" in spec else None
