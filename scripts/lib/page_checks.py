# SPDX-License-Identifier: Apache-2.0
"""What scripts/page-check looks at: each part gets a stage, a browser, a place for results and a folder for pictures."""

import importlib.util
import json
import os
import signal
import socket
import time
import urllib.request

import page_app
import page_attacks
import processes
from page_stage import requests_of, until

VIEWS = ("now", "transfers", "queue", "timeline", "apps", "work", "accounts", "limits", "doctor")
# What makes a finding of axe a failure.
SERIOUS = ("serious", "critical")


class Results:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def __call__(self, name, holds):
        if holds:
            self.passed += 1
        else:
            self.failed.append(name)
            print(f"    FAILED: {name}", flush=True)

    def skip(self, reason):
        self.skipped.append(reason)
        print(f"    skipped: {reason}", flush=True)

    def close(self, folder):
        print(f"pictures: {folder}")
        print(f"{self.passed} checks hold, {len(self.failed)} do not")
        for name in self.failed:
            print(f"    FAILED: {name}")
        if self.failed:
            return 1
        if self.skipped:
            print(self.skipped[-1])
            return 77
        return 0


def one(driver, selector):
    return driver.find_element("css selector", selector)


def all_of(driver, selector):
    return driver.find_elements("css selector", selector)


def press(driver, selector):
    until(lambda: one(driver, selector).is_displayed() and one(driver, selector).is_enabled(), f"{selector} to be there")
    one(driver, selector).click()


def text_of(driver, selector):
    return driver.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)


def go(driver, view):
    press(driver, f"#tabs [data-view={view}]")
    until(lambda: one(driver, "main").get_attribute("data-view") == view, f"the view {view}")
    until(lambda: not all_of(driver, "main [aria-busy=true]"), f"the view {view} to be loaded")
    if view == "transfers":
        until(lambda: all_of(driver, ".canvas .row[data-id]"), "rows")


def enter(stage, driver, *options):
    stage.close_page()
    driver.get(stage.open_page(*options))
    until(lambda: all_of(driver, "#tabs a"), "the page")
    until(lambda: "offstaged" in text_of(driver, "#standing"), "the daemon's state")


# MARK: Attacks


def attacks(stage, driver, check, folder):
    link = stage.open_page()
    cookie = page_attacks.by_hand(stage, link, check)
    page_attacks.looks_for_secrets(stage, cookie, check)
    if os.geteuid() == 0 and os.access("/usr/bin/setpriv", os.X_OK):
        page_attacks.by_another_user(stage, cookie, check)
    else:
        check.skip("needs root, to be another user")
    page_attacks.by_token(stage, check)
    enter(stage, driver)
    names = {cookie["name"] for cookie in driver.get_cookies()}
    check("the browser keeps the stricter cookie", f"__Host-offstage-{stage.port}" in names)
    check("no script sees a cookie", driver.execute_script("return document.cookie") == "")
    page_attacks.by_another_site(stage, driver, check)


# MARK: Rules


def rules(stage, driver, check, folder):
    """What the page's scripts do where a real daemon is seldom at the right moment."""
    enter(stage, driver)
    driver.set_script_timeout(60)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_rules.js"), encoding="utf-8") as file:
        for what, holds in driver.execute_async_script(file.read()):
            check(what, holds)


# MARK: Views


