# SPDX-License-Identifier: Apache-2.0
"""What the daemon is asked to do while its system calls fail. Each scenario is a function of a `fault_stage.Stage`; where
its name begins with `start`, the calls of the daemon's start fail too, and elsewhere those that come later."""

import json
import os
import shutil
import sqlite3
import subprocess
import time

import processes
from campaign_server import content_of, digest

# A file that comes in several pieces, and one that needs several writes.
SMALL, MIDDLE, LARGE = 3000, 60_000, 3 << 20
SCENARIOS = {}


def scenario(function):
    SCENARIOS[function.__name__.replace("_", "-")] = function
    return function


def with_store(stage):
    """A store with a finished and a paused transfer, made by a daemon without faults."""
    stage.start(faulty=False)
    stage.download("file", SMALL, "old")
    stage.wait()
    numbers = stage.download("slow", MIDDLE, "held")
    stage.run("pause", *map(str, numbers))
    stage.stop()


# Starts and stops.


@scenario
def start_fresh(stage):
    if stage.start():
        stage.download("file", SMALL, "a")
        stage.wait()


@scenario
def start_again(stage):
    with_store(stage)
    if stage.start():
        stage.run("resume", "2")
        stage.wait()


@scenario
def start_old_store(stage):
    with_store(stage)
    with sqlite3.connect(stage.ours.store) as store:
        # As it was before accounts, notifications, tallies, spans and submission keys; the migrations make the rest anew.
        later = " OR ".join(f"name LIKE '{start}%'" for start in ("account", "notification", "tally", "tallies", "span", "submission"))
        query = f"SELECT type, name FROM sqlite_master WHERE type IN ('table', 'trigger') AND ({later}) ORDER BY type DESC"
        found = store.execute(query).fetchall()
        for kind, name in found:
            store.execute(f"DROP {kind} {name}")
        store.execute("PRAGMA user_version = 4")
    store.close()
    if stage.start():
        stage.run("resume", "2")
        stage.wait()


