# SPDX-License-Identifier: Apache-2.0
"""The clients of scripts/hammer: some that send mutated requests, and one that asks for lists and is timed."""

import os
import subprocess
import sys
import time

from daemon_wire import DaemonWire


def run(ours, options):
    """Returns the exit code of the whole."""
    ours.run("list")
    daemon = int(ours.json("daemon", "status")["processID"])
    share = -(-options.count // options.processes)
    clients = [
        subprocess.Popen(
            [sys.executable, os.path.join(os.path.dirname(__file__), "hammer_client.py"),
             os.path.join(ours.home, "run", "daemon.sock"), str(share), str(options.seed * 1000 + number),
             str(options.connections)],
            stdout=subprocess.PIPE, text=True,
        )
        for number in range(options.processes)
    ]
    begun = time.monotonic()
    slowest, lists, most, failure = 0.0, 0, 0.0, None
    try:
        while any(client.poll() is None for client in clients) and failure is None:
            asked = time.monotonic()
            try:
                wire = DaemonWire(ours, timeout=30)
                wire.ask("list", {"query": {"limit": 100}})
                wire.close()
            except (OSError, RuntimeError) as error:
                failure = f"a list was not answered: {error}"
            slowest = max(slowest, time.monotonic() - asked)
            lists += 1
            most = max(most, _resident(daemon))
            if most == 0:
                failure = "the daemon has ended"
            time.sleep(0.05)
        seconds = time.monotonic() - begun
    finally:
        for client in clients:
            if client.poll() is None:
                client.kill()
        words = [client.communicate()[0].split() for client in clients]
        ours.run("daemon", "stop", check=False)
    sent, answered = (sum(int(word[index]) for word in words if len(word) == 2) for index in (0, 1))
    print(f"{sent} mutated requests, seed {options.seed}, in {seconds:.0f} s; {answered} answers")
    print(f"list of another client: {lists} times, the slowest {slowest * 1000:.0f} ms; daemon's memory at most {most:.0f} MiB")
    if failure is None and slowest > options.patience:
        failure = f"a list took {slowest:.2f} s"
    if failure is None and most > options.memory:
        failure = f"the daemon had {most:.0f} MiB resident"
    if failure is None and sent < options.count:
        failure = "a client ended early"
    print("passed" if failure is None else f"FAILED: {failure}")
    return 0 if failure is None else 1


def _resident(process):
    """MiB; 0 when it is no more."""
    try:
        with open(f"/proc/{process}/status") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0
