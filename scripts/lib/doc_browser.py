# SPDX-License-Identifier: Apache-2.0
"""Opens the site of scripts/docs in a browser, as a reader does: over loopback, with its scripts running."""

import contextlib
import functools
import http.server
import os
import re
import shutil
import subprocess
import tempfile
import threading

# What is opened, and what has to be there once the scripts have run.
VIEWS = [
    ("documentation/guides/", [r"<h1[^>]*>[^<]*(<[^>]*>[^<]*)*Offstage", r"What to expect", r'aria-label="Search guides']),
    ("documentation/guides/timing/", [r"When a transfer runs", r"offstage change 7-9"]),
    ("documentation/", [r"OffstageUIKit", r"OffstageBackgroundTasks", r"Offstage</"]),
    ("documentation/offstage/", [r"Apple’s background"]),
    ("search/?q=resumable+interim", [r"<mark>[Rr]esumable</mark>", r'href="[^"]*documentation/guides/', r"\d+ found"]),
    ("search/?q=BGTaskScheduler+register", [r"documentation/offstagebackgroundtasks/bgtaskscheduler"]),
    ("search/?q=%3Cimg+src%3Dx%3E", [r"Nothing has '&lt;img src=x&gt;'"]),
    ("search/?q=%EB%B0%B1%EC%98%A4%ED%94%84", [r"<mark>백오프</mark>"]),
]


def browser():
    return shutil.which("chromium") or shutil.which("google-chrome")


@contextlib.contextmanager
def served(site, base):
    """The address of a server of the site."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path):
            return super().translate_path("/" + path.removeprefix(base))

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{base}"
    finally:
        server.shutdown()
        server.server_close()


def problems(site, base):
    """What a browser does not show of the site; nothing without a browser."""
    program, found = browser(), []
    if program is None:
        return found
    with served(site, base) as address, tempfile.TemporaryDirectory() as profile:
        for path, wanted in VIEWS:
            shown = subprocess.run(
                [program, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=15000",
                 "--user-data-dir=" + profile, "--dump-dom", address + path],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120,
                env=dict(os.environ, HOME=profile)).stdout
            found += [f"a browser does not show '{pattern}' at {base}{path}" for pattern in wanted
                      if not re.search(pattern, shown)]
    return found