def views(stage, driver, check, folder):
    enter(stage, driver)
    # What it had to complain of before is right: attacks, and the end of the program that it has left.
    driver.get_log("browser")
    requests_of(driver)
    running = counts(stage)["running"]
    until(lambda: len(all_of(driver, "[data-part=running] .row")) == running, "all that runs")
    check("now: what runs is there", {row.get_attribute("data-id") for row in all_of(driver, "[data-part=running] .row")}
          == {str(row["id"]) for row in stage.ours.json("list", "--state", "running")["transfers"]})
    check("now: what waits is there, with its reason", "cannot connect" in text_of(driver, "[data-part=stuck]")
          and "tries at once" in text_of(driver, "[data-part=stuck]"))
    check("now: figures are those of the daemon", text_of(driver, "[data-figure=running]") == str(counts(stage)["running"])
          and text_of(driver, "[data-figure=finished]") == "2")
    rate = until(lambda: text_of(driver, "[data-figure=rate]") not in ("", "0 B/s") and text_of(driver, "[data-figure=rate]"), "a rate")
    check("now: there is a rate", rate.endswith("iB/s") or rate.endswith(" B/s"))
    until(lambda: len((one(driver, "[data-part=running] polyline").get_attribute("points") or "").split()) >= 3, "a sparkline")
    check("now: rates are drawn", True)
    small = stage.download(f"{stage.elsewhere}/small.bin?again", "--output", stage.path("got", "again.bin"))
    until(lambda: all_of(driver, f"[data-part=ended] [data-id='{small}']"), "a transfer that has ended to be told of")
    check("now: what ends is told without reloading", True)

    go(driver, "transfers")
    list_of_all(stage, driver, check)
    go(driver, "queue")
    check("queue: hosts and owners", f"127.0.0.1:{stage.stalled.port}" in text_of(driver, "main")
          and "command" in text_of(driver, "main") and "37" in text_of(driver, "main"))
    go(driver, "timeline")
    timeline(stage, driver, check)
    go(driver, "apps")
    check("apps: none", "No app is registered" in text_of(driver, "main"))
    go(driver, "work")
    check("work: the machine", "external" in text_of(driver, "main") or "battery" in text_of(driver, "main"))
    go(driver, "accounts")
    check("accounts: none", "offstage account add" in text_of(driver, "main"))
    go(driver, "limits")
    limits(stage, driver, check)
    go(driver, "doctor")
    found = stage.ours.json("doctor")["findings"]
    shown = [row.text for row in all_of(driver, "main tbody tr")]
    check("doctor: what 'offstage doctor' finds", len(shown) == len(found)
          and all(any(one["subject"] in row for row in shown) for one in found))
    press(driver, "[data-refresh]")
    until(lambda: all_of(driver, "main tbody tr"), "the findings again")
    asked = requests_of(driver)
    check("nobody else was asked for anything", asked and all(url.startswith((f"{stage.origin}/", "data:")) for url in asked))
    # What was refused on purpose is one.
    errors = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE" and "400 (Bad Request)" not in entry["message"]]
    check(f"the browser has no complaints {errors[:2]}", not errors)


def counts(stage):
    return stage.ours.json("list", "--limit", "1")["counts"]


def list_of_all(stage, driver, check):
    def shown():
        return [int(row.get_attribute("data-id")) for row in all_of(driver, ".canvas .row[data-id]") if row.is_displayed()]

    total = sum(counts(stage).values())
    until(lambda: one(driver, "[data-list]").get_attribute("aria-rowcount") == str(total), "the number of rows")
    newest = stage.ours.json("list", "--limit", "3")["transfers"]
    check("list: the newest come first", sorted(shown(), reverse=True)[:3] == [row["id"] for row in newest])
    check("list: only what is looked at is drawn", len(shown()) < 40)
    scroller = one(driver, "[data-list]")
    scroller.send_keys(_key("END"))
    until(lambda: 1 in shown(), "the oldest")
    scroller.send_keys(_key("HOME"))
    until(lambda: newest[0]["id"] in shown(), "the newest again")
    expected = {"running": set(stage.moving), "waiting": {stage.waiting}, "failed": {stage.failed}, "paused": set(), "cancelled": set()}
    for name, numbers in expected.items():
        press(driver, f"[data-filter={name}]")
        if numbers:
            # Those of the silent server run as well.
            until(lambda: numbers <= set(shown()), f"the filter {name}")
        else:
            until(lambda: one(driver, ".empty").is_displayed(), f"nothing that is {name}")
        check(f"list: the filter {name}", all(state_of(stage, number) == name for number in shown()))
    for name in ("queued", "completed"):
        press(driver, f"[data-filter={name}]")
        until(shown, f"the filter {name}")
        until(lambda: all(state_of(stage, number) == name for number in shown()[:5]), f"only {name}")
        check(f"list: the filter {name}", True)
    press(driver, "[data-filter=all]")
    search = one(driver, "[data-search]")
    search.send_keys("line-17.bin")
    until(lambda: len(shown()) == 1, "what is searched for")
    check("list: a search finds it", "line-17.bin" in text_of(driver, ".canvas .row:not([hidden])"))
    search.clear()
    search.send_keys(" ")
    search.send_keys(_key("BACKSPACE"))
    until(lambda: len(shown()) > 3, "all again")
    owner = one(driver, "[data-owner]")
    owner.send_keys("nobody")
    until(lambda: one(driver, ".empty").is_displayed(), "nothing of nobody")
    owner.clear()
    owner.send_keys("command")
    until(lambda: len(shown()) > 3, "all of command")
    check("list: an owner is found", True)
    owner.clear()
    owner.send_keys(" ")
    owner.send_keys(_key("BACKSPACE"))


