# SPDX-License-Identifier: Apache-2.0
"""The emulator of Dropbox as a process of ours, and an account of it for the daemon."""

import hashlib
import json
import os
import re
import subprocess
import urllib.request

import processes

BLOCK = 4 << 20
# Seconds in which it stops, whatever it has to do at the moment.
STOP_LIMIT = 20


class DropboxEmulator:
    """Listens on 127.0.0.1; what it receives is hashed and not kept."""

    def __init__(self, binaries, *arguments):
        self.program = os.path.join(os.path.abspath(binaries), "offstage-dropbox-emulator")
        if not os.access(self.program, os.X_OK):
            raise SystemExit(f"{self.program} is not there: build first (swift build, or swift build -c release).")
        self.arguments = arguments
        self.process = None
        self.url = None

    def start(self):
        self.process = processes.watch(
            processes.start([self.program, "--discard", *self.arguments], stdout=subprocess.PIPE, text=True)
        )
        line = self.process.stdout.readline()
        found = re.fullmatch(r"Listening on (\S+)\n", line)
        if not found:
            raise RuntimeError(f"The emulator of Dropbox does not listen: {line!r}")
        self.url = found[1]

    def stop(self):
        """Ends it; raises TimeoutError for one that had to be killed."""
        process, self.process = self.process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise TimeoutError(f"The emulator of Dropbox did not stop on SIGTERM in {STOP_LIMIT} s.") from None

    def ask(self, path, body=None):
        """Asks a route under `/emulator/`: GET, or POST with a body."""
        data = None if body is None else json.dumps(body).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(f"{self.url}/emulator/{path}", data=data), timeout=30) as answer:
            return json.load(answer)

    def record(self):
        return self.ask("record")

    def set_rules(self, **rules):
        self.ask("rules", rules)

    def set_faults(self, *rules, seed=1):
        self.ask("faults", {"seed": seed, "rules": list(rules)})

    def sign_in(self, home, name="dropbox"):
        """Adds an account to the daemon of an `Offstage`, as a person does who pastes the code."""
        add = [home.command, "account", "add", "dropbox", "--name", name, "--app-key", "app"]
        command = processes.watch(
            processes.start(
                [*add, "--api-url", self.url, "--no-browser"],
                env=home.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        page = None
        while page is None:
            line = command.stdout.readline()
            if not line:
                raise RuntimeError(f"offstage account add ended with {command.wait()}.")
            page = re.search(r"https?://\S+", line)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(page[0], timeout=30) as answer:
            code = re.search(r'id="auth-code">([^<]+)<', answer.read().decode())[1]
        output, _ = command.communicate(code + "\n", timeout=60)
        if command.returncode != 0:
            raise RuntimeError(f"offstage account add ended with {command.returncode}: {output.strip()}")


def content_hash(path):
    """Dropbox's hash of a file, by Python's hashlib: a second opinion."""
    digests = b""
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            digests += hashlib.sha256(block).digest()
    return hashlib.sha256(digests).hexdigest()


def make_file(path, size, rng):
    """Writes random content that the generator's seed repeats."""
    with open(path, "wb") as file:
        for offset in range(0, size, BLOCK):
            file.write(rng.randbytes(min(BLOCK, size - offset)))
