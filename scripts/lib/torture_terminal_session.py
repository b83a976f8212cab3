# SPDX-License-Identifier: Apache-2.0
"""A terminal (tmux) with a bash and an app in it, while every CPU is busy."""

import os
import shutil
import signal
import subprocess

import offstage
import processes
import torture_stage_app

PATIENCE = 20
TIME = 0.6


class TerminalSession:
    def __init__(self, directory, binaries, program):
        if shutil.which("tmux") is None:
            raise SystemExit("tmux is not installed: scripts/bootstrap does that.")
        self.directory = directory
        os.makedirs(directory)
        self.offstage = offstage.Offstage(
            binaries, os.path.join(directory, "home"), {"backgroundTime": str(TIME)}
        )
        self.environment = {
            **self.offstage.environment,
            "OFFSTAGED": self.offstage.daemon,
            "PROMPT_COMMAND": f"echo prompt >> {directory}/prompts",
            "PS1": "> ",
            "TERM": "screen",
        }
        # A session inside another one's is refused, and a history is nobody's business.
        for name in ("TMUX", "TMUX_PANE", "HISTFILE"):
            self.environment.pop(name, None)
        self.app = torture_stage_app.StageApp("stage", directory, program)
        self.busy = []
        self.answers = 0

    def open(self):
        """Starts everything; the app is in front when this returns."""
        for _ in range(os.cpu_count() or 1):
            self.busy.append(processes.watch(processes.start(["sh", "-c", "while :; do :; done"])))
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "bash --norc --noprofile -i")
        processes.wait_until(lambda: self.prompts() > 0, PATIENCE, "the first prompt")
        self.bash = int(self.ask("echo $$"))
        self.type(f"{self.app.executable} {self.app.folder}")
        self.wait_for_app()
        self.process = self.app.processes()[0]

    def tmux(self, *arguments):
        result = subprocess.run(
            ["tmux", "-S", os.path.join(self.directory, "tmux"), *arguments],
            env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )
        if result.returncode != 0:
            raise RuntimeError(f"tmux {' '.join(arguments)} ended with {result.returncode}: {result.stderr.strip()}")
        return result.stdout

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.press("Enter")

    def ask(self, line):
        """Has bash run a line, and returns what it prints."""
        self.answers += 1
        path = os.path.join(self.directory, f"answer-{self.answers}")
        # Renamed when it is whole: `; ` and not `&&`, since the line may end as it likes.
        self.type(f"{{ {line}; }} > {path}.new 2>&1; mv {path}.new {path}")
        processes.wait_until(lambda: os.path.exists(path), PATIENCE, f"bash to run '{line}'")
        with open(path) as file:
            return file.read().strip()

    def prompts(self):
        """How often bash has shown its prompt."""
        try:
            with open(os.path.join(self.directory, "prompts")) as file:
                return len(file.read().splitlines())
        except FileNotFoundError:
            return 0

    def foreground_group(self):
        """The process group that the terminal belongs to."""
        with open(f"/proc/{self.bash}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[5])

    def is_in_front(self):
        """Whether the app has the terminal, runs, and its delegate was last told that it is active."""
        if not self.app.runs() or self.foreground_group() == self.bash:
            return False
        words = [line.word for line in self.app.lines if line.word in ("active", "resign", "background", "foreground")]
        return bool(words) and words[-1] == "active"

    def wait_for_app(self):
        processes.wait_until(self.is_in_front, PATIENCE, "the app to be in front")

    def wait_for_app_or_prompt(self, prompts):
        """Waits for the app, or for bash to have its terminal back before that; returns whether it has."""
        has_prompt = lambda: self.prompts() > prompts and self.app.is_stopped()
        processes.wait_until(lambda: self.is_in_front() or has_prompt(), PATIENCE, "the app to be in front")
        return not self.is_in_front()

    def wait_for_daemon(self, state):
        """Waits until the daemon says that the app is in a state."""
        def look():
            rows = self.offstage.json("app", "list")["apps"]
            return [row["state"] for row in rows if row["id"] == self.app.id] == [state]

        processes.wait_until(look, PATIENCE, f"the daemon to say that the app is {state}")

    def screen(self):
        try:
            return self.tmux("capture-pane", "-p").rstrip()
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return str(error)

    def close(self):
        try:
            self.tmux("kill-server")
        except (RuntimeError, subprocess.TimeoutExpired):
            # It has gone with its bash.
            pass
        for process in self.busy:
            process.kill()
            process.wait()
        self.busy = []
        try:
            processes.wait_until(lambda: not self.app.processes(), 10, "the app to end with its terminal")
        except TimeoutError:
            for pid in self.app.processes():
                offstage.end(pid, signal.SIGKILL)
            raise
        finally:
            self.offstage.stop_daemon()
            processes.reap_orphans()