def state_of(stage, number):
    row = stage.show(number)
    return row["result"] if row["state"] == "finished" else row["state"]


def timeline(stage, driver, check):
    from selenium.webdriver.support.ui import Select

    def drawn():
        return driver.execute_script("return [...document.querySelectorAll('.lane rect > title')].map((node) => node.textContent)")

    ours = stage.ours.json("timeline", "--since", "24h")
    until(lambda: len({one["transfer"] for one in ours["attempts"]}) > 2 and drawn(), "attempts on the timeline")
    check("timeline: a lane for each host", {f"127.0.0.1:{stage.stalled.port}", f"127.0.0.1:{stage.server.port}"}
          <= {lane.text for lane in all_of(driver, "[data-lane=host] > span")})
    check("timeline: when the daemon ran", len(all_of(driver, "[data-lane=daemon] rect > title")) == 1)
    Select(one(driver, "#timeline-period")).select_by_value("3600")
    until(lambda: one(driver, "[data-timeline]").get_attribute("data-timeline").startswith("3600"), "the last hour")
    single = stage.download(f"{stage.elsewhere}/small.bin?timeline", "--output", stage.path("got", "timeline.bin"), wait=True)
    until(lambda: any(f"transfer {single}" in words for words in drawn())
          or any("× succeeded" in words for words in drawn()), "what has ended to be drawn without reloading")
    spoken = [node.get_attribute("aria-label") for node in all_of(driver, "[data-lane=host] svg")]
    check("timeline: what is drawn is said as well", any("succeeded" in words for words in spoken)
          and any("under way" in words for words in spoken))
    until(lambda: "will be tried again" in driver.execute_script(
        "return [...document.querySelectorAll('.mark > title')].map((node) => node.textContent).join()"), "what is expected")
    check("timeline: what is expected", True)
    check("timeline: a legend", "succeeded" in text_of(driver, ".legend") and "under way" in text_of(driver, ".legend"))


def limits(stage, driver, check):
    def limit():
        return stage.ours.json("limit").get("rateLimit")

    def give(text):
        field = until(lambda: one(driver, "#all-speed"), "the field")
        field.clear()
        field.send_keys(text)
        press(driver, "[data-set]")

    give("2M")
    until(lambda: limit() == 2 << 20, "a limit of 2 MiB/s")
    until(lambda: "2.00 MiB/s" in text_of(driver, "[data-figure=limit]"), "the limit on the page")
    check("limits: a limit is set", True)
    press(driver, ".toast:last-child [data-undo]")
    until(lambda: limit() is None, "no limit again")
    check("limits: that is undone", True)
    give("3M")
    until(lambda: limit() == 3 << 20, "a limit of 3 MiB/s")
    until(lambda: "3.00 MiB/s" in text_of(driver, "[data-figure=limit]"), "the limit on the page")
    press(driver, "[data-remove]")
    until(lambda: limit() is None, "no limit")
    check("limits: the limit is removed", True)
    give("nonsense")
    until(lambda: "makes no sense" in text_of(driver, "#toasts"), "a refusal")
    check("limits: nonsense is refused, with a sentence", limit() is None)


# MARK: Actions


def _key(name):
    from selenium.webdriver.common.keys import Keys
    return getattr(Keys, name)


