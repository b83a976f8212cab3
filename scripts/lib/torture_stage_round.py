# SPDX-License-Identifier: Apache-2.0
"""One torture round of the stage: apps sent to background and back, the daemon killed in the middle of what it does."""

import json
import os
import signal
import subprocess
import time

import nginx
import offstage
import processes
import torture_base
import torture_stage_app
import torture_stage_checks
import torture_stage_look
import torture_stage_plan

# Seconds within which an app has come where it belongs.
PATIENCE = 20


class StageRound(torture_base.BaseRound):
    def __init__(self, seed, number, directory, binaries, program):
        super().__init__(directory, {"daemon": 0})
        os.makedirs(directory)
        size = 1 << 19
        self.server = nginx.Nginx(
            os.path.join(directory, "server"),
            os.path.join(directory, "files"),
            # What a second allows is sent at once.
            limit_rate=size // (torture_stage_plan.FETCH_SECONDS + 1),
        )
        with open(os.path.join(self.server.root, "file"), "wb") as file:
            file.write(os.urandom(size))
        self.plan = torture_stage_plan.make_plan(seed, number)
        self.offstage = offstage.Offstage(
            binaries,
            os.path.join(directory, "home"),
            {"backgroundTime": str(torture_stage_plan.TIME), "retryBaseDelay": 0.5, "retryMaximumDelay": 1.5},
        )
        self.offstage.environment["OFFSTAGED"] = self.offstage.daemon
        self.apps = [
            torture_stage_app.StageApp(f"stage{index}", directory, program)
            for index in range(torture_stage_plan.APPS)
        ]
        self.fetched = 0
        # Seconds that a command takes until the daemon hears of it, learnt from others.
        self.lead = 0.0
        self.commands = []
        # On the boot-time clock.
        self.daemon_deaths = []
        # [(aimed at, phase that was hit)]
        self.phases = []

    def perform(self):
        self.server.start()
        for app in self.apps:
            self.offstage.run("app", "install", app.bundle, "--", app.folder)
        for step in self.plan:
            self.play(step)
        self.bring_home()
        self.check()

    def play(self, step):
        processes.reap_orphans()
        app = self.apps[step.app]
        command = getattr(self, f"aim_at_{step.aim}")(app, step)
        if step.other is not None:
            self.start(step.other[1], self.apps[step.other[0]])
        # Not a pause in which the round sleeps: the moment is what it is about.
        self.wait_until_time(self.moment)
        self.kill_daemon(step.aim, app)
        is_promised = command is not None and command.poll() == 0
        time.sleep(step.pause)
        self.expect_rest(app, step, is_promised)

    # MARK: What is aimed at; each sets the moment of the daemon's death.

    def aim_at_launch(self, app, step):
        self.bring(app, "terminated")
        app.order(step.orders)
        return self.start_and_aim(step, app)

    def aim_at_stop(self, app, step):
        self.bring(app, "active")
        app.order(step.orders)
        word = "end" if step.orders else "background"
        count = app.count(word)
        command = self.start("background", app)
        app.wait_for(word, count)
        self.moment = time.monotonic() + step.delay
        return command

    def aim_at_continue(self, app, step):
        if step.way != "wake":
            self.bring(app, "suspended")
            app.order(step.orders)
            return self.start_and_aim(step, app)
        self.bring(app, "terminated")
        self.fetched += 1
        name = f"file-{self.fetched}"
        os.link(os.path.join(self.server.root, "file"), os.path.join(self.server.root, name))
        app.order(f"fetch {self.server.url}/{name}", step.orders)
        count = app.count("resumed")
        self.offstage.run("app", "launch", app.id)
        app.wait_for("resumed", count)
        count = app.count("events")
        command = self.start("background", app)
        app.wait_for("events", count)
        self.moment = time.monotonic() + step.delay / 10
        return command

    def aim_at_expiry(self, app, step):
        self.send_away(app, step, torture_stage_plan.TIME - torture_stage_plan.WARNING)

    def aim_at_kill(self, app, step):
        if step.way == "never":
            self.send_away(app, step, torture_stage_plan.TIME)
            return None
        self.bring(app, "suspended")
        return self.start_and_aim(step, app)

    def send_away(self, app, step, seconds):
        """To background, for the daemon to die so many seconds after the call, more or less."""
        self.bring(app, "active")
        app.order(step.orders)
        count = app.count("background")
        self.start("background", app)
        line = app.wait_for("background", count)
        self.moment = time.monotonic() + (line.at - torture_stage_app.now()) + seconds + step.delay

    # MARK: Steps

    def start(self, verb, app):
        """Gives a command and does not wait for it."""
        words = verb.split()
        target = () if words[0] == "pressure" else ("--no-wait", app.id)
        command = self.offstage.start(
            "app", *words, *target, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.commands.append(command)
        return command

    def start_and_aim(self, step, app):
        """Gives a command, for the daemon to die so many seconds after it has heard of it, more or less."""
        self.moment = time.monotonic() + self.lead * step.share + step.delay
        return self.start(step.way, app)

    def wait_until_time(self, moment):
        wait = moment - time.monotonic()
        if wait > 0:
            time.sleep(wait)

    def kill_daemon(self, aim, app):
        phase = torture_stage_look.kill_and_look(self.offstage, app)
        if phase is not None:
            self.daemon_deaths.append(torture_stage_app.now())
            self.kills["daemon"] += 1
            self.phases.append((aim, phase))

    def bring(self, app, state):
        """Brings an app to a state, by hand."""
        self.end_commands()
        app.order("")
        if state == "terminated":
            self.offstage.run("app", "terminate", app.id, check=False)
            processes.wait_until(lambda: not app.processes(), PATIENCE, f"{app.name} to end")
            return
        self.offstage.run("app", "launch", app.id)
        processes.wait_until(app.runs, PATIENCE, f"{app.name} to run")
        if state == "suspended":
            self.suspend(app)

    def suspend(self, app):
        """To background, with nothing left to do there.

        One that was brought back to the front while it held a task that it never ends still holds it: it is killed for
        that, as it should be, and launched once more.
        """
        kills = self.kills_for_time(app)
        self.offstage.run("app", "background", app.id)
        self.wait_for_state(app, "suspended", "terminated")
        if self.row(app)["state"] == "terminated":
            if self.kills_for_time(app) == kills:
                raise RuntimeError(f"{app.name} has ended instead of being suspended: {self.describe(app)}")
            self.offstage.run("app", "launch", app.id)
            processes.wait_until(app.runs, PATIENCE, f"{app.name} to run again")
            self.offstage.run("app", "background", app.id)
            self.wait_for_state(app, "suspended")

    def kills_for_time(self, app):
        entries = self.offstage.json("app", "log", "--all", app.id)["entries"]
        return sum(entry["event"] == "killed" and entry.get("cause") == "backgroundTimeOver" for entry in entries)

    def end_commands(self):
        for command in self.commands:
            command.wait(60)
        self.commands = []

    def row(self, app):
        began = time.monotonic()
        rows = self.offstage.json("app", "list")["apps"]
        # Start, connection and answer; a daemon that had to be started first is not what is measured.
        self.lead = min(self.lead or 1, time.monotonic() - began)
        return next((row for row in rows if row["id"] == app.id), None)

    def wait_for_state(self, app, *states):
        try:
            return processes.wait_until(lambda: self.agrees(app, states), PATIENCE, "")
        except TimeoutError:
            raise TimeoutError(f"{app.name} has not come to be {' or '.join(states)}: {self.describe(app)}") from None

    def agrees(self, app, states):
        """Whether the daemon says that the app is in one of the states, and the kernel shows the same."""
        processes.reap_orphans()
        row = self.row(app)
        if row is None or row["state"] not in states:
            return False
        if row["state"] == "terminated":
            return not app.processes()
        return app.is_stopped() if row["state"] == "suspended" else app.runs()

    def describe(self, app):
        letters = {pid: processes.state_of(pid) for pid in app.processes()}
        return f"the daemon says {json.dumps(self.row(app))}, its processes are {letters}"

    def expect_rest(self, app, step, is_promised):
        """After the daemon's death the app comes to rest, where it was sent if that had been promised."""
        if self.row(app) is None:
            raise RuntimeError(f"{app.name} is not registered any more")
        foreground = ("launch", "foreground")
        if is_promised and step.way in foreground:
            self.wait_for_state(app, "active")
        elif is_promised and step.way in ("terminate", "quit --keep-transfers"):
            self.wait_for_state(app, "terminated")
        else:
            self.wait_for_state(app, "active", "suspended", "terminated")

    def bring_home(self):
        """Every app comes to the front, hears of its fetches, can be sent away once more, and ends."""
        self.end_commands()
        for app in self.apps:
            app.order("")
            self.offstage.run("app", "foreground", app.id)
            self.wait_for_state(app, "active")
            count = lambda word: len({line.rest for line in app.lines if line.word == word})
            processes.wait_until(
                lambda: count("completed") >= count("resumed"), PATIENCE, f"the fetches of {app.name} to end"
            )
            self.suspend(app)
            self.offstage.run("app", "terminate", app.id)
            self.wait_for_state(app, "terminated")

    def check(self):
        for aim, phase in self.phases:
            self.counts[f"{aim} > {phase}"] = self.counts.get(f"{aim} > {phase}", 0) + 1
        self.counts |= {"entries": 0, "launches": 0, "kills": 0, "wakes": 0, "fetches": self.fetched}
        for app in self.apps:
            entries = self.offstage.json("app", "log", "--all", app.id)["entries"]
            self.problems += torture_stage_checks.check_log(app)
            self.problems += torture_stage_checks.check_story(app, entries, self.daemon_deaths)
            self.problems += torture_stage_checks.check_fetches(app)
            self.counts["entries"] += len(entries)
            self.counts["launches"] += app.count("launched")
            self.counts["kills"] += sum(entry["event"] == "killed" for entry in entries)
            self.counts["wakes"] += app.count("events")

    def clean_up(self):
        for command in self.commands:
            if command.poll() is None:
                command.kill()
                command.wait()
        self.stop_daemon()
        # Whatever of its apps is left, of this round alone: they are known by the round's own executables.
        for app in self.apps:
            for pid in app.processes():
                self.problems += [] if self.problems else [f"process {pid} of {app.name} was left behind"]
                offstage.end(pid, signal.SIGKILL)
        # An app that was still there may have started another daemon.
        self.offstage.stop_daemon()
        self.server.stop()
        processes.reap_orphans()
