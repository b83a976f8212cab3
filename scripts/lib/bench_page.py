# SPDX-License-Identifier: Apache-2.0
"""The page over a long list: when it is painted, how soon it shows what happens, and what it costs daemon and machine."""

import os
import shutil
import statistics
import subprocess
import tempfile
import time

import bench_idle
import nginx
import offstage
import page_stage
import processes
import python_package
from bench_report import row
from daemon_wire import DaemonWire
from stalled_server import StalledServer

MIB = 1 << 20
RUNNING = 50
PACKAGES = (("selenium", "4.52.0"), ("urllib3", "2.8.0"), ("certifi", "2026.10.19.post1"), ("websocket-client", "1.9.2"),
            ("typing_extensions", "4.16.0"))
# Notes when the first running transfer was drawn, before any of the page's own scripts run.
WATCH = """
    new MutationObserver((_, observer) => {
        if (!document.querySelector('[data-part=running] .row')) return;
        requestAnimationFrame(() => setTimeout(() => { window.rowsAt = performance.now(); }));
        observer.disconnect();
    }).observe(document, {subtree: true, childList: true});
"""
# Notes when a row shows another state.
FOLLOW = """
    const row = document.querySelector(`.canvas .row[data-id='${arguments[0]}']`);
    window.told = [];
    window.observer?.disconnect();
    window.observer = new MutationObserver(() => {
        const word = row.querySelector('.how > span').textContent;
        if (window.told.at(-1)?.[0] !== word) window.told.push([word, performance.timeOrigin + performance.now()]);
    });
    window.observer.observe(row, {subtree: true, childList: true, characterData: true});
"""


def run(report, options):
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        raise SystemExit("The page is measured in Chromium: scripts/bootstrap installs it.")
    for name, version in PACKAGES:
        python_package.need(name, version)
    idle(report, options)
    busy(report, options)


class Page:
    """A page in a browser."""

    def __init__(self, options, ours):
        self.process = processes.watch(processes.start(
            [os.path.join(os.path.abspath(options.binaries), "offstage-page")], env=ours.environment, stdout=subprocess.PIPE, text=True))
        self.link = self.process.stdout.readline().strip()
        self.profile = tempfile.mkdtemp(prefix="offstage-browser-")
        self.driver = page_stage.browser(self.profile)
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})

    def close(self):
        self.driver.quit()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)


def idle(report, options):
    print(f"\npage, nothing happens, {options.seconds} s", flush=True)
    directory = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    ours = offstage.Offstage(options.binaries, os.path.join(directory, "home"))
    daemon = ours.start_daemon()
    page = Page(options, ours)
    try:
        page.driver.get(page.link)
        page_stage.until(lambda: "offstaged" in page.driver.find_element("id", "standing").text, "the page")
        bench_idle.watch(report, daemon, options.seconds, "idle behind an open page", settle=40)
    finally:
        page.close()
        daemon.terminate()
        daemon.wait()
        shutil.rmtree(directory)


