# SPDX-License-Identifier: Apache-2.0
"""tus servers that others wrote, from PyPI, each in a virtual environment below the build folder, and bound to loopback."""

import http.client
import os
import subprocess
import sys
import urllib.parse

import processes

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# tuspyserver is a router for an application of FastAPI: this is the whole application.
TUSPYSERVER = """
import sys
from fastapi import FastAPI
from tuspyserver import create_tus_router
import uvicorn
app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=sys.argv[1], max_size=1 << 40))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
"""


class Missing(Exception):
    """A server that cannot be installed here, and why."""


def environment(name, packages):
    """The Python of a virtual environment with these packages: made once, kept in the build folder."""
    folder = os.path.join(HERE, ".build", "python", name)
    python = os.path.join(folder, "bin", "python")
    if os.path.exists(os.path.join(folder, "whole")):
        return python
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", folder], capture_output=True, text=True)
    if made.returncode != 0:
        raise Missing(f"needs Python's venv: {made.stderr.strip()[-200:]}")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", *packages]
    installed = subprocess.run(pip, capture_output=True, text=True)
    if installed.returncode != 0:
        raise Missing(f"needs PyPI: {' '.join(packages)} cannot be installed: {installed.stderr.strip()[-200:]}")
    with open(os.path.join(folder, "whole"), "w"):
        pass
    return python


class TusServer:
    """A running server, and what it has stored."""

    def __init__(self, directory):
        self.files = os.path.join(directory, "files")
        os.makedirs(self.files)
        self.port = processes.free_port()
        self.log = open(os.path.join(directory, "server.log"), "w")
        # Its own folder, since resumable-upload keeps a database where it is started.
        self.process = processes.watch(
            processes.start(self.program(), cwd=directory, stdout=self.log, stderr=self.log))
        self.endpoint = f"http://127.0.0.1:{self.port}{self.path}"
        processes.wait_until(self.is_up, 30, f"{self.name} to listen")

    def is_up(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}: see {self.log.name}")
        try:
            self.ask("OPTIONS", self.endpoint)
            return True
        except OSError:
            return False

    def ask(self, method, url):
        """The status and headers of an answer."""
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
        try:
            connection.request(method, parts.path, headers={"Tus-Resumable": "1.0.0"})
            answer = connection.getresponse()
            answer.read()
            return answer.status, dict((name.lower(), value) for name, value in answer.getheaders())
        finally:
            connection.close()

    def stored(self):
        """The files that hold uploads, largest first."""
        found = []
        for root, _, names in os.walk(self.files):
            found += [os.path.join(root, name) for name in names if not name.endswith((".json", ".info", ".db", ".lock"))]
        return sorted((path for path in found if os.path.getsize(path) > 0), key=os.path.getsize, reverse=True)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


class ResumableUpload(TusServer):
    """resumable-upload (MIT): all extensions, and 403 for a chunk after the last one."""

    name = "resumable-upload"
    path = "/files"

    def program(self):
        python = environment(self.name, ["resumable-upload==0.3.0"])
        program = os.path.join(os.path.dirname(python), "resumable-upload")
        return [program, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--upload-dir", self.files]


class TusPyServer(TusServer):
    """tuspyserver (MIT), in uvicorn: no checksums, and an expiry of each upload."""

    name = "tuspyserver"
    path = "/files/"

    def program(self):
        python = environment(self.name, ["tuspyserver==4.4.3", "fastapi", "uvicorn"])
        return [python, "-c", TUSPYSERVER, self.files, str(self.port)]


SERVERS = {server.name: server for server in (ResumableUpload, TusPyServer)}
