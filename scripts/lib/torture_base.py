# SPDX-License-Identifier: Apache-2.0
"""What a torture round of any kind has: what it counts, the problems that it finds, and an end that leaves nothing behind."""

import subprocess

import processes
import torture_states

# What a round reports as a problem; anything else is a mistake of its own, and ends the torture.
TROUBLES = (TimeoutError, subprocess.TimeoutExpired, RuntimeError, KeyError, ValueError, OSError)


class BaseRound:
    """A round performs what its kind is about, and is cleaned up whatever happened."""

    troubles = TROUBLES

    def __init__(self, directory, kills):
        self.directory = directory
        self.offstage = None
        # How often each of these was killed.
        self.kills = kills
        # For each kill of the daemon: {state: transfers in it}.
        self.hits = []
        self.counts = {}
        self.times = {}
        self.problems = []

    def run(self):
        """Returns the problems found; an empty list is a success."""
        try:
            self.perform()
        except self.troubles as error:
            self.problems.append(f"{type(error).__name__}: {error}")
            self.describe()
        finally:
            self.clean_up()
        return self.problems

    def describe(self):
        """Adds to the problems what helps to understand the trouble that ended the round."""

    def kill_daemon(self):
        """Returns whether there was a daemon to kill."""
        states = torture_states.kill_and_look(self.offstage)
        if states is None:
            return False
        self.kills["daemon"] += 1
        hit = {}
        for state in states.values():
            hit[state] = hit.get(state, 0) + 1
        self.hits.append(hit)
        return True

    def clean_up(self):
        """Stops what the round has started. A kind that starts more than a daemon stops it before or after."""
        self.stop_daemon()
        processes.reap_orphans()

    def stop_daemon(self):
        try:
            self.offstage.stop_daemon()
        except TimeoutError as error:
            self.problems.append(f"the daemon did not stop on SIGTERM: {error}")