class ListOfTransfers:
    """The page's list of transfers, as a person uses it."""

    def __init__(self, stage, driver):
        self.stage, self.driver = stage, driver

    def find(self, number):
        def look():
            found = all_of(self.driver, f".canvas .row[data-id='{number}']")
            if found and found[0].is_displayed():
                return found[0]
            one(self.driver, "[data-list]").send_keys(_key("PAGE_DOWN"))
            return None
        for shown in all_of(self.driver, "#toasts .toast [aria-label=Close]"):
            shown.click()
        one(self.driver, "[data-list]").send_keys(_key("HOME"))
        return until(look, f"the row of {number}", 15)

    def select(self, *numbers):
        press(self.driver, "[data-filter=all]")
        for number in numbers:
            self.find(number).find_element("css selector", ".pick").click()
        until(lambda: f"{len(numbers)} selected" in text_of(self.driver, ".list [role=status]"), "a selection")

    def do(self, verb):
        press(self.driver, f".list [data-verb={verb}]")

    def answer(self, answer):
        press(self.driver, f"dialog [data-answer={answer}]")

    def undo(self):
        press(self.driver, ".toast:last-child [data-undo]")

    def is_now(self, number, state):
        until(lambda: state_of(self.stage, number) == state, f"{number} to be {state}")
        until(lambda: STATES[state] in text_of(self.driver, f".canvas .row[data-id='{number}']"),
              f"the row of {number} to be {state}")


def actions(stage, driver, check, folder):
    enter(stage, driver)
    go(driver, "transfers")
    rows = ListOfTransfers(stage, driver)
    victim = stage.moving[0]
    rows.select(victim)
    pauses_and_limits(stage, driver, check, rows, victim)
    cancels_and_forgets(stage, driver, check, rows, victim)
    details(stage, driver, check, rows.find)
    together(stage, driver, check)


def pauses_and_limits(stage, driver, check, rows, victim):
    rows.do("pause")
    rows.is_now(victim, "paused")
    check("pause", True)
    rows.undo()
    until(lambda: state_of(stage, victim) in ("running", "queued"), "it to go on")
    check("pause is undone", True)
    stage.ours.run("pause", str(victim))
    rows.is_now(victim, "paused")
    check("what another program does is shown at once", True)
    rows.do("resume")
    until(lambda: state_of(stage, victim) in ("running", "queued"), "it to go on")
    check("resume", True)
    rows.do("limit")
    field = until(lambda: one(driver, "#limit-speed"), "the question for a limit")
    field.send_keys("50k")
    rows.answer("yes")
    until(lambda: stage.show(victim).get("rateLimit") == 50 << 10, "a limit of its own")
    check("limit", True)
    rows.undo()
    until(lambda: stage.show(victim).get("rateLimit") is None, "no limit of its own")
    check("the limit is undone", True)


def cancels_and_forgets(stage, driver, check, rows, victim):
    rows.do("cancel")
    rows.answer("no")
    check("cancel asks, and may be left", state_of(stage, victim) in ("running", "queued"))
    rows.do("cancel")
    rows.answer("yes")
    rows.is_now(victim, "cancelled")
    check("cancel", True)
    rows.do("retry")
    until(lambda: state_of(stage, victim) in ("running", "queued"), "it to begin anew")
    check("retry", True)

    select_none(driver)
    rows.select(stage.failed)
    rows.do("forget")
    rows.answer("no")
    check("forget asks, and may be left", state_of(stage, stage.failed) == "failed")
    rows.do("forget")
    rows.answer("yes")
    until(lambda: stage.ours.run("show", str(stage.failed), check=False) == "", "it to be forgotten")
    until(lambda: not all_of(driver, f".canvas .row[data-id='{stage.failed}']:not([hidden])"), "its row to go")
    check("forget", True)


STATES = {"paused": "paused", "cancelled": "cancelled", "running": "running", "failed": "failed"}


def select_none(driver):
    one(driver, "[data-list]").send_keys(_key("ESCAPE"))
    until(lambda: "selected" not in text_of(driver, ".list [role=status]"), "no selection")


