# SPDX-License-Identifier: Apache-2.0
"""One torture round: 50 transfers, and whatever moves them killed at any moment."""

import os
import random
import subprocess
import time

import nginx
import offstage
import processes
import torture_base
import torture_checks
import torture_plan

# Of one download, and given to each upload: the largest file takes about two seconds, so that kills hit the middle.
RATE = 32 << 20


class CommandRound(torture_base.BaseRound):
    def __init__(self, seed, number, pool, directory, binaries):
        super().__init__(directory, {"daemon": 0, "command": 0, "server": 0})
        self.number = number
        os.makedirs(directory)
        self.server = nginx.Nginx(
            os.path.join(directory, "server"), os.path.join(directory, "files"), limit_rate=RATE, log=True
        )
        self.plan = torture_plan.make_plan(seed, number, pool, directory, self.server.root)
        self.offstage = offstage.Offstage(
            binaries,
            os.path.join(directory, "home"),
            {"connectionsPerHost": 8, "retryBaseDelay": 0.5, "retryMaximumDelay": 1.5},
        )
        self.rng = random.Random(f"{seed}/{number}/choices")
        self.commands = []
        self.outputs = []
        self.server_kills = []

    def perform(self):
        self.server.start()
        self.play()
        self.bring_home()
        self.check()

    def play(self):
        began = time.monotonic()
        for at, what, argument in self.plan.events:
            wait = began + at - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            processes.reap_orphans()
            getattr(self, what.replace(" ", "_"))(*(() if argument is None else (argument,)))

    def hand_over(self, argument):
        indexes, follows = argument
        for is_upload in (True, False):
            items = [self.plan.items[index] for index in indexes if self.plan.items[index].is_upload == is_upload]
            if items:
                self.submit(items, follows)

    def submit(self, items, follows):
        detach = [] if follows else ["--detach"]
        if items[0].is_upload:
            arguments = ["upload", *detach, "--limit-rate", str(RATE), *(item.origin for item in items)]
            arguments.append(self.server.url + "/in/")
            self.start_command(arguments)
            return
        if len(items) == 1:
            item = items[0]
            checksum = ["--checksum", f"sha256:{item.sha256}"] if item.checked else []
            self.start_command(
                ["download", *detach, *checksum, "-o", item.target, self.server.url + item.uri]
            )
            return
        urls = [self.server.url + item.uri for item in items]
        self.start_command(["download", *detach, "--output-dir", os.path.dirname(items[0].target), *urls])

    def start_command(self, arguments):
        path = os.path.join(self.directory, f"command-{len(self.outputs):03}.out")
        self.outputs.append(path)
        with open(path, "wb") as output:
            output.write(f"$ offstage {' '.join(arguments)}\n".encode())
            output.flush()
            self.commands.append(self.offstage.start(*arguments, stdout=output, stderr=output))

    def kill_daemon(self):
        if not super().kill_daemon():
            return
        # A command that follows starts the next daemon; where none does, this one does.
        if not any(command.poll() is None for command in self.commands):
            self.start_command(["list"])

    def kill_command(self, choice):
        alive = [command for command in self.commands if command.poll() is None]
        if not alive:
            return
        victim = alive[int(choice * len(alive))]
        victim.kill()
        victim.wait()
        self.kills["command"] += 1
        identifiers = sorted(self.acknowledged_ids())
        if identifiers:
            self.start_command(["wait", *map(str, identifiers)])

    def kill_server(self):
        if self.server.process is None:
            return
        self.server.kill()
        self.server_kills.append(time.time())
        self.kills["server"] += 1

    def start_server(self):
        if self.server.process is None:
            self.server.start()

    def pause(self, index):
        self.act("pause", index)

    def resume(self, index):
        self.act("resume", index)

    def act(self, verb, index):
        """Pauses or resumes; the transfer may have finished, or not have been handed over yet."""
        url = self.server.url + self.plan.items[index].uri
        for row in self.offstage.rows():
            if row["url"] == url and row["state"] != "finished":
                self.offstage.run(verb, str(row["id"]), check=False)

    def acknowledged_ids(self):
        """Ids that a command printed when it handed over: from then on nothing may be lost."""
        found = set()
        for path in self.outputs:
            with open(path, errors="replace") as file:
                found |= offstage.acknowledged_ids(file.read())
        return found

    def bring_home(self):
        """Hands over again what was never accepted, lets everything go on and waits for the end of it."""
        self.start_server()
        deadline = time.monotonic() + 30
        for command in self.commands:
            if any(argument == "--detach" for argument in command.args):
                command.wait(max(1, deadline - time.monotonic()))
        listed = {row["url"] for row in self.offstage.rows()}
        missing = [item for item in self.plan.items if self.server.url + item.uri not in listed]
        self.counts["handed over again"] = len(missing)
        for item in missing:
            self.submit([item], follows=False)
            self.commands[-1].wait(30)
        rows = self.offstage.rows()
        for row in rows:
            if row["state"] == "paused":
                self.offstage.run("resume", str(row["id"]))
        try:
            self.offstage.run("wait", *(str(row["id"]) for row in rows), check=False, timeout=60)
        except subprocess.TimeoutExpired:
            stuck = [row for row in self.offstage.rows() if row["state"] != "finished"]
            for row in stuck:
                self.problems.append(f"transfer {row['id']} is stuck, {row['state']}: {row['reason']['summary']}")
            if not stuck:
                self.problems.append("everything has ended, but 'offstage wait' has not")
            with open(os.path.join(self.directory, "stuck.txt"), "w") as file:
                file.write(self.offstage.run("show", *(str(row["id"]) for row in stuck or rows), check=False))

    def check(self):
        rows = self.offstage.rows()
        self.problems += torture_checks.check_records(
            self.plan.items, rows, self.server.url, self.acknowledged_ids()
        )
        self.problems += torture_checks.check_files(self.plan.items, self.directory)
        finished = {
            row["url"].removeprefix(self.server.url): torture_checks.moment_of(row["finishedAt"])
            for row in rows
            if row.get("finishedAt") is not None
        }
        if len(finished) == len(self.plan.items):
            entries = torture_checks.read_log(self.server.access_log)
            problems, counts = torture_checks.check_log(self.plan.items, entries, finished, self.server_kills)
            self.problems += problems
            self.counts.update(counts)

    def clean_up(self):
        deadline = time.monotonic() + 10
        for command in self.commands:
            # Everything has ended, so whoever follows it ends by itself; one that does not is a finding.
            try:
                command.wait(max(0.01, deadline - time.monotonic()))
            except Exception:
                command.kill()
                command.wait()
                if not self.problems:
                    self.problems.append(f"'offstage {' '.join(command.args[1:])}' did not end")
        super().clean_up()
        self.server.stop()
