# SPDX-License-Identifier: Apache-2.0
"""One torture round of the terminal: Ctrl-Z, what bash does with its prompt, and fg, with every CPU busy."""

import math
import random
import signal
import time

import offstage
import processes
import torture_base
import torture_terminal_session

# Rounds that share a terminal.
SHARED = 25

# What bash is asked between Ctrl-Z and fg, and the answer that it gives when job control is in order.
_QUESTIONS = (
    ("echo one two | cat | wc -w", "2"),
    ("(exit 7); echo $?", "7"),
    ("sleep 60 & kill $!; wait $! 2>/dev/null; echo $?", "143"),
    ("jobs -p", None),
    ("stty -a < /dev/tty | grep -c isig", "1"),
    ("", None),
)


class TerminalRound(torture_base.BaseRound):
    session = None

    def __init__(self, seed, number, directory, binaries, program, is_last):
        self.rng = random.Random(f"{seed}/terminal/{number}")
        super().__init__(directory, {})
        self.number = number
        self.binaries = binaries
        self.program = program
        self.is_last = is_last
        self.is_over = False

    def perform(self):
        if TerminalRound.session is None:
            TerminalRound.session = torture_terminal_session.TerminalSession(
                self.directory, self.binaries, self.program
            )
            TerminalRound.session.open()
        self.play(TerminalRound.session)
        if self.is_last or self.number % SHARED == 0:
            self.say_goodbye(TerminalRound.session)
            self.is_over = True

    def play(self, session):
        rng = self.rng
        app = session.app
        app.order(rng.choice(("", "hold 0.05", "hold 0.3", "late", "churn 10")))
        self.rest(rng.uniform(0, 0.05))
        prompts, backgrounds = session.prompts(), app.count("background")
        is_hasty = rng.random() < 0.1
        began = time.monotonic()
        session.press("C-z")
        if is_hasty:
            # Typed before the shell has its prompt.
            session.type("fg %1")
        processes.wait_until(
            lambda: session.prompts() > prompts, torture_terminal_session.PATIENCE, "the prompt after Ctrl-Z"
        )
        self.times["prompt"] = time.monotonic() - began
        if not is_hasty:
            self.stay_behind(session, backgrounds)
        has_stopped = app.is_stopped()
        self.counts["fg of a stopped app" if has_stopped else "fg of a running app"] = 1
        began = time.monotonic()
        prompts = session.prompts()
        if not is_hasty:
            session.type("fg %1")
        if session.wait_for_app_or_prompt(prompts):
            # The daemon's order to stop had been given in just that moment: bash says "Stopped", and one types it again.
            self.counts["fg that met the order to stop"] = 1
            session.type("fg %1")
        session.wait_for_app()
        self.times["return"] = time.monotonic() - began
        session.wait_for_daemon("active")
        if app.processes() != [session.process]:
            self.problems.append(f"the app was process {session.process} and is {app.processes()}")
        # It may have been on its way to background behind fg's back.
        session.wait_for_app()

    def stay_behind(self, session, backgrounds):
        """What happens while the shell has the terminal."""
        rng = self.rng
        if session.foreground_group() != session.bash:
            self.problems.append(f"the terminal belongs to {session.foreground_group()} at the prompt, not to bash")
        self.ask(session, rng)
        if rng.random() < 0.2:
            session.ask("bg %1")
        if rng.random() < 0.05 and (daemon := session.offstage.daemon_pid()) is not None:
            offstage.end(daemon, signal.SIGKILL)
            self.kills["daemon"] = 1
        if rng.random() < 0.8:
            session.app.wait_for("background", backgrounds, torture_terminal_session.PATIENCE)
            longest = torture_terminal_session.TIME * 2
            self.rest(rng.choice((math.exp(rng.uniform(math.log(0.001), math.log(longest))), rng.uniform(0, longest))))

    def ask(self, session, rng):
        question, answer = rng.choice(_QUESTIONS)
        if not question:
            return
        got = session.ask(question)
        if question == "jobs -p":
            answer = str(session.process)
        # Bash tells of jobs that have changed beside what was asked.
        if answer not in got.splitlines():
            self.problems.append(f"bash answers '{question}' with '{got}', not '{answer}'")

    def rest(self, seconds):
        time.sleep(seconds)

    def say_goodbye(self, session):
        """Ctrl-C ends the app as the system does, and the shell goes on."""
        count = session.app.count("terminate")
        prompts = session.prompts()
        session.press("C-c")
        session.app.wait_for("terminate", count)
        processes.wait_until(lambda: session.prompts() > prompts, 20, "the prompt after Ctrl-C")
        if session.ask("echo here") != "here":
            self.problems.append("bash does not answer after Ctrl-C")

    def describe(self):
        self.is_over = True
        session = TerminalRound.session
        if session is None:
            return
        letters = {pid: processes.state_of(pid) for pid in session.app.processes()}
        self.problems.append(f"processes of the app: {letters}, its last lines: {session.app.lines[-5:]}")
        self.problems += [f"| {line}" for line in session.screen().splitlines()]

    def clean_up(self):
        """The terminal is left to the rounds that share it."""
        if self.is_over:
            self.close()

    def close(self):
        session, TerminalRound.session = TerminalRound.session, None
        if session is None:
            return
        try:
            session.close()
        except self.troubles as error:
            self.problems.append(f"{type(error).__name__}: {error}")