def details(stage, driver, check, find):
    def are_open():
        # The list may move between the look and the click, as it does for a person.
        find(stage.waiting).find_element("css selector", ".name").click()
        until(lambda: all_of(driver, "dialog[open] [data-why]"), "the details")
        if text_of(driver, "dialog[open] h2").split()[-1] == str(stage.waiting):
            return True
        press(driver, "dialog[open] [data-close]")
        until(lambda: not all_of(driver, "dialog"), "the details of another to be closed")
        return False

    until(are_open, "its details")
    shown = text_of(driver, "dialog[open]")
    check("details: why, since when and what to do", all(part in shown for part in ("cannot connect", "since ", "tries at once", "Authorization")))
    check("details: nothing secret", not any(secret in shown for secret in page_attacks.SECRETS))
    before = int(stage.show(stage.waiting)["attempts"])
    press(driver, "dialog[open] [data-verb=retry]")
    until(lambda: int(stage.show(stage.waiting)["attempts"]) > before, "another attempt")
    until(lambda: int(text_of(driver, "dialog[open] [data-fact=attempts]")) > before, "the attempt in the details")
    check("details: stay up to date", True)
    press(driver, "dialog[open] [data-verb=pause]")
    until(lambda: state_of(stage, stage.waiting) == "paused", "it to be paused")
    until(lambda: text_of(driver, "dialog[open] [data-state]") == "paused", "that in the details")
    press(driver, "dialog[open] [data-close]")
    until(lambda: not all_of(driver, "dialog"), "the details to be closed")
    stage.ours.run("resume", str(stage.waiting))


def together(stage, driver, check):
    def state(kind):
        return counts(stage).get(kind, 0)

    def press_all(verb, answer=None):
        if not one(driver, "details.bar").get_attribute("open"):
            press(driver, "details.bar > summary")
        press(driver, f"[data-all={verb}]")
        if answer:
            press(driver, f"dialog [data-answer={answer}]")

    press_all("pause")
    until(lambda: state("running") == 0 and state("queued") == 0 and state("waiting") == 0, "all to be paused", 20)
    check("pause all", state("paused") > 30)
    press_all("resume")
    until(lambda: state("paused") == 0, "all to go on", 20)
    check("resume all", True)
    again = stage.download(f"{stage.elsewhere}/nothing-again.bin", wait=True)
    press_all("retry", "yes")
    until(lambda: int(stage.show(again)["attempts"]) > 1, "the failed one to be retried")
    check("retry all that failed", True)
    press_all("cancel", "no")
    check("cancel all asks, and may be left", state("queued") > 30)
    press_all("cancel", "yes")
    until(lambda: state("running") + state("queued") + state("waiting") == 0, "all to be cancelled", 20)
    check("cancel all", True)
    press_all("forget", "yes")
    until(lambda: sum(counts(stage).values()) == 0, "all to be forgotten", 20)
    until(lambda: "There are no transfers yet" in text_of(driver, ".empty"), "the empty list")
    check("forget all", True)


# MARK: Looks


