# SPDX-License-Identifier: Apache-2.0
"""How often a daemon that has nothing to do wakes all the same."""

import os
import time


def watch(report, pid, seconds, name, settle):
    time.sleep(settle)
    before = switches_by_thread(pid)
    time.sleep(seconds)
    after = switches_by_thread(pid)
    grown = {thread: after[thread] - before.get(thread, 0) for thread in after if after[thread] != before.get(thread, 0)}
    report.case(name, seconds=seconds, switches=grown)
    if grown:
        print(f"    by thread: {grown}")
    report.verdict(f"{name}: wake-ups of the daemon", sum(grown.values()), 0, f" in {seconds} s")


def switches_by_thread(pid):
    """Voluntary context switches of each thread, by its name and number: what ends a wait, and goes back to it."""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        found[f"{fields['Name'].strip()} {task}"] = int(fields["voluntary_ctxt_switches"])
    return found
