# SPDX-License-Identifier: Apache-2.0
"""A daemon with transfers of every kind, its page, and a browser to look at that."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import nginx
import offstage
import page_app
import processes
from stalled_server import StalledServer

# What a transfer knows and nobody may see.
SECRETS = ("s3cr3t-of-the-query", "s3cr3t-of-the-header", "s3cr3t-of-the-password", "s3cr3t-of-the-account")
MIB = 1 << 20


class Stage:
    """`run` transfers that go on, one that has completed, one that has failed, one that waits and `queued` in line."""

    def __init__(self, binaries, queued=40, running=3, settings=None):
        self.folder = tempfile.mkdtemp(prefix="offstage-page-", dir="/tmp")
        self.binaries = binaries
        self.server = nginx.Nginx(self.path("server"), self.path("files"), limit_rate=64 << 10)
        self.stalled = StalledServer()
        self.ours = offstage.Offstage(binaries, self.path("home"), {"connectionsPerHost": running, **(settings or {})})
        self.page = None
        self.count = {"queued": queued, "running": running}

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def start(self):
        for name, size in (("small.bin", 1000), ("large.bin", 64 * MIB)):
            with open(os.path.join(self.server.root, name), "wb") as file:
                file.truncate(size)
        self.server.start()
        self.daemon = self.ours.start_daemon()
        os.mkdir(self.path("got"))
        run = self.download
        self.done = run(f"{self.server.url}/small.bin", "--label", "the small one", check=True, wait=True)
        self.failed = run(f"{self.server.url}/nothing.bin", wait=True)
        self.waiting = run(f"http://127.0.0.1:{processes.free_port()}/refused.bin?key={SECRETS[0]}", "-H",
                           f"Authorization: Bearer {SECRETS[1]}")
        self.moving = [run(f"{self.server.url}/large.bin?{index}", "--output", self.path("got", f"moving-{index}.bin"),
                           "--user", f"me:{SECRETS[2]}") for index in range(self.count["running"])]
        lines = "".join(f"http://127.0.0.1:{self.stalled.port}/line-{index}.bin\n" for index in range(self.count["queued"]))
        self.ours.run("download", "--detach", "--output-dir", self.path("got"), "-", input=lines)
        processes.wait_until(lambda: all(self.show(one)["state"] == "running" for one in self.moving), 20, "transfers to run")
        processes.wait_until(lambda: self.show(self.waiting)["state"] == "waiting", 20, "a transfer to wait")

    @property
    def elsewhere(self):
        """The server under another host than that of the long transfers, which use all its connections."""
        return self.server.url.replace("127.0.0.1", "localhost")

    def download(self, url, *options, check=False, wait=False):
        name = [] if "--output" in options else ["--output-dir", self.path("got")]
        known = self.ours.json("download", "--detach", *name, *options, url)
        number = known["ids"][0]
        if wait:
            processes.wait_until(lambda: self.show(number)["state"] == "finished", 20, "a transfer to end")
        if check:
            assert self.show(number)["result"] == "completed"
        return number

    def show(self, number):
        return self.ours.json("show", str(number))["transfers"][0]

    def fill(self):
        """Adds an app with deferred work, and an account at an S3 that is not there."""
        # Between the epoch of Unix and the one that the daemon counts from.
        page_app.submit(self.ours, self.folder, time.time() - 978_307_200 + 2 * 3600)
        self.ours.run("account", "add", "s3", "--name", "shelf", "--endpoint-url", f"http://127.0.0.1:{processes.free_port()}",
                      "--access-key", "AKIDEXAMPLE", input=f"{SECRETS[3]}\n")

    def open_page(self, *options):
        """Starts the program; returns its link."""
        self.page = processes.watch(processes.start(
            [os.path.join(self.binaries, "offstage-page"), *options], env=self.ours.environment, stdout=subprocess.PIPE, text=True))
        link = self.page.stdout.readline().strip()
        found = re.fullmatch(r"http://(127\.\d+\.\d+\.\d+):(\d+)/open/[0-9a-f]{64}", link)
        assert found, link
        self.host, self.port = found[1], int(found[2])
        return link

    @property
    def place(self):
        """Where the page is served."""
        return self.host, self.port

    @property
    def origin(self):
        return f"http://{self.host}:{self.port}"

    def close_page(self):
        if self.page and self.page.poll() is None:
            self.page.terminate()
            self.page.wait(timeout=10)
        if self.page:
            self.page.stdout.close()
        self.page = None

    def stop(self):
        self.close_page()
        try:
            self.ours.run("daemon", "stop", check=False, timeout=20)
            self.daemon.wait(timeout=20)
        finally:
            if self.daemon.poll() is None:
                self.daemon.kill()
                self.daemon.wait()
            self.server.stop()
            self.stalled.stop()
            shutil.rmtree(self.folder, ignore_errors=True)


def browser(folder, *, width=1280, height=900, language="en-US"):
    """A headless Chromium, driven by Selenium."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", f"--lang={language}", f"--user-data-dir={folder}",
                 f"--window-size={width},{height}", "--hide-scrollbars", "--no-first-run", "--disable-background-networking"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    for argument in arguments:
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def requests_of(driver):
    """The addresses that the browser has asked for since the last call."""
    found = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            found.append(message["params"]["request"]["url"])
    return found


def until(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except Exception as error:  # an element that was replaced while it was looked at
            if time.monotonic() > deadline:
                raise TimeoutError(f"Waited {seconds} s in vain for {what}: {error}") from error
            value = None
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"Waited {seconds} s in vain for {what}.")
        time.sleep(0.02)