@scenario
def start_damaged_store(stage):
    with_store(stage)
    with sqlite3.connect(stage.ours.store) as store:
        (page,) = store.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index' AND rootpage > 0 LIMIT 1").fetchone()
    store.close()
    with open(stage.ours.store, "r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 200)
    if stage.start():
        stage.run("resume", "2")
        stage.wait()


@scenario
def start_after_kill(stage):
    stage.start(faulty=False)
    stage.download("slow", MIDDLE, "a")
    stage.upload("slow", MIDDLE, "b")
    stage.stop(9)
    if stage.start():
        stage.wait()


@scenario
def start_with_settings(stage):
    stage.settings(maximumRunning=2, connectionsPerHost=1, keepFinishedCount=1)
    if stage.start():
        for name in "abc":
            # The oldest are pruned.
            stage.forgotten.update(stage.download("file", SMALL, name))
        stage.wait()


@scenario
def stop_during_transfers(stage):
    if stage.start():
        stage.download("slow", MIDDLE, "a")
        stage.upload("slow", MIDDLE, "b")
        stage.stop()
        if stage.start():
            stage.wait()


@scenario
def stop_by_command(stage):
    if stage.start():
        stage.download("file", SMALL, "a")
        stage.wait()
        stage.run("daemon", "stop")


# Downloads.


@scenario
def download_small(stage):
    if stage.start():
        stage.download("file", SMALL, "a")
        stage.wait()


@scenario
def download_many(stage):
    if stage.start():
        names = [f"n{index}" for index in range(12)]
        items = [{"target": stage.path(name), "sha256": digest(content_of(name, SMALL))} for name in names]
        stage.hand_over(
            items, "download", "--detach", "--output-dir", stage.path(""), *(stage.url("file", SMALL, name) for name in names)
        )
        stage.wait()


@scenario
def download_large(stage):
    if stage.start():
        stage.download("file", LARGE, "a")
        stage.wait()


@scenario
def download_checksum(stage):
    if stage.start():
        stage.download("file", MIDDLE, "a", "--checksum", f"sha256:{digest(content_of('a', MIDDLE))}")
        stage.wait()


@scenario
def download_resumes(stage):
    if stage.start():
        stage.download("cut", MIDDLE, "a")
        stage.wait()


@scenario
def download_replaces(stage):
    if stage.start():
        stage.source("was-there", SMALL)
        os.rename(stage.path("was-there"), stage.path("a"))
        stage.download("file", SMALL, "a", "--force")
        stage.wait()


@scenario
def download_refused(stage):
    if stage.start():
        numbers = stage.download("slow", MIDDLE, "a")
        # Comes between the hand-over and the rename.
        stage.source("a", SMALL)
        stage.promised = {number: {"may fail": True} for number in numbers}
        stage.wait()
        if digest(content_of("a", SMALL)) != digest(open(stage.path("a"), "rb").read()):
            stage.problems.append("lie: a file was replaced that nobody allowed to be replaced")


@scenario
def download_moved(stage):
    if stage.start():
        stage.download("moved", SMALL, "a")
        stage.wait()


@scenario
def download_busy(stage):
    if stage.start():
        stage.download("busy", SMALL, "a")
        stage.wait()


@scenario
def download_later(stage):
    if stage.start():
        stage.download("file", SMALL, "a", "--begin", "+1s")
        stage.wait()


@scenario
def download_in_middle_killed(stage):
    if stage.start():
        stage.download("slow", LARGE, "a")
        stage.wait_for_request(f"/slow/{LARGE}/a")
        stage.stop(9)
        if stage.start():
            stage.wait()


# Uploads.


@scenario
def upload_put(stage):
    if stage.start():
        stage.upload("file", SMALL, "a")
        stage.wait()


@scenario
def upload_post(stage):
    if stage.start():
        stage.upload("file", SMALL, "a", "-X", "POST")
        stage.wait()


@scenario
def upload_large(stage):
    if stage.start():
        stage.upload("file", LARGE, "a")
        stage.wait()


@scenario
def upload_snapshot(stage):
    if stage.start():
        stage.upload("slow", MIDDLE, "a", "--snapshot")
        if stage.promised:
            os.unlink(stage.path("a"))
        stage.wait()


@scenario
def upload_form(stage):
    if stage.start():
        file = stage.source("a", SMALL)
        stage.hand_over([{}], "upload", "--detach", "-F", "title=x", "-F", f"file=@{file}", f"{stage.server.url}/form")
        stage.wait()


@scenario
def upload_many(stage):
    if stage.start():
        names = [f"n{index}" for index in range(12)]
        items = [{"path": f"/in/{name}", "sha256": digest(content_of(name, SMALL))} for name in names]
        files = [stage.source(name, SMALL) for name in names]
        stage.hand_over(items, "upload", "--detach", *files, f"{stage.server.url}/in/")
        stage.wait()


@scenario
def upload_moved(stage):
    if stage.start():
        stage.upload("moved", SMALL, "a")
        stage.wait()


@scenario
def upload_busy(stage):
    if stage.start():
        stage.upload("busy", SMALL, "a")
        stage.wait()


@scenario
def upload_with_credentials(stage):
    if stage.start():
        numbers = stage.upload("secret", SMALL, "a", "--wait-for-credentials")
        for number in numbers:
            for _ in range(100):
                rows = stage.rows() or []
                if any(row["id"] == number and row["reason"]["code"] == "credentials" for row in rows):
                    break
                time.sleep(0.02)
            stage.run("header", "set", str(number), "Authorization: Basic eDp5")
        stage.wait()


@scenario
def credential_helper(stage):
    stage.settings(credentialHelper="echo 'Authorization: Basic eDp5'")
    if stage.start():
        stage.upload("secret", SMALL, "a", "--wait-for-credentials")
        stage.wait(4)
        for number in stage.promised:
            stage.run("header", "set", str(number), "Authorization: Basic eDp5")


# What people do with them.


@scenario
def pause_and_resume(stage):
    if stage.start():
        numbers = stage.download("slow", MIDDLE, "a")
        stage.run("pause", *map(str, numbers))
        stage.run("resume", *map(str, numbers))
        stage.wait()


@scenario
def cancel(stage):
    if stage.start():
        numbers = stage.download("slow", MIDDLE, "a")
        stage.run("cancel", *map(str, numbers))
        stage.wait()


@scenario
def cancel_and_retry(stage):
    if stage.start():
        numbers = stage.download("slow", MIDDLE, "a")
        stage.run("cancel", *map(str, numbers))
        stage.run("retry", *map(str, numbers))
        stage.wait()


@scenario
def forget(stage):
    if stage.start():
        numbers = stage.download("file", SMALL, "a")
        stage.wait()
        status, _ = stage.run("forget", *map(str, numbers))
        stage.forgotten.update(numbers)
        if status == 0 and any(row["id"] in numbers for row in stage.rows() or []):
            stage.problems.append("lie: a transfer is told forgotten and is listed")


@scenario
def limit(stage):
    if stage.start():
        numbers = stage.download("slow", MIDDLE, "a")
        stage.run("limit", "5M")
        stage.run("limit", *map(str, numbers), "2M")
        stage.wait()


@scenario
def look(stage):
    if stage.start():
        stage.download("file", SMALL, "a")
        for words in (("show", "1"), ("why", "1"), ("daemon", "status"), ("tasks",), ("condition",), ("doctor",)):
            stage.run(*words)
        stage.wait()


@scenario
def two_clients(stage):
    if stage.start():
        watcher = stage.ours.start("events", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stage.helpers.append(lambda: (watcher.kill(), watcher.wait()))
        url = stage.url("file", SMALL, "a")
        others = [
            stage.ours.start("download", "--detach", "--force", "-o", stage.path(name), url, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
            for name in ("x", "y")
        ]
        stage.upload("file", SMALL, "a")
        for other in others:
            try:
                other.wait(10)
            except subprocess.TimeoutExpired:
                stage.problems.append("hang: offstage download")
                other.kill()
        stage.wait()


@scenario
def follow(stage):
    if stage.start():
        stage.run("download", "-o", stage.path("a"), stage.url("slow", MIDDLE, "a"))


@scenario
def on_done(stage):
    if stage.start():
        stage.download("file", SMALL, "a", "--on-done", f"touch '{stage.path('told')}'")
        stage.wait()


@scenario
def a_hundred(stage):
    if stage.start():
        names = [f"n{index:03}" for index in range(100)]
        items = [{"target": stage.path(name), "sha256": digest(content_of(name, 100))} for name in names]
        text = "".join(f"{stage.url('file', 100, name)}\n" for name in names)
        stage.hand_over(items, "download", "--detach", "--output-dir", stage.path(""), "-", input=text)
        stage.wait()


# Accounts.


def with_emulator(stage):
    import dropbox_emulator

    emulator = dropbox_emulator.DropboxEmulator(os.path.dirname(stage.ours.daemon))
    emulator.start()
    stage.helpers.append(emulator.stop)
    return emulator


def sign_in(stage, emulator):
    try:
        emulator.sign_in(stage.ours)
        return True
    except RuntimeError as problem:
        stage.notes.append(str(problem))
        return False


def to_dropbox(stage, emulator, size):
    file = stage.source("a", size)
    return stage.hand_over([{}], "upload", "--detach", file, "dropbox:/a")


@scenario
def account_add(stage):
    emulator = with_emulator(stage)
    if stage.start() and sign_in(stage, emulator):
        stage.stop()
        if stage.start():
            status, output = stage.run("account", "list")
            if status == 0 and "dropbox" not in output:
                stage.problems.append("loss: an account was added and is not listed after a restart")


@scenario
def dropbox_small(stage):
    emulator = with_emulator(stage)
    stage.start(faulty=False)
    sign_in(stage, emulator)
    stage.stop()
    if stage.start():
        to_dropbox(stage, emulator, MIDDLE)
        stage.wait()


@scenario
def dropbox_session(stage):
    emulator = with_emulator(stage)
    stage.start(faulty=False)
    sign_in(stage, emulator)
    stage.stop()
    if stage.start():
        to_dropbox(stage, emulator, 9 << 20)
        stage.wait()


# Apps.


def app_program(name):
    base = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folders = [os.path.join(base, "Examples", ".build", kind) for kind in ("release", "debug")]
    # Where scripts/test has built them.
    told = os.environ.get("OFFSTAGE_EXAMPLES")
    paths = [os.path.join(folder, name) for folder in ([told] if told else []) + folders]
    return next((path for path in paths if os.path.exists(path)), None)


def make_app_plan(stage):
    """What the torture app hands over: an upload from a file, one from memory, and two downloads."""
    items = []
    for name, kind in (("u", "upload"), ("m", "uploadOfData"), ("d", "download"), ("e", "download")):
        source = stage.source(name, SMALL) if kind != "download" else stage.path(f"to-{name}")
        way = f"/in/{name}" if kind != "download" else f"/file/{SMALL}/{name}"
        items.append({"kind": kind, "name": name, "url": stage.server.url + way, "file": source, "pause": 0.001})
    with open(os.path.join(stage.directory, "plan.json"), "w") as file:
        json.dump(items, file)
    os.makedirs(os.path.join(stage.directory, "app"), exist_ok=True)
    return items


def run_app(stage, seconds):
    """Starts the torture app, and waits until it has heard of everything; it is killed after so many seconds."""
    with open(os.path.join(stage.directory, "app.out"), "ab") as output:
        app = processes.watch(processes.start(
            [app_program("TortureApp"), os.path.join(stage.directory, "app"), os.path.join(stage.directory, "plan.json")],
            env=stage.ours.environment, stdout=output, stderr=output,
        ))
    try:
        return app.wait(seconds)
    except subprocess.TimeoutExpired:
        app.kill()
        app.wait()
        return None


def app_outcomes(stage):
    """Of each task that was handed over, what the delegate was told last; None for nothing.

    A kill may come in the middle of a hand-over: then nothing was promised, and the app does not try again.
    """
    found = {}
    with open(os.path.join(stage.directory, "app", "app.log")) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["resumed"]:
                found.setdefault(words[1])
            elif words[:2] == ["begin", "completed"]:
                found[words[2]] = " ".join(words[4:])
    return found


def finish_app(stage, items):
    """With a daemon without faults the app comes to its end, and everything is there."""
    for _ in range(3):
        status = run_app(stage, 12)
        if status == 0:
            break
    else:
        stage.problems.append(f"hang: the app has not heard of everything ({status})")
    outcomes = app_outcomes(stage)
    for item in items:
        if item["name"] not in outcomes:
            continue
        outcome = outcomes[item["name"]]
        if outcome is None:
            stage.problems.append(f"loss: the app handed {item['name']} over, and was told nothing of it")
            continue
        if outcome.startswith("error"):
            stage.fail(f"the app was told {outcome} of {item['name']}")
            continue
        if item["kind"] == "download":
            try:
                with open(item["file"], "rb") as file:
                    is_whole = digest(file.read()) == digest(content_of(item["name"], SMALL))
            except OSError:
                is_whole = False
        else:
            is_whole = digest(content_of(item["name"], SMALL)) in stage.server.received(f"/in/{item['name']}")
        if not is_whole:
            stage.problems.append(f"loss: the app was told that {item['name']} is done, and it is not there")


@scenario
def app_session(stage):
    items = make_app_plan(stage)
    if stage.start():
        run_app(stage, 6)
    stage.finish = lambda: finish_app(stage, items)


@scenario
def app_after_kill(stage):
    items = make_app_plan(stage)
    stage.start(faulty=False)
    run_app(stage, 0.15)
    stage.stop(9)
    if stage.start():
        run_app(stage, 6)
    stage.finish = lambda: finish_app(stage, items)


_PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>com.example.stage</string>
<key>CFBundleExecutable</key><string>stage</string>
</dict></plist>
"""


@scenario
def app_on_stage(stage):
    bundle = os.path.join(stage.directory, "stage.app")
    os.makedirs(bundle)
    os.makedirs(os.path.join(stage.directory, "notes"))
    shutil.copy(app_program("TortureStage"), os.path.join(bundle, "stage"))
    with open(os.path.join(bundle, "Info.plist"), "w") as file:
        file.write(_PLIST)
    if stage.start():
        stage.run("app", "install", bundle, "--", os.path.join(stage.directory, "notes"))
        for verb in ("launch", "background", "foreground", "quit"):
            stage.run("app", verb, "com.example.stage")
        stage.run("app", "log", "com.example.stage")
    stage.helpers.insert(0, lambda: stage.run("app", "quit", "com.example.stage"))


def names_of_tasks(stage):
    status, output = stage.run("tasks", "--json")
    return {row["identifier"] for row in json.loads(output)["tasks"]} if status == 0 else set()


@scenario
def app_tasks(stage):
    bundle = os.path.join(stage.directory, "Daymark.app")
    folder = os.path.join(stage.directory, "notes")
    os.makedirs(bundle)
    os.makedirs(folder)
    shutil.copy(app_program("Daymark"), bundle)
    base = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    shutil.copy(os.path.join(base, "Examples/Sources/Daymark/Info.plist"), bundle)
    asked = set()
    if stage.start():
        stage.run("app", "install", bundle, "--", folder, stage.server.url, "3600")
        stage.run("app", "launch", "com.example.Daymark")
        stage.run("app", "background", "com.example.Daymark")
        asked = names_of_tasks(stage)
        stage.run("simulate", "launch", "com.example.Daymark.refresh")
        asked |= names_of_tasks(stage)

    def finish():
        lost = asked - names_of_tasks(stage)
        if lost:
            stage.problems.append(f"loss: tasks were listed as asked for, and are not known: {', '.join(lost)}")

    stage.finish = finish
    stage.helpers.insert(0, lambda: stage.run("app", "quit", "com.example.Daymark"))
