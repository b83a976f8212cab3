#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs Swift tests, passes on what they print, and ends them when they have been silent for too long.

A test that hangs would otherwise hold up everything behind it, and leave nobody anything to look at. Before the tests are
ended it is said which of them have begun and not ended, and what runs below them.

Usage: watched_tests.py [--silence SECONDS] COMMAND ...
Exits as the command does, or with 124 if it was ended here.
"""

import argparse
import glob
import os
import re
import select
import signal
import subprocess
import sys
import time

import processes

_BEGUN = re.compile(r'◇ Test (?!run )(?:case passing (?P<case>.+) to )?(?P<name>"[^"]+"|[^" ]+) started\.$')
_ENDED = re.compile(r"\S Test (?!run )(?P<name>.+?) (?:(?:with \d+ test cases? )?(?:passed|failed) after |skipped)")


class OpenTests:
    """The tests that have begun and not ended, by what Swift Testing prints of them."""

    def __init__(self):
        # {test: the cases of it that have begun}; the end of a case is not printed.
        self.cases = {}

    def read(self, line):
        begun = _BEGUN.match(line)
        if begun:
            cases = self.cases.setdefault(begun["name"], [])
            if begun["case"]:
                cases.append(begun["case"])
            return
        ended = _ENDED.match(line)
        if ended:
            self.cases.pop(ended["name"], None)


def tree(pid):
    """The processes below one, each with its state and what it waits for in the kernel."""
    for child in children(pid):
        words = _read(f"/proc/{child}/cmdline").replace("\0", " ").strip()
        yield child, f"{child} {processes.state_of(child)} {_read(f'/proc/{child}/wchan')} {words[:200]}"
        yield from tree(child)


def children(pid):
    """Those of all its threads."""
    return [int(word) for path in glob.glob(f"/proc/{pid}/task/*/children") for word in _read(path).split()]


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def end(command):
    """Ends what runs below the command, the lowest first, and then itself."""
    for pid in [*reversed([pid for pid, _ in tree(command.pid)]), command.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--silence", type=float, default=600, help="seconds without a line (600)")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()

    command = processes.start(arguments.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tests = OpenTests()
    rest = b""
    heard = time.monotonic()
    while True:
        ended = command.poll() is not None
        readable, _, _ = select.select([command.stdout], [], [], 0 if ended else 1)
        piece = os.read(command.stdout.fileno(), 1 << 16) if readable else b""
        if piece:
            heard = time.monotonic()
            sys.stdout.buffer.write(piece)
            sys.stdout.flush()
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                tests.read(line.decode("utf-8", "replace"))
        elif readable or ended:
            # Whoever outlives the tests and keeps their output open is not waited for.
            return exit_code(command.wait())
        elif time.monotonic() - heard > arguments.silence:
            say_what_hangs(command, tests, arguments.silence)
            end(command)
            return 124


def say_what_hangs(command, tests, silence):
    print(f"\nNo test has begun or ended for {silence:g} s: the tests are ended. Under way:")
    for name, cases in tests.cases.items():
        print(f"   {name}" + (f", {len(cases)} cases, the last {cases[-1]}" if cases else ""))
    print("What runs below them (process, state, waits in, command):")
    for _, line in tree(command.pid):
        print(f"   {line}")
    sys.stdout.flush()


def exit_code(status):
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