def busy(report, options):
    print(f"\npage, {options.queued} transfers on record, {RUNNING} of them running", flush=True)
    shared = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    disk = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
    server = nginx.Nginx(os.path.join(shared, "server"), os.path.join(shared, "files"), limit_rate=64 << 10)
    with open(os.path.join(server.root, "file.bin"), "wb") as file:
        file.truncate(256 * MIB)
    server.start()
    stalled = StalledServer()
    settings = {"connectionsPerHost": RUNNING, "maximumRunning": RUNNING}
    ours = offstage.Offstage(options.binaries, os.path.join(disk, "home"), settings)
    daemon = ours.start_daemon()
    page = None
    try:
        listing = "".join(f"{server.url}/file.bin?{index}\t{index}.bin\n" for index in range(RUNNING))
        os.mkdir(os.path.join(shared, "targets"))
        ours.run("download", "--detach", "--output-dir", os.path.join(shared, "targets"), "-", input=listing)
        urls = "".join(f"http://127.0.0.1:{stalled.port}/{index}.bin\n" for index in range(options.queued - RUNNING))
        os.mkdir(os.path.join(disk, "targets"))
        ours.run("download", "--detach", "--output-dir", os.path.join(disk, "targets"), "-", input=urls)
        processes.wait_until(lambda: ours.json("list", "--limit", "1")["counts"].get("running", 0) == RUNNING, 60, f"{RUNNING} running")
        time.sleep(5)
        alone = share_of_core(daemon.pid, options.seconds)
        page = Page(options, ours)
        paints, rows = paint(page)
        report.case("page", first_paint=paints, first_rows=rows)
        row("first contentful paint", paints)
        row("first rows of what runs", rows)
        report.verdict("first rows are drawn after", statistics.median(rows), 1, " s")
        latencies = follow(ours, page)
        report.case("page", update=latencies)
        row("an update after the event", latencies)
        latencies.sort()
        report.verdict("an update after the event, p95", latencies[len(latencies) * 95 // 100], 0.1, " s")
        page.driver.execute_script("location.hash = 'now'")
        time.sleep(3)
        with_page = share_of_core(daemon.pid, options.seconds)
        report.case("page", daemon_alone=alone, daemon_with_page=with_page)
        print(f"    daemon {100 * alone:.2f} % of a core without the page, {100 * with_page:.2f} % with it")
        report.verdict("the daemon's CPU for an open page", 100 * (with_page - alone), 2, " % of a core")
        resident, anonymous = processes.memory(page.process.pid)
        own = share_of_core(page.process.pid, 10)
        report.case("page", resident=resident, anonymous=anonymous, page_cpu=own)
        print(f"    page process: {anonymous / MIB:.1f} MiB anonymous, {100 * own:.2f} % of a core")
        report.verdict("page process, resident", resident / MIB, 32, " MiB")
        frames = scroll(page)
        report.case("page", frames=frames)
        row("a frame while the list is scrolled", frames)
        frames.sort()
        report.verdict("a frame while the list is scrolled, p95", frames[len(frames) * 95 // 100], 0.05, " s")
    finally:
        if page:
            page.close()
        daemon.terminate()
        daemon.wait()
        server.stop()
        stalled.stop()
        shutil.rmtree(shared)
        shutil.rmtree(disk)


def share_of_core(pid, seconds):
    before, began = processes.cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return (processes.cpu_seconds(pid) - before) / (time.monotonic() - began)


def paint(page):
    """Loads the page several times; seconds from the request to the first paint, and to the first rows."""
    paints, rows = [], []
    page.driver.get(page.link)
    for _ in range(7):
        page.driver.get("about:blank")
        page.driver.get(page.link.split("/open/")[0] + "/")
        at = page_stage.until(lambda: page.driver.execute_script("return window.rowsAt"), "rows", 30)
        first = page.driver.execute_script("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        rows.append(at / 1000)
        paints.append((first or at) / 1000)
    # The first one fills the browser's caches.
    return paints[1:], rows[1:]


def follow(ours, page, count=60):
    """Pauses and resumes the newest transfer; seconds from the daemon's answer to the row that shows it."""
    driver = page.driver
    driver.execute_script("location.hash = 'transfers'")
    newest = ours.json("list", "--limit", "1")["transfers"][0]["id"]
    page_stage.until(lambda: driver.find_elements("css selector", f".canvas .row[data-id='{newest}']"), "the newest row")
    driver.execute_script(FOLLOW, newest)
    wire = DaemonWire(ours)
    found = []
    for turn in range(count):
        verb, word = (("pause", "paused"), ("resume", "queued"))[turn % 2]
        driver.execute_script("window.told = []")
        wire.ask("act", {"verb": verb, "selection": {"ids": {"_0": [newest]}}})
        done = time.time()
        told = page_stage.until(
            lambda: next((at for one, at in driver.execute_script("return window.told") if one == word), None), f"'{word}' on the page")
        found.append(max(0.0, told / 1000 - done))
        time.sleep(0.05)
    wire.close()
    return found


def scroll(page):
    """Scrolls through the list, a screen at a time and in leaps; seconds between two frames."""
    return page.driver.execute_async_script("""
        const done = arguments[arguments.length - 1];
        location.hash = 'transfers';
        setTimeout(() => {
            const list = document.querySelector('[data-list]');
            const frames = [];
            let last = performance.now(), count = 0;
            const step = () => {
                const now = performance.now();
                frames.push((now - last) / 1000);
                last = now;
                list.scrollTop += count % 40 === 39 ? 400000 : 300;
                count += 1;
                if (count < 300) requestAnimationFrame(step); else done(frames.slice(5));
            };
            requestAnimationFrame(step);
        }, 1500);
    """)
