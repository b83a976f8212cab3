# SPDX-License-Identifier: Apache-2.0
"""The users, places and environments of scripts/environments, and what a user may expect in each of them."""

import os
import re
import shutil
import signal
import stat
import subprocess
import time

import campaign_server
import processes

# Seconds after which what has not happened does not happen any more.
PATIENCE = 40
USERS = {"anna": 4001, "ben": 4002}
PROGRAMS = "/home/programs"
# What users of `su`, cron and a desktop find in their environment.
_PATH = f"{PROGRAMS}:/usr/bin:/bin"
# All waits are a hundredth of the usual ones (docs/settings.md): ten minutes are six seconds.
SETTINGS = '{"retryBaseDelay": 0.01, "retryMaximumDelay": 3}'
SECONDS_OF_TEN_MINUTES = 6


class Result:
    """What a command did."""

    def __init__(self, arguments, process):
        self.arguments, self.status = arguments, process.returncode
        self.stdout, self.stderr = process.stdout or "", process.stderr or ""

    def __str__(self):
        said = " / ".join((self.stdout[-400:] + self.stderr[-600:]).strip().splitlines())
        return f"`{self.arguments}` ended with {self.status}: {said}"


class Stage:
    """A fresh home and runtime folder for each user, and a server. Runs as root in namespaces of its own."""

    def __init__(self, server):
        self.server = server
        self.problems = []
        self._started = []
        server.reset()
        server.pace = 0.02
        for name, number in USERS.items():
            self._clean_up(number)
            self.make_folder(self.home(name), number, 0o700)
            self.make_folder(self.runtime(name), number, 0o700)
            folder = self.home(name) + "/.config/offstage"
            self.make_folder(self.home(name) + "/.config", number, 0o700)
            self.make_folder(folder, number, 0o700)
            self.write(folder + "/settings.json", SETTINGS, number)

    # Places.

    def home(self, user="anna"):
        return f"/home/{user}"

    def runtime(self, user="anna"):
        return f"/run/user/{USERS[user]}"

    def make_folder(self, path, owner, mode):
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        os.chmod(path, mode)
        os.chown(path, owner, owner)

    def write(self, path, text, owner=USERS["anna"]):
        with open(path, "w") as file:
            file.write(text)
        os.chown(path, owner, owner)
        return path

    # Environments. Each is a function of a user and a command line for the shell, and gives an argument vector and variables.

    def session(self, user, line):
        return self._as(user, line), self._login(user) | {"XDG_RUNTIME_DIR": self.runtime(user), "TERM": "dumb"}

    def cron(self, user, line):
        """As crontab(5) says: HOME, LOGNAME, SHELL and a short PATH, no terminal, and a session of its own."""
        variables = {"HOME": self.home(user), "LOGNAME": user, "SHELL": "/bin/sh", "PATH": _PATH}
        return ["/usr/bin/setsid", "--wait", *self._as(user, line)], variables

    def ssh(self, user, line):
        """A log-in without pam_systemd: no XDG_RUNTIME_DIR."""
        return self._as(user, line), self._login(user)

    def su(self, user, line):
        """Root's session, from which root became the user: root's runtime folder is still named."""
        return ["/bin/su", user, "-c", line], self._root()

    def su_login(self, user, line):
        return ["/bin/su", "-", user, "-c", f"PATH={_PATH}; {line}"], self._root()

    def stale(self, user, line):
        """A shell that outlived its session, as in tmux: the runtime folder that it names is gone."""
        return self._as(user, line), self._login(user) | {"XDG_RUNTIME_DIR": "/run/user/gone"}

    def _root(self):
        return {"HOME": "/root", "USER": "root", "LOGNAME": "root", "SHELL": "/bin/sh", "PATH": _PATH, "XDG_RUNTIME_DIR": "/run/user/0"}

    def _login(self, user):
        return {"HOME": self.home(user), "USER": user, "LOGNAME": user, "SHELL": "/bin/bash", "PATH": _PATH, "LANG": "C.UTF-8"}

    def _as(self, user, line):
        number = USERS[user]
        return ["/usr/bin/setpriv", f"--reuid={number}", f"--regid={number}", "--clear-groups", "/bin/sh", "-c", line]

    # Commands.

    def run(self, environment, line, user="anna", umask=0o022, timeout=PATIENCE, **variables):
        """Runs a line in the user's home, and looks at what nobody may ever see."""
        arguments, environment = environment(user, line)
        environment = {**environment, **variables, **self._libraries()}
        try:
            process = subprocess.run(
                arguments, env=environment, cwd=self.home(user), umask=umask, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, errors="replace", timeout=timeout,
            )
        except subprocess.TimeoutExpired as error:
            process = subprocess.CompletedProcess(arguments, -1, "", f"still ran after {timeout} s: {error.output!r}")
        result = Result(line, process)
        self.check(process.returncode >= 0 and process.returncode not in (132, 133, 134, 139), "a crash or a hang", result)
        return result

    def start(self, environment, line, user="anna", **variables):
        """Starts a line without waiting for it."""
        arguments, environment = environment(user, line)
        process = processes.start(
            arguments, env={**environment, **variables, **self._libraries()}, cwd=self.home(user),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )
        self._started.append(processes.watch(process))
        return process

    def finish(self, process, line, timeout=PATIENCE):
        """Waits for what `start` started."""
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            self.problems.append(f"`{line}` still ran after {timeout} s: {errors[-400:]}")
        return Result(line, subprocess.CompletedProcess(line, process.returncode, output, errors))

    def _libraries(self):
        return {"LD_LIBRARY_PATH": os.environ["LD_LIBRARY_PATH"]} if "LD_LIBRARY_PATH" in os.environ else {}

    # Expectations.

    def check(self, condition, what, result=""):
        if not condition:
            self.problems.append(f"{what}: {result}")
        return bool(condition)

    def expect(self, result, status=0, says=None):
        """The status, and a pattern that what was said contains."""
        allowed = status if isinstance(status, tuple) else (status,)
        self.check(result.status in allowed, f"the status {status} was right", result)
        if says is not None:
            text = " ".join((result.stdout + "\n" + result.stderr).split())
            self.check(re.search(says, text, re.IGNORECASE), f"/{says}/ was missing", result)
        return result

    def expect_sentence(self, result, status, says):
        """A failure: one sentence that ends as sentences do."""
        self.expect(result, status, says)
        lines = [line for line in result.stderr.strip().splitlines() if line]
        self.check(lines and lines[-1][-1:] in ".:)?", "a whole sentence was missing", result)
        return result

    def expect_file(self, path, name, size, mode=None):
        """A file that has arrived whole."""
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError as error:
            self.problems.append(f"{path} has not arrived: {error}")
            return
        self.check(content == campaign_server.content_of(name, size), f"{path} is not what was sent", f"{len(content)} bytes")
        if mode is not None:
            found = stat.S_IMODE(os.stat(path).st_mode)
            self.check(found == mode, f"{path} should have the mode {mode:o}", f"{found:o}")

    def expect_gone(self, path):
        self.check(not os.path.exists(path), f"{path} is there")

    def url(self, kind, size, name):
        return f"{self.server.url}/{kind}/{size}/{name}"

    def daemons(self, user="anna"):
        """The processes of a user that are daemons."""
        found = []
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.stat(f"/proc/{name}").st_uid == USERS[user]:
                    with open(f"/proc/{name}/comm") as file:
                        if file.read().strip() == "offstaged" and processes.is_alive(int(name)):
                            found.append(int(name))
            except OSError:
                continue
        return found

    def end(self):
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        for number in USERS.values():
            self._clean_up(number)

    def _clean_up(self, number):
        """Ends what a user runs: in this process namespace nobody but the scenarios has started any."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            alive = [int(name) for name in os.listdir("/proc") if name.isdigit() and _is_of(int(name), number)]
            if not alive:
                return
            for pid in alive:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            processes.reap_orphans()
            time.sleep(0.01)


def _is_of(pid, number):
    try:
        return os.stat(f"/proc/{pid}").st_uid == number and processes.is_alive(pid)
    except OSError:
        return False