def looks(stage, driver, check, folder):
    """Light, dark, narrow and Korean; what axe says of each view; and the keyboard alone."""
    if sum(counts(stage).values()) < 10:
        refill(stage)
    stage.fill()
    enter(stage, driver)
    filled(stage, driver, check)
    source = axe()
    for scheme, width, height, language in (("light", 1280, 900, "en"), ("dark", 1280, 900, "en"), ("light", 390, 844, "en"),
                                            ("light", 1280, 900, "ko"), ("dark", 390, 844, "ko")):
        name = f"{scheme}-{'narrow' if width < 700 else 'wide'}-{language}"
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        driver.execute_script("const s = document.getElementById('language'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", language)
        until(lambda: one(driver, "html").get_attribute("lang") == language, f"the language {language}")
        for view in VIEWS:
            go(driver, view)
            driver.save_screenshot(os.path.join(folder, f"{name}-{view}.png"))
            check(f"{name}, {view}: fits the width", driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"))
            judge(driver, check, source, f"{name}, {view}")
        go(driver, "transfers")
        one(driver, "[data-list]").send_keys(_key("ENTER"))
        until(lambda: all_of(driver, "dialog[open] [data-why]"), "the details")
        driver.save_screenshot(os.path.join(folder, f"{name}-details.png"))
        judge(driver, check, source, f"{name}, details")
        press(driver, "dialog[open] [data-close]")
        if language == "ko":
            go(driver, "now")
            english = [word for word in ("Under way", "waiting", "paused", "Together", "Nothing") if word in text_of(driver, "main")]
            check(f"{name}: no English is left {english}", not english)
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_script("const s = document.getElementById('language'); s.value = 'en'; s.dispatchEvent(new Event('change'))")
    keyboard(stage, driver, check)


def filled(stage, driver, check):
    """The views that were empty before."""
    go(driver, "apps")
    check("apps: the app", f"The shop ({page_app.APP})" in text_of(driver, "main"))
    press(driver, f"[data-key='{page_app.APP}']")
    until(lambda: page_app.APP in text_of(driver, "dialog[open]"), "the app's details")
    check("apps: its program", "shop.app/shop" in text_of(driver, "dialog[open]"))
    press(driver, "dialog[open] [data-close]")
    until(lambda: not all_of(driver, "dialog"), "the details to be closed")
    go(driver, "work")
    tasks = stage.ours.json("tasks")["tasks"]
    check("work: requests, and why they wait", {one["identifier"] for one in tasks} == set(page_app.WORK) and all(
        one["identifier"] in text_of(driver, "main") and one["reason"]["summary"] in text_of(driver, "main") for one in tasks))
    go(driver, "accounts")
    check("accounts: the account", "shelf" in text_of(driver, "main"))
    check("accounts: nothing secret", not any(secret in driver.page_source for secret in page_attacks.SECRETS))
    go(driver, "timeline")
    check("timeline: work that is expected", any("would run" in node.get_attribute("textContent")
                                                 for node in all_of(driver, "[data-lane=runs] .mark > title")))


def refill(stage):
    lines = "".join(f"http://127.0.0.1:{stage.stalled.port}/more-{index}.bin\n" for index in range(40))
    stage.ours.run("download", "--detach", "--output-dir", stage.path("got"), "-", input=lines)
    stage.moving = [stage.download(f"{stage.server.url}/large.bin?more{index}", "--output", stage.path("got", f"moving-{index}.bin")) for index in range(2)]
    stage.failed = stage.download(f"{stage.server.url}/nothing.bin", wait=True)
    stage.waiting = stage.download(f"http://127.0.0.1:{processes.free_port()}/refused.bin")
    stage.ours.run("pause", str(stage.download(f"{stage.server.url}/large.bin?paused")))
    processes.wait_until(lambda: stage.show(stage.waiting)["state"] == "waiting", 20, "a transfer to wait")


def axe():
    place = importlib.util.find_spec("axe_core_python").submodule_search_locations[0]
    with open(os.path.join(place, "axe.min.js"), encoding="utf-8") as file:
        return file.read()


def judge(driver, check, source, name):
    # Through the protocol of the developer tools, which the page's policy does not concern.
    if not driver.execute_script("return typeof axe !== 'undefined'"):
        driver.execute_script(source)
    found = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {resultTypes: ['violations']}).then((r) => done(r.violations.map((v) => [v.id, v.impact, v.nodes.slice(0, 3).map((n) => n.html + ' ' + n.failureSummary)])), (e) => done([['error', 'critical', [String(e)]]]))")
    serious = [one for one in found if one[1] in SERIOUS]
    for rule, impact, nodes in serious:
        print(f"    axe, {name}: {rule} ({impact})")
        for node in nodes:
            print(f"        {node[:400]}")
    check(f"{name}: axe finds nothing serious", not serious)


def keyboard(stage, driver, check):
    """Everything without a pointer."""
    from selenium.webdriver.common.action_chains import ActionChains

    def type_keys(*keys):
        for key in keys:
            ActionChains(driver).send_keys(key).perform()

    def focused(expression="id"):
        return driver.execute_script(f"return document.activeElement?.{expression}")

    driver.get(f"{stage.origin}/")
    until(lambda: all_of(driver, "[data-part=stuck] .row"), "the page")
    tab = _key("TAB")
    type_keys(tab)
    check("keyboard: the first stop skips to the content", focused() == "skip")
    type_keys(tab, tab)
    check("keyboard: the tabs follow", focused("dataset.view") == "now")
    type_keys(tab, _key("ENTER"))
    until(lambda: one(driver, "main").get_attribute("data-view") == "transfers", "the list")
    until(lambda: all_of(driver, ".canvas .row[data-id]"), "rows")
    for _ in range(40):
        if focused("dataset.list") == "":
            break
        type_keys(tab)
    check("keyboard: the list is reached", focused("dataset.list") == "")
    type_keys(_key("ARROW_DOWN"), " ")
    until(lambda: "1 selected" in text_of(driver, ".list [role=status]"), "a selection")
    active = one(driver, "[data-list]").get_attribute("aria-activedescendant")
    chosen = one(driver, f"#{active}")
    check("keyboard: Space selects", chosen.get_attribute("aria-selected") == "true")
    type_keys(_key("ENTER"))
    until(lambda: all_of(driver, "dialog[open] [data-why]"), "the details")
    check("keyboard: the focus is in the dialog", driver.execute_script("return document.querySelector('dialog').contains(document.activeElement)"))
    type_keys(_key("ESCAPE"))
    until(lambda: not all_of(driver, "dialog"), "the details to be closed")
    check("keyboard: Escape closes, and the focus is back in the list", focused("dataset.list") == "")


