#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries the fleet's schema on a real PostgreSQL: rights, leases, fences, limits. Figures are made by scripts/bench fleet.

The server is one of the script's own, in a temporary folder and on a Unix socket; without PostgreSQL's programs the exit code is 77.
"""

import argparse
import os
import random
import sys
import threading
import time
import uuid

import libpq
import postgres

ROLES = ("viewer", "submitter", "member", "operator")
SPEC = ('{"direction":{"upload":{"path":"/mnt/media/%s","identity":[0,0,65536,1764200000000000000]}},'
        '"url":"https://files.example/in/%s","method":"PUT","headers":[["Content-Type","image/jpeg"]],"owner":"fleet",'
        '"statusPolicy":"retryTransientAndFailOnError","idleTimeout":60,"overallTimeout":604800,"digest":{"algorithm":"sha256"}}')
COLUMNS = "batch, place, queue, host, requires, priority, label, path, destination, bytes, is_repeatable, begins_at, spec, sealed"
SERVER = ("max_connections = 50", "autovacuum_naptime = 5s")
failures = []


def check(holds, words):
    if not holds:
        failures.append(words)
    print(f"{'ok    ' if holds else 'FAILED'} {words}", flush=True)


def refused(words, code, call):
    try:
        call()
    except libpq.Refused as error:
        check(error.code == code, f"{words} ({error.code})")
        return
    check(False, f"{words}: was done")


def submit(connection, rows, batch=None):
    """`rows` are dictionaries of what differs from the usual; returns the ids."""
    batch = batch or str(uuid.uuid4())
    connection.script("BEGIN")
    for place, row in enumerate(rows):
        name = row.get("path", f"{place}.jpg")
        values = dict(queue="default", host="files.example", requires="{}", priority=50, label=None, path=name,
                      destination=f"https://files.example/in/{name}", bytes=65536, is_repeatable=True, begins_at=None,
                      spec=SPEC % (name, name), sealed=None) | row
        connection.query(
            f"INSERT INTO offstage.intake ({COLUMNS}) VALUES ({', '.join(f'${n}' for n in range(1, 15))})",
            batch, place, *values.values())
    (first, count), = connection.query("SELECT first_id, rows FROM offstage.submit($1)", batch)
    connection.script("COMMIT")
    return [] if first is None else list(range(int(first), int(first) + int(count)))


class Member:
    """The least of a member: it speaks to the database and carries nothing out."""

    def __init__(self, server, name, labels=(), login="offstage_test_member"):
        self.connection = server.connect(login)
        self.name, self.labels = name, labels
        self.join()

    def join(self):
        row, = self.connection.query("SELECT member, incarnation FROM offstage.join_fleet($1, $2, 0::smallint, 1, 'test')",
                                     self.name, libpq.array(self.labels))
        self.id, self.incarnation, self.beat = int(row[0]), int(row[1]), 0

    def next_beat(self):
        self.beat += 1
        return self.beat

    def turn(self, more=0, lease=30, holds=0):
        """The rows of a turn as [(id, fence)], and what is wanted as {id: wanted}."""
        rows = self.connection.query(
            "SELECT kind, id, fence, wanted FROM offstage.turn($1, $2, $3, $4, $5, $6, 0)",
            self.id, self.incarnation, self.next_beat(), lease, holds, more)
        return ([(int(row[1]), int(row[2])) for row in rows if row[0] == "0"],
                {int(row[1]): int(row[3]) for row in rows if row[0] == "1"})

    def finish(self, rows, result=0):
        count = len(rows)
        return [int(row[0]) for row in self.connection.query(
            "SELECT * FROM offstage.finish($1, $2, $3, $4, $5, $6, $7, $8, $9)", self.id, self.incarnation,
            libpq.array(row for row, _ in rows), libpq.array(fence for _, fence in rows), libpq.array([result] * count),
            libpq.array([200] * count), libpq.array([65536] * count), libpq.array([None] * count),
            libpq.array([None] * count))]

    def begin(self, rows):
        return [int(row[0]) for row in self.connection.query(
            "SELECT * FROM offstage.begin_rows($1, $2, $3, $4)", self.id, self.incarnation,
            libpq.array(row for row, _ in rows), libpq.array(fence for _, fence in rows))]

    def give_back(self, rows, after=0):
        return [int(row[0]) for row in self.connection.query(
            "SELECT * FROM offstage.give_back($1, $2, $3, $4, $5, $6)", self.id, self.incarnation,
            libpq.array(row for row, _ in rows), libpq.array(fence for _, fence in rows),
            libpq.array([after] * len(rows)), libpq.array(["given-back"] * len(rows)))]

    def keep(self, row, body="\\x7b7d", beat=None):
        return self.connection.query(
            "SELECT offstage.keep($1, $2, $3, $4, $5, '{1024}', ARRAY[$6::bytea])", self.id, self.incarnation,
            beat or self.next_beat(), libpq.array([row[0]]), libpq.array([row[1]]), body) == [[str(row[0])]]


def silence(admin, *members):
    """As if these members had not renewed for long: tests need not wait for it."""
    for member in members:
        admin.query("UPDATE offstage.member SET alive_until = now() - interval '1 second' WHERE id = $1", member.id)
    admin.script("UPDATE offstage.fleet SET swept_at = '-infinity'")


def state_of(admin, row):
    return int(admin.value("SELECT state FROM offstage.row WHERE id = $1", row))


def drain_queue(admin):
    """Removes what a round has left."""
    admin.script("TRUNCATE offstage.line, offstage.slot, offstage.memory, offstage.change, offstage.tally, offstage.host")
    admin.script("DELETE FROM offstage.lane; DELETE FROM offstage.member; DELETE FROM offstage.ended; "
                 "DELETE FROM offstage.item")


def rights(server, admin):
    submitter = server.connect("offstage_test_submitter")
    row, = submit(submitter, [{"sealed": "\\xdeadbeef"}])
    for what in ({"spec": '{"a":"' + "x" * 65536 + '"}'}, {"sealed": "\\x" + "00" * 66561}):
        refused(f"a long {next(iter(what))} is not taken", "23514", lambda: submit(submitter, [what]))
        submitter.script("ROLLBACK")
    logins = {role: server.connect(f"offstage_test_{role}") for role in ROLES}
    nobody = server.connect("offstage_test_nobody")
    refused("somebody without a role reads nothing", "42501", lambda: nobody.query("SELECT * FROM offstage.row"))
    for role, login in logins.items():
        check(len(login.query("SELECT id FROM offstage.row WHERE id = $1", row)) == 1, f"the {role} sees the row")
        for table in ("item", "line", "memory", "ended", "member", "intake", "batch", "lane", "item_0"):
            refused(f"the {role} does not read {table}", "42501", lambda: login.query(f"SELECT * FROM offstage.{table}"))
        for table in ("item", "line", "memory", "ended", "member", "queue", "host", "fleet", "policy", "row"):
            for change in (f"DELETE FROM offstage.{table}", f"INSERT INTO offstage.{table} DEFAULT VALUES"):
                try:
                    login.query(change)
                    check(False, f"the {role} did: {change}")
                except libpq.Refused as error:
                    # A view that joins cannot be changed at all.
                    if error.code not in ("42501", "55000"):
                        check(False, f"the {role}, {change}: {error}")
        columns = [column for column, in login.query(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'offstage'")]
        check("sealed" not in columns or role == "submitter", f"the {role} sees no column with a secret")
    allowed_calls(logins)
    other = server.connect("offstage_test_submitter2")
    check(other.query("SELECT * FROM offstage.stop_rows($1, 1::smallint)", libpq.array([row])) == [],
          "a submitter cannot cancel another's row")
    sealed_secrets(server)
    drain_queue(admin)


def allowed_calls(logins):
    calls = {
        "submit": ("SELECT offstage.submit(gen_random_uuid())", {"submitter"}),
        "cancel": ("SELECT offstage.stop_rows('{}', 1::smallint)", {"submitter", "operator"}),
        "retry": ("SELECT offstage.retry_rows('{}')", {"submitter", "operator"}),
        "join": ("SELECT offstage.join_fleet('m', '{}', 0::smallint, 1, 'x')", {"member"}),
        "lease": ("SELECT offstage.turn(1, 1, 1, 1, 0, 0, 0)", {"member"}),
        "leased": ("SELECT offstage.leased(1, 1, '{1}')", {"member"}),
        "keep": ("SELECT offstage.keep(1, 1, 1, '{1}', '{1}', '{0}', '{NULL}')", {"member"}),
        "finish": ("SELECT offstage.finish(1, 1, '{1}', '{1}', '{0}', '{0}', '{0}', '{NULL}', '{NULL}')", {"member"}),
        "limit": ("SELECT offstage.limit_host('h', NULL)", {"operator"}),
        "pause": ("SELECT offstage.pause_queue('default', false)", {"operator"}),
        "drain": ("SELECT offstage.drain_member('m', false)", {"operator", "member"}),
        "recover": ("SELECT offstage.recover(1, 1)", set()),
        "rouse": ("SELECT offstage.rouse('{1}')", set()),
        "sweep": ("SELECT offstage.sweep()", set()),
        "make_room": ("SELECT offstage.make_room(1)", set()),
        "count_change": ("SELECT offstage.count_change('{1}', 0::smallint, 1)", set()),
    }
    for name, (text, allowed) in calls.items():
        for role, login in logins.items():
            try:
                login.query(text)
                may = True
            except libpq.Refused as error:
                # A caller that is no member is refused by the function itself.
                may = error.code != "42501"
            check(may == (role in allowed), f"the {role} {'may' if role in allowed else 'may not'} {name}")


def sealed_secrets(server):
    first = Member(server, "seal")
    (leased, _), = first.turn(1)[0]
    sealed = first.connection.value("SELECT sealed FROM offstage.leased($1, $2, $3)", first.id, first.incarnation,
                                    libpq.array([leased]))
    check(sealed == "\\xdeadbeef", "a member reads the sealed secret of a row that it holds")
    second = Member(server, "other")
    check(second.connection.query("SELECT sealed FROM offstage.leased($1, $2, $3)", second.id, second.incarnation,
                                  libpq.array([leased])) == [], "but not of a row that another holds")
    thief = server.connect("offstage_test_member2")
    refused("another login does not speak for a member", "OS001", lambda: thief.query(
        "SELECT offstage.turn($1, $2, 99, 30, 0, 1, 0)", first.id, first.incarnation))
    refused("nor take its name", "OS002", lambda: thief.query(
        "SELECT offstage.join_fleet('seal', '{}', 0::smallint, 1, 'x')"))


def leases(server, admin):
    submitter = server.connect("offstage_test_submitter")
    one, two = Member(server, "one"), Member(server, "two")
    ids = submit(submitter, [{"path": f"{n}"} for n in range(10)])
    batch = str(uuid.uuid4())
    again = submit(submitter, [{"path": "once"}], batch), submit(submitter, [{"path": "once"}], batch)
    check(again[0] == again[1] and len(again[0]) == 1, "a batch that is submitted twice is taken in once")
    rows, _ = one.turn(10)
    check([row for row, _ in rows] == ids, "rows are leased in their order")
    others, _ = two.turn(10)
    check([row for row, _ in others] == again[0], "and another gets what is left")
    check(one.finish(rows[:4]) == ids[:4], "ends are taken")
    check(sorted(one.finish(rows[:4])) == ids[:4], "and once more, when the answer was lost")
    check(two.finish(rows[4:5]) == [], "a member cannot end what another holds")
    check(one.keep(rows[4]) and not two.keep(rows[4]), "nor keep a memory for it")
    check(one.keep(rows[4], None) and not two.keep(rows[4], None), "nor hear that it is its own")
    check(not one.keep(rows[4], "\\x00", beat=one.beat - 1), "a memory that arrives late does not take the place of a newer one")
    silence(admin, one)
    two.turn(0)
    check(state_of(admin, ids[4]) == 0, "rows of a silent member wait again")
    refused("its renewal is refused", "OS001", lambda: one.turn(1))
    refused("and so is its report", "OS001", lambda: one.finish(rows[4:5]))
    refused("and what it wants to keep", "OS001", lambda: one.keep(rows[4]))
    refused("and the beginning of another request", "OS001", lambda: one.begin(rows[4:5]))
    taken, _ = two.turn(100)
    check(dict(taken)[ids[4]] == dict(rows)[ids[4]] + 1, "the fence has grown for the next")
    memory = two.connection.value("SELECT memory FROM offstage.leased($1, $2, $3)", two.id, two.incarnation,
                                  libpq.array([ids[4]]))
    check(memory == "\\x7b7d", "and the memory has come along")
    one.join()
    check(one.finish(rows[4:5]) == [], "a report with an old fence is refused, also of a member that has come back")
    check(one.turn(10)[0] == [], "and it gets nothing that another holds")
    clone = Member.__new__(Member)
    clone.__dict__.update(two.__dict__)
    clone.turn(0)
    refused("of two processes with one incarnation one is refused", "OS001", lambda: two.turn(0))
    two.beat = clone.beat
    check(two.finish(taken) == [row for row, _ in taken], "the rest ends")

    once, = submit(submitter, [{"is_repeatable": False}])
    rows, _ = one.turn(5)
    check(one.begin(rows) == [once], "a request that must not be repeated is begun")
    silence(admin, one)
    two.turn(0)
    check(state_of(admin, once) == 13, "if its member is lost its end is unknown")
    check([int(row[0]) for row in submitter.query("SELECT * FROM offstage.retry_rows($1)", libpq.array([once]))] == [once],
          "and a person may retry it")
    rows, _ = two.turn(1)
    check(rows == [(once, 1025)], "with a fence that has grown to the next multiple of 1024, and its leases counted anew")
    silence(admin, two)
    one.join()
    one.turn(0)
    check(state_of(admin, once) == 0, "before it is begun it simply waits again")
    drain_queue(admin)


def people(server, admin):
    submitter, operator = server.connect("offstage_test_submitter"), server.connect("offstage_test_operator")
    one = Member(server, "one", ["site=seoul"])
    ids = submit(submitter, [{"path": "a", "requires": "{site=busan}"}, {"path": "b", "requires": "{site=seoul}"},
                             {"path": "c", "requires": "{member=one}"}, {"path": "d", "priority": 90}])
    rows, _ = one.turn(2)
    check({row for row, _ in rows} < {ids[1], ids[2], ids[3]} and rows[0][0] == ids[3], "labels and priority decide")
    rest, _ = one.turn(10)
    check({row for row, _ in rows + rest} == {ids[1], ids[2], ids[3]}, "a row for another site waits")
    facts = submitter.query("SELECT lacking, members FROM offstage.why($1)", ids[0])
    check(facts == [["{site=busan}", "1"]], "and why says what its members lack")
    submitter.query("SELECT offstage.stop_rows($1, 1::smallint)", libpq.array([ids[1], ids[0]]))
    check(state_of(admin, ids[0]) == 12 and state_of(admin, ids[1]) == 1, "what waits is cancelled at once")
    check(one.turn(0)[1] == {ids[1]: 1}, "and what is under way by its member")
    check(one.begin([row for row in rows + rest if row[0] == ids[1]]) == [], "which begins no other request")
    one.give_back([row for row in rows + rest if row[0] == ids[1]])
    check(state_of(admin, ids[1]) == 12, "given back it is cancelled")
    submitter.query("SELECT offstage.stop_rows($1, 2::smallint)", libpq.array([ids[2]]))
    one.give_back([row for row in rows + rest if row[0] == ids[2]])
    check(state_of(admin, ids[2]) == 3 and one.turn(9)[0] == [], "a paused row stays where it is")
    submitter.query("SELECT * FROM offstage.retry_rows($1)", libpq.array([ids[2]]))
    (row, fence), = one.turn(9)[0]
    check(row == ids[2] and fence == 2, "until it may go on")
    admin.query("UPDATE offstage.line SET fence = 20 WHERE id = $1", row)
    submitter.query("SELECT offstage.stop_rows($1, 2::smallint)", libpq.array([row]))
    one.give_back([(row, 20)])
    check(state_of(admin, row) == 3, "also one that was leased often, since a pause says nothing against it")
    admin.query("UPDATE offstage.line SET fence = 2 WHERE id = $1", row)
    submitter.query("SELECT * FROM offstage.retry_rows($1)", libpq.array([row]))
    (row, fence), = one.turn(9)[0]
    one.give_back([(row, fence)], after=3600)
    check(one.turn(9)[0] == [], "a row given back for later waits")
    admin.query("UPDATE offstage.line SET ready_at = now() WHERE id = $1", row)
    silence(admin)
    check([row for row, _ in one.turn(9)[0]] == [ids[2]], "until its time has come")
    limits_and_rules(server, submitter, operator, one)
    counts_and_pages(submitter, admin, ids)
    drain_queue(admin)


def limits_and_rules(server, submitter, operator, one):
    operator.query("SELECT offstage.limit_host('slow.example', 3)")
    slow = submit(submitter, [{"host": "slow.example", "path": f"s{n}"} for n in range(9)])
    two = Member(server, "two")
    got = one.turn(9)[0], two.turn(9)[0]
    check(len(slow) == 9 and len(got[0]) + len(got[1]) == 3, "a server's limit holds over the fleet")
    held = one.connection.query("SELECT kind, id, wanted FROM offstage.turn($1, $2, $3, 30, 0, 5, 0)", one.id, one.incarnation,
                                one.next_beat())
    check(held == [["3", "0", "1"]], "and a member hears that rows wait for it")
    one.finish(got[0][:2])
    check(len(two.turn(9)[0]) == 2, "and frees what has ended")
    operator.query("SELECT offstage.pause_queue('default', true)")
    one.finish(got[0][2:])
    check(one.turn(9)[0] == [], "a paused queue gives nothing")
    operator.query("SELECT offstage.pause_queue('default', false)")
    operator.query("SELECT offstage.drain_member('one', true)")
    check(one.turn(9)[0] == [], "nor does a draining member get anything")
    check(two.connection.value("SELECT offstage.drain_member('two', true)") == "t"
          and two.connection.value("SELECT offstage.drain_member('two', false)") == "t", "a member may drain itself")
    stranger = server.connect("offstage_test_member2")
    check(stranger.value("SELECT offstage.drain_member('two', true)") == "f", "and no other login's")
    check(len(two.turn(9)[0]) == 1, "others do")
    operator.query("SELECT offstage.set_policy('phones', '{site=seoul}', '{\"rateLimit\":1000}')")
    kinds = one.connection.query("SELECT kind, id, spec FROM offstage.turn($1, $2, $3, 30, 0, 0, 0) ORDER BY kind", one.id,
                                 one.incarnation, one.next_beat())
    check(kinds[0][::2] == ["2", '{"rateLimit":1000}'], "rules reach the members with their labels")
    check(kinds[1] == ["3", "1", None], "and a draining member hears that it drains")


def counts_and_pages(submitter, admin, ids):
    counts = {int(state): int(rows) for state, rows in submitter.query(
        "SELECT state, sum(rows) FROM offstage.count GROUP BY state")}
    exact = {int(state): int(rows) for state, rows in admin.query(
        "SELECT state, count(*) FROM offstage.row GROUP BY state")}
    for state, rows in exact.items():
        listed = submitter.query("SELECT id FROM offstage.list(NULL, $1, 100)", libpq.array([state]))
        check(len(listed) == rows, f"a list of the rows in state {state} has {rows}")
    check(len(submitter.query("SELECT id FROM offstage.list($1, NULL, 2)", ids[3])) == 2, "a page is as long as asked for")
    check(counts == exact, f"counts are exact: {counts}")


def ends_and_limits(server, admin):
    """What ends while a limit is set leaves no slot behind; a row that ends its members is set aside; labels and keys are kept apart."""
    submitter, operator = server.connect("offstage_test_submitter"), server.connect("offstage_test_operator")
    one = Member(server, "one")
    row, = submit(submitter, [{"host": "busy.example"}])
    rows, _ = one.turn(5)
    one.connection.script("BEGIN")
    one.finish(rows)
    setting = threading.Thread(target=lambda: operator.query("SELECT offstage.limit_host('busy.example', 1)"))
    setting.start()
    setting.join(0.5)
    one.connection.script("COMMIT")
    setting.join()
    check(admin.value("SELECT count(*) FROM offstage.slot") == "0", "a row that ends while a limit is set leaves no slot")
    submit(submitter, [{"host": "busy.example"}])
    check(len(one.turn(5)[0]) == 1, "and the next one is leased")
    refused("a member cannot take another's name for a label", "22023", lambda: Member(server, "two", ["member=one"]))
    row, = submit(submitter, [{"path": "deadly"}])
    one.turn(5)
    admin.query("UPDATE offstage.line SET fence = 20 WHERE id = $1", row)
    silence(admin, one)
    Member(server, "three").turn(0)
    check(state_of(admin, row) == 11, "a row whose members were lost again and again has failed")
    drain_queue(admin)


def storm(server, admin, rows=3000, seconds=8):
    """Several members, some of which stop beyond their lease and go on: no row is held twice by fence, and each ends once."""
    submitter = server.connect("offstage_test_submitter")
    ids = set(submit(submitter, [{"path": f"{n}"} for n in range(rows)]))
    admin.script("UPDATE offstage.fleet SET lease_seconds = 2")
    ends, leases, fenced, lock = {}, {}, [0], threading.Lock()
    stop = time.monotonic() + seconds

    def run(number):
        chance = random.Random(number)
        member = Member(server, f"storm{number}")
        while time.monotonic() < stop:
            try:
                got, _ = member.turn(25, lease=1)
                with lock:
                    for row, fence in got:
                        # The heart of it: one holder for each row and fence.
                        if (row, fence) in leases:
                            failures.append(f"row {row} was leased twice with fence {fence}")
                        leases[row, fence] = member.id
                if chance.random() < 0.06:
                    time.sleep(1.5)
                done = member.finish(got)
                with lock:
                    for row in done:
                        if row in ends:
                            failures.append(f"row {row} ended twice")
                        ends[row] = member.id
            except libpq.Refused as error:
                if error.code == "OS001":
                    with lock:
                        fenced[0] += 1
                    member.join()
                elif error.code not in ("40P01", "40001"):
                    failures.append(f"member {number}: {error}")
                    return
    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = Member(server, "last")
    admin.script("UPDATE offstage.fleet SET lease_seconds = 30, swept_at = '-infinity'")
    silence(admin, *[_ByID(number) for number, in admin.query("SELECT id FROM offstage.member WHERE name LIKE 'storm%'")])
    while True:
        admin.script("UPDATE offstage.fleet SET swept_at = '-infinity'")
        got, _ = last.turn(1000)
        if not got:
            break
        for row in last.finish(got):
            if row in ends:
                failures.append(f"row {row} ended twice")
            ends[row] = last.id
    again = sum(1 for _, fence in leases if fence > 1)
    check(set(ends) == ids, f"of {rows} rows each ended once: {len(ends)}; {again} were leased again, "
          f"{fenced[0]} times a member was fenced")
    check(again > 0 and fenced[0] > 0, "and the storm was one")
    drain_queue(admin)


class _ByID:
    def __init__(self, number):
        self.id = number


def timed(call):
    began = time.monotonic()
    result = call()
    return time.monotonic() - began, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.parse_args()
    if postgres.binaries() is None:
        print("needs PostgreSQL's server (apt: postgresql)")
        return 77
    server = postgres.Server(SERVER)
    try:
        with server.connect(database="postgres") as first:
            first.script("CREATE DATABASE fleet")
        admin = server.connect()
        steps = list(range(1, len(os.listdir(postgres.MIGRATIONS)) + 1))
        check(postgres.migrate(admin, up_to=3) == steps[:3] and postgres.migrate(admin) == steps[3:]
              and postgres.migrate(admin) == [], "migrations are applied once, also from half-way on")
        for role in ROLES:
            for login in (f"offstage_test_{role}", f"offstage_test_{role}2"):
                admin.script(f"CREATE ROLE {login} LOGIN INHERIT IN ROLE offstage_{role}")
        admin.script("CREATE ROLE offstage_test_nobody LOGIN")
        rights(server, admin)
        leases(server, admin)
        people(server, admin)
        ends_and_limits(server, admin)
        storm(server, admin)
    finally:
        server.stop()
    print("\n".join(["", *(f"FAILED {one}" for one in failures)]) if failures else "\nEverything holds.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
