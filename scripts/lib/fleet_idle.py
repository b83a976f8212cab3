#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an idle member costs: statements that its database has logged, its resident memory and its processor time.

    scripts/lib/fleet_idle.py BINARIES [--seconds 90]

Once told of rows by LISTEN, and once with `--polls`, which asks ever more rarely. The bar is one statement in 30 seconds and
16 MiB; the exit code is 1 beyond it, and 77 without PostgreSQL's programs. Memory of a debug build is shown and not judged.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import fleet_database
import offstage
import postgres
import processes

# Seconds from the start until a member that polls asks no more often than any other: after about 2, 4, 8, 16 and 30.
SETTLING = 80
# The server's clock and the member's differ by a little.
PERIOD = 29.9
LARGEST = 16.0


class Machine:
    def __init__(self, binaries, folder, node, key, name, options):
        self.offstage = offstage.Offstage(binaries, os.path.join(folder, name), {})
        self.program = os.path.join(binaries, "offstage-fleet")
        environment = dict(self.offstage.environment, OFFSTAGE_FLEET_DATABASE=node.words("works"))
        subprocess.run([self.program, "join", "--name", name, "--share", folder, "--key", key, *options], env=environment,
                       check=True, capture_output=True, text=True)
        self.process = processes.watch(processes.start([self.program, "member", "run"], env=self.offstage.environment,
                                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def status(self, field):
        with open(f"/proc/{self.process.pid}/status") as file:
            line = next(line for line in file if line.startswith(f"{field}:"))
        return int(line.split()[1])

    def seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.kill()
        self.process.wait()
        subprocess.run([self.offstage.command, "daemon", "stop"], env=self.offstage.environment, capture_output=True)


def statements(node):
    """When the member has asked something, in seconds, and what."""
    found = []
    with open(os.path.join(node.folder, "log"), errors="replace") as file:
        for line in file:
            # Statements have lines of their own that begin otherwise.
            words = line.rstrip().split(" ", 2)
            if len(words) == 3 and words[1] == "works" and ("execute" in words[2] or "statement:" in words[2]):
                found.append((float(words[0]), words[2]))
    return found


def measure(binaries, folder, node, key, name, options, seconds, is_debug):
    machine = Machine(binaries, folder, node, key, name, options)
    try:
        processes.wait_until(lambda: any("offstage.turn" in words for _, words in statements(node)), 30, "the first turn")
        time.sleep(SETTLING)
        before, used = len(statements(node)), machine.seconds()
        time.sleep(seconds)
        # With the last one before: what counts is the time between two.
        asked = statements(node)[max(0, before - 1):]
        shortest = min((later[0] - earlier[0] for earlier, later in zip(asked, asked[1:])), default=seconds)
        resident, peak = machine.status("VmRSS") / 1024, machine.status("VmHWM") / 1024
        print(f"{name}: {len(asked) - 1} statements in {seconds} s, at least {shortest:.1f} s apart, {resident:.1f} MiB resident ({peak:.1f} at most), "
              f"{1000 * (machine.seconds() - used):.0f} ms of processor time, {machine.status('Threads')} thread", flush=True)
        problems = []
        if shortest < PERIOD:
            problems.append(f"{name} asked too often: " + "; ".join(words[:120] for _, words in asked))
        if resident > LARGEST and not is_debug:
            problems.append(f"{name} has {resident:.1f} MiB")
        return problems
    finally:
        machine.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=90)
    options = parser.parse_args()
    if postgres.binaries() is None:
        print("needs PostgreSQL's server: install the Debian package postgresql-15")
        return 77
    processes.adopt_orphans()
    folder = tempfile.mkdtemp(prefix="offstage-fleet-idle.")
    os.chmod(folder, 0o755)
    database = os.path.join(folder, "database")
    os.makedirs(database)
    fleet_database.Node.own(database)
    node = fleet_database.Node(database, "a")
    try:
        node.run("initdb", "-D", node.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        node.configure((*fleet_database.SETTINGS, "log_statement = 'all'", "log_line_prefix = '%n %u '"))
        node.start()
        with node.connect(database="postgres") as admin:
            admin.script("CREATE DATABASE fleet")
        operator = offstage.Offstage(options.binaries, os.path.join(folder, "operator"), {})
        environment = dict(operator.environment, OFFSTAGE_FLEET_DATABASE=node.words())
        for words in (["init"], ["grant", "--create", "member", "works"]):
            subprocess.run([os.path.join(options.binaries, "offstage-fleet"), *words], env=environment, check=True,
                           capture_output=True, text=True)
        key = os.path.join(operator.home, "fleet.key")
        is_debug = os.path.basename(os.path.realpath(options.binaries)) == "debug"
        problems = []
        for name, more in (("told", []), ("polling", ["--polls"])):
            problems += measure(options.binaries, folder, node, key, name, more, options.seconds, is_debug)
        for problem in problems:
            print(problem, file=sys.stderr)
        return 1 if problems else 0
    finally:
        node.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
