# SPDX-License-Identifier: Apache-2.0
"""What the page shows of a fleet: a real database with rows and a member, and then each way in which there is none."""

import json
import os
import shutil

import postgres
from page_stage import until

SECRET = "s3cr3t-of-the-database"


def fleet(stage, driver, check, folder):
    """The fleet's view. Called with a page that is open."""
    from page_checks import all_of, axe, enter, go, judge, one, text_of

    if not postgres.binaries():
        check.skip("needs PostgreSQL's server")
        return
    enter(stage, driver)
    check("fleet: no tab where there is no fleet", not one(driver, "#tabs [data-view=fleet]").is_displayed())
    driver.get(f"{stage.origin}/#fleet")
    until(lambda: "This machine has no fleet" in text_of(driver, "main"), "a word that there is no fleet")
    server = postgres.Server()
    try:
        set_up(stage, server)
        enter(stage, driver)
        until(lambda: one(driver, "#tabs [data-view=fleet]").is_displayed(), "the tab of the fleet")
        go(driver, "fleet")
        until(lambda: all_of(driver, "[data-section=rows] tbody tr"), "rows")
        shows(stage, driver, check)
        looks(driver, check, folder, axe(), judge)
        missing(stage, driver, check, server)
    finally:
        if os.path.exists(server.folder):
            server.stop()
        for name in ("fleet.json", "fleet.key"):
            path = os.path.join(stage.ours.home, name)
            if os.path.exists(path):
                os.unlink(path)
        stage.ours.environment.pop("OFFSTAGE_FLEET", None)
        shutil.rmtree(stage.path("fleet"), ignore_errors=True)


def set_up(stage, server):
    """130 rows, of which a member by hand has three; one queue is paused, one server has a limit."""
    with server.connect(database="postgres") as admin:
        admin.script("CREATE DATABASE fleet")
    words = f"{server.words()} password={SECRET}"
    os.makedirs(stage.path("fleet"))
    run = stage.ours.run
    run("fleet", "init", words)
    lines = []
    for number in range(130):
        path = stage.path("fleet", f"film-{number}<b>.mov")
        with open(path, "w") as file:
            file.write(str(number))
        lines.append(json.dumps({"path": path, "queue": "nightly" if number < 5 else "default",
                                 "url": f"https://files.example/in/{number}?key=s3cr3t-of-the-query"}))
    run("upload", "--fleet", "--on", "site=seoul", "-H", "Authorization: Bearer s3cr3t-of-the-header", "-", input="\n".join(lines))
    run("fleet", "pause", "--queue", "nightly")
    run("fleet", "limit", "files.example", "4")
    with server.connect() as database:
        database.query("SELECT * FROM offstage.join_fleet('nas-1', '{site=seoul}', 0::smallint, 1, '1.2.3')")
        database.query("SELECT * FROM offstage.turn(1, 1, 1, 3600, 0, 3, 0)")


def shows(stage, driver, check):
    from page_checks import all_of, one, press, text_of

    status = stage.ours.json("fleet", "status")
    main = lambda: text_of(driver, "main")
    check("fleet: the figures are those of the command", all(
        text_of(driver, f"[data-figure={state}]") == str(status["counts"].get(state, 0)) for state in ("waiting", "leased", "done")))
    check("fleet: queues, and who has paused one", "nightly" in main() and "paused by postgres" in main())
    member = text_of(driver, "[data-section=members] tbody tr")
    check("fleet: members with versions", all(word in member for word in ("nas-1", "active", "1.2.3", "site=seoul")))
    check("fleet: no text becomes markup", "film-129<b>.mov" in main() and not all_of(driver, "main td b"))
    check("fleet: limits", "files.example" in text_of(driver, "[data-section=limits]"))
    check("fleet: what does not move, and why", "its queue 'nightly' is paused" in text_of(driver, "[data-section=open]")
          or "in line behind" in text_of(driver, "[data-section=open]"))
    numbers = lambda: [int(row.text) for row in all_of(driver, "[data-section=rows] tbody td:first-child")]
    check("fleet: a hundred rows, newest first", numbers() == list(range(130, 30, -1)))
    press(driver, "[data-older]")
    until(lambda: numbers() == list(range(30, 0, -1)), "the older rows")
    press(driver, "[data-newest]")
    until(lambda: numbers()[:1] == [130], "the newest rows")
    driver.execute_script("const s = document.getElementById('fleet-state'); s.value = 'leased'; s.dispatchEvent(new Event('change'))")
    until(lambda: len(numbers()) == 3, "those that are under way")
    check("fleet: the filter stays chosen", one(driver, "#fleet-state").get_attribute("value") == "leased")
    leased = numbers()[0]
    press(driver, f"[data-section=rows] [data-row='{leased}']")
    until(lambda: all_of(driver, "dialog[open] [data-why]"), "the details of a row")
    details = text_of(driver, "dialog[open]")
    check("fleet: a row, and why", "under way at nas-1" in details and "film-" in text_of(driver, "dialog[open] [data-fact=path]"))
    check("fleet: nothing secret", not any(word in driver.page_source for word in (SECRET, "s3cr3t-of")))
    press(driver, "dialog[open] [data-close]")
    until(lambda: not all_of(driver, "dialog"), "the details to be closed")


def looks(driver, check, folder, source, judge):
    from page_checks import one

    for width, language in ((1280, "en"), (390, "ko")):
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        driver.execute_script("const s = document.getElementById('language'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", language)
        until(lambda: one(driver, "[data-section=members]").is_displayed(), "the fleet's view")
        name = f"fleet-{width}-{language}"
        driver.save_screenshot(os.path.join(folder, f"{name}.png"))
        check(f"{name}: fits the width", driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"))
        judge(driver, check, source, name)
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_script("const s = document.getElementById('language'); s.value = 'en'; s.dispatchEvent(new Event('change'))")


def missing(stage, driver, check, server):
    """No database, and no program that could ask it."""
    from page_checks import enter, go, text_of

    server.stop()
    go(driver, "now")
    go(driver, "fleet")
    until(lambda: "The fleet's database cannot be reached" in text_of(driver, "main"), "a word about the database")
    check("fleet: no password in what is said of the database", SECRET not in driver.page_source)
    stage.ours.environment["OFFSTAGE_FLEET"] = "/nonexistent/offstage-fleet"
    enter(stage, driver)
    go(driver, "fleet")
    until(lambda: "/nonexistent/offstage-fleet, which cannot be run" in text_of(driver, "main"), "a word about the program")
    check("fleet: without its program or its database the view says so", True)
