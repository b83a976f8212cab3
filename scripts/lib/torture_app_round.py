# SPDX-License-Identifier: Apache-2.0
"""One torture round with an app: 40 tasks of a background session, app, daemon and server killed at any moment."""

import os
import signal
import time

import nginx
import offstage
import processes
import torture_app_checks
import torture_app_plan
import torture_base

# Of one download: the largest file takes about two seconds, so that kills hit the middle.
RATE = 8 << 20
# Launches in which the app may be left to itself until everything has ended.
LAST_LAUNCHES = 3


class AppRound(torture_base.BaseRound):
    def __init__(self, seed, number, pool, directory, binaries, app):
        super().__init__(directory, {"daemon": 0, "app": 0, "both": 0, "server": 0})
        os.makedirs(directory)
        self.server = nginx.Nginx(
            os.path.join(directory, "server"), os.path.join(directory, "files"), limit_rate=RATE, log=True
        )
        self.plan = torture_app_plan.make_plan(seed, number, pool, directory, self.server)
        self.offstage = offstage.Offstage(
            binaries,
            os.path.join(directory, "home"),
            {"connectionsPerHost": 8, "retryBaseDelay": 0.5, "retryMaximumDelay": 1.5},
        )
        self.program = app
        self.folder = os.path.join(directory, "app")
        os.makedirs(self.folder)
        os.makedirs(os.path.join(directory, "targets"), exist_ok=True)
        self.environment = {**self.offstage.environment, "OFFSTAGED": self.offstage.daemon}
        self.app = None

    def perform(self):
        self.server.start()
        self.play()
        self.bring_home()
        self.check()

    def play(self):
        began = time.monotonic()
        for at, what, _ in self.plan.events:
            wait = began + at - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            processes.reap_orphans()
            getattr(self, what.replace(" ", "_"))()

    def launch_app(self):
        if self.app is not None:
            if self.app.poll() is None:
                return
            self.look_at_exit()
        with open(os.path.join(self.directory, "app.out"), "ab") as output:
            self.app = processes.watch(
                processes.start(
                    [self.program, self.folder, os.path.join(self.directory, "plan.json")],
                    env=self.environment, stdout=output, stderr=output,
                )
            )

    def look_at_exit(self):
        if self.app.returncode not in (0, -signal.SIGKILL):
            self.problems.append(f"the app ended with {self.app.returncode}: see {self.directory}/app.out")

    def kill_app(self):
        if self.app is None or self.app.poll() is not None:
            return
        self.app.kill()
        self.app.wait()
        self.kills["app"] += 1

    def kill_both(self):
        daemon = self.offstage.daemon_pid()
        if self.app is None or self.app.poll() is not None or daemon is None:
            return
        for pid in (self.app.pid, daemon):
            os.kill(pid, signal.SIGKILL)
        self.app.wait()
        processes.wait_until(lambda: not processes.is_alive(daemon), 10, "the daemon to end")
        self.kills["both"] += 1

    def kill_server(self):
        if self.server.process is not None:
            self.server.kill()
            self.kills["server"] += 1

    def start_server(self):
        if self.server.process is None:
            self.server.start()

    def bring_home(self):
        """Lets the app run until it has heard of everything, and then once more, when nothing may come."""
        self.start_server()
        for attempt in range(LAST_LAUNCHES):
            self.launch_app()
            self.app.wait(60)
            self.look_at_exit()
            if self.app.returncode == 0:
                break
        else:
            self.problems.append(f"the app was launched {LAST_LAUNCHES} times and did not come to its end")
        before = torture_app_checks.read_app_log(os.path.join(self.folder, "app.log"))
        self.launch_app()
        self.app.wait(60)
        self.look_at_exit()
        after = torture_app_checks.read_app_log(os.path.join(self.folder, "app.log"))
        for call, name in after.calls:
            again = after.calls[call, name][len(before.calls.get((call, name), [])) :]
            if again and name in before.resumed:
                self.problems.append(f"'{call}' came for {name} after everything had ended")

    def check(self):
        log = torture_app_checks.read_app_log(os.path.join(self.folder, "app.log"))
        problems, counts = torture_app_checks.check_app(self.plan.items, log)
        self.problems += problems + torture_app_checks.check_files(self.plan.items, log)
        self.counts = {**counts, "launches": log.launches, "tasks": len(self.plan.items)}
        # The journal of the last launch is deleted once the daemon has noticed its end.
        targets = os.path.join(self.directory, "targets")
        left = lambda: torture_app_checks.leftovers(self.offstage.home, targets, self.plan.items)
        try:
            processes.wait_until(lambda: not left(), 10, "temporary files to go")
        except TimeoutError:
            self.problems += [f"{path} was left behind" for path in left()]

    def clean_up(self):
        if self.app is not None and self.app.poll() is None:
            self.app.kill()
            self.app.wait()
        super().clean_up()
        self.server.stop()