# MARK: Life


def life(stage, driver, check, folder):
    enter(stage, driver)
    connections = status(stage)["connections"]
    check("while a page is open the daemon is observed", connections >= 2)
    stage.ours.run("daemon", "stop")
    stage.daemon.wait(timeout=20)
    until(lambda: one(driver, "[data-start]").is_displayed(), "that the daemon has gone")
    check("a daemon that ends is told of, and not started again", not os.path.exists(stage.ours.store + ".nothing") and status(stage) is None)
    press(driver, "[data-start]")
    until(lambda: status(stage), "the daemon", 20)
    until(lambda: not one(driver, "#trouble").is_displayed(), "the page to go on", 20)
    check("a person starts it from the page", True)

    ends_cleanly(stage, check)

    # Nobody looks: the daemon is not observed any more, and the program ends.
    enter(stage, driver, "--idle", "2")
    driver.get("about:blank")
    until(lambda: stage.page.poll() is not None, "the program to end when nobody looks", 20)
    check("it ends when nobody looks", stage.page.poll() == 0)
    until(lambda: status(stage)["connections"] <= 1, "no connection to be left")

    link = stage.ours.run("page", "--no-open").strip()
    with urllib.request.urlopen(link, timeout=10) as answer:
        check("'offstage page' starts it in the background, and prints the link", answer.status == 200)
    pid = next(pid for pid in processes.children_of(os.getpid())
               if processes.is_alive(pid) and os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "offstage-page")
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        check("the link's secret is on no command line", link.rsplit("/", 1)[1].encode() not in file.read())
    os.kill(pid, 15)
    os.waitpid(pid, 0)
    began = time.monotonic()
    with socket.create_server(("0.0.0.0", 0)) as taken:
        refused = stage.ours.start("page", "--no-open", "--port", str(taken.getsockname()[1]), stderr=processes.subprocess.PIPE, text=True)
        _, said = refused.communicate(timeout=20)
    check("a port that is taken is told of at once", refused.returncode == 1 and "Cannot listen" in said and time.monotonic() - began < 5)
    # What follows in the same process wants the daemon as it was.
    stage.daemon = Adopted(stage)


def ends_cleanly(stage, check):
    """A request that arrives together with the signal to end."""
    for path in ("/api/list", "/api/news"):
        stage.close_page()
        link = stage.open_page()
        _, head, _ = page_attacks.request(stage.place, link.removeprefix(stage.origin))
        cookie = head.split("Set-Cookie: ")[1].split(";")[0]
        text = "GET {} HTTP/1.1\r\nHost: {}:{}\r\nCookie: {}\r\n\r\n"
        with socket.create_connection(stage.place, timeout=10) as peer:
            peer.sendall(text.format("/icon.svg", *stage.place, cookie).encode())
            peer.recv(65536)
            stage.page.send_signal(signal.SIGSTOP)
            peer.sendall(text.format(path, *stage.place, cookie).encode())
            stage.page.send_signal(signal.SIGTERM)
            stage.page.send_signal(signal.SIGCONT)
            check(f"it ends as it should with {path} under way", stage.page.wait(timeout=20) == 0)


class Adopted:
    """The daemon that the page has started."""

    def __init__(self, stage):
        self.pid = status(stage)["processID"]

    def wait(self, timeout=None):
        processes.wait_until(lambda: not processes.is_alive(self.pid), timeout or 20, "the daemon to end")
        processes.reap_orphans()

    def poll(self):
        return None if processes.is_alive(self.pid) else 0

    def kill(self):
        os.kill(self.pid, 9)


def status(stage):
    found = stage.ours.run("daemon", "status", "--json", check=False)
    known = json.loads(found) if found else {"running": False}
    return known if known["running"] else None
