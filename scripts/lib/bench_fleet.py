# SPDX-License-Identifier: Apache-2.0
"""A fleet's database with a million rows: submitting, leasing and ending, size and questions, beside pgbench on the same server."""

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

import fleet_sql_check
import offstage
import postgres
import processes
from bench_report import row

# fsync and synchronous_commit are on.
SERVER = ("shared_buffers = 256MB", "max_wal_size = 4GB", "autovacuum_naptime = 5s", "max_connections = 50",
          "checkpoint_timeout = 15min")
MEMBERS, AT_A_TIME, CALLS = 8, 100, 21


class Stage:
    """A server with a fleet, and the logins of its people."""

    def __init__(self, options):
        self.folder = tempfile.mkdtemp(prefix="offstage-bench-fleet-", dir=options.disk)
        self.server = postgres.Server(SERVER)
        self.ours = offstage.Offstage(options.binaries, os.path.join(self.folder, "home"))
        with self.server.connect(database="postgres") as first:
            first.script("CREATE DATABASE fleet")
        self.admin = self.server.connect()
        self.fleet("init")
        for role in ("member", "submitter", "viewer"):
            self.fleet("grant", "--create", role, f"bench_{role}")

    def environment(self, login):
        return dict(self.ours.environment, OFFSTAGE_FLEET_DATABASE=self.server.words(login))

    def fleet(self, *words, login="postgres"):
        return subprocess.run([self.ours.command, "fleet", *words], env=self.environment(login), check=True, text=True,
                              capture_output=True).stdout

    def sizes(self):
        """Bytes of each table with its indexes; partitions under their parent's name. What rows only pass through is left out."""
        return {name: int(size) for name, size in self.admin.query("""
            SELECT coalesce(p.relname, c.relname), sum(pg_total_relation_size(c.oid))
            FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
            WHERE c.relnamespace = 'offstage'::regnamespace AND c.relkind = 'r' AND c.relname <> 'intake'
            GROUP BY 1 HAVING sum(pg_total_relation_size(c.oid)) > 1000000 ORDER BY 1""")}

    def close(self):
        self.admin.close()
        self.server.stop()
        shutil.rmtree(self.folder)


def run(report, options):
    if postgres.binaries() is None:
        print("fleet: left out, as it needs PostgreSQL's server (apt: postgresql)")
        return
    print(f"\nA fleet's database, {options.fleet_rows:,} rows")
    stage = Stage(options)
    try:
        measure(stage, report, options.fleet_rows)
    finally:
        stage.close()


def measure(stage, report, rows):
    took, cpu = submit(stage, rows)
    report.verdict(f"{rows:,} rows submitted by offstage upload --fleet", took, 60 * rows / 1e6, " s",
                   text=f"{rows / took:,.0f} a second; the command itself {cpu:.1f} s of CPU")
    loaded = stage.sizes()
    fleet_sql_check.Member(stage.server, "seoul", ["site=seoul"], login="bench_member")
    questions = ask(stage, report, rows, "waiting")
    seconds, shares = lease(stage, rows)
    ended = int(stage.admin.value("SELECT count(*) FROM offstage.ended"))
    if ended != rows or sum(shares) != rows:
        raise SystemExit(f"of {rows} rows {ended} have ended, and members have ended {sum(shares)}")
    report.verdict(f"rows leased and ended, {MEMBERS} members, {AT_A_TIME} at a time", rows / seconds, 5000, " rows/s",
                   at_least=True, text=f"in {seconds:.1f} s; shares {min(shares):,} to {max(shares):,}")
    after = stage.sizes()
    print(f"    sizes: {mebibytes(loaded)}; at the end {mebibytes(after)}")
    report.verdict("tables and indexes after all ends, against all waiting", sum(after.values()) / sum(loaded.values()), 2, " ×")
    questions |= ask(stage, report, rows, "ended")
    report.case("fleet", rows=rows, submitted=took, submit_cpu=cpu, leased=seconds, shares=shares, sizes_waiting=loaded,
                sizes_ended=after, questions=questions, pgbench=ceiling(stage, rows / seconds))


def submit(stage, rows):
    """Has the command submit a list of files that are on other machines' storage; returns its seconds and its CPU's."""
    path = os.path.join(stage.folder, "list")
    with open(path, "w") as file:
        for number in range(rows):
            name = f"2026/11/27/DSC_{number:07}.jpg"
            file.write(json.dumps({"path": f"/mnt/media/{name}", "url": f"https://files{number % 4}.example/in/{name}",
                                   "bytes": 65536, "modifiedNs": 1764200000000000000, "on": ["site=seoul"]}) + "\n")
    with open(path) as file:
        code, wall, cpu = processes.run_measured(
            [stage.ours.command, "upload", "--fleet", "--quiet", "-"], env=stage.environment("bench_submitter"), stdin=file)
    os.unlink(path)
    if code != 0 or stage.admin.value("SELECT count(*) FROM offstage.line") != str(rows):
        raise SystemExit(f"the list was not submitted: status {code}")
    return wall, cpu


def ask(stage, report, rows, when):
    """What list, show and why ask the database; their bar is for the median, as others work on the machine."""
    viewer = stage.server.connect("bench_viewer")
    middle = int(stage.admin.value("SELECT min(id) FROM offstage.item")) + rows // 2
    queries = {
        "list, newest": ("SELECT * FROM offstage.list(NULL, NULL, 50)",),
        "list, a page in the middle": ("SELECT * FROM offstage.list($1, NULL, 50)", middle),
        "list, waiting": ("SELECT * FROM offstage.list(NULL, '{0}', 50)",),
        "list, under way": ("SELECT * FROM offstage.list(NULL, '{1}', 50)",),
        "list, paused or for later": ("SELECT * FROM offstage.list(NULL, '{2,3}', 50)",),
        "list, failed or unknown": ("SELECT * FROM offstage.list(NULL, '{11,13}', 50)",),
        "counts": ("SELECT state, sum(rows) FROM offstage.count GROUP BY state",),
        "why": ("SELECT * FROM offstage.why($1)", middle),
    }
    times = {}
    for name, (text, *values) in queries.items():
        viewer.query(text, *values)
        took = sorted(fleet_sql_check.timed(lambda: viewer.query(text, *values))[0] * 1000 for _ in range(CALLS))
        times[f"{name}, {when}"] = took
        report.verdict(f"{name}, all rows {when}", statistics.median(took), 50, " ms", text=f"worst of {CALLS}: {took[-1]:.1f} ms")
    viewer.close()
    for words in (["list"], ["why", str(middle)]):
        took = [fleet_sql_check.timed(lambda: stage.fleet(*words, login="bench_viewer"))[0] for _ in range(5)]
        row(f"fleet {words[0]}, from its start to its end", took)
    return times


def lease(stage, rows):
    """Leases and ends all rows by the functions that members call; returns seconds, and each member's share."""
    shares = [0] * MEMBERS

    def work(number):
        member = fleet_sql_check.Member(stage.server, f"bench{number}", ["site=seoul"], login="bench_member")
        in_vain = 0
        while in_vain < 3:
            # Everything that a member would read is made and sent.
            got = member.connection.query(
                "SELECT * FROM offstage.turn($1, $2, $3, 30, 0, $4, 0) WHERE kind = 0", member.id, member.incarnation,
                member.next_beat(), AT_A_TIME)
            pairs = [(int(one[1]), int(one[2])) for one in got]
            in_vain = 0 if pairs else in_vain + 1
            if pairs:
                shares[number] += len(member.finish(pairs))
    threads = [threading.Thread(target=work, args=(number,)) for number in range(MEMBERS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - began, shares


def ceiling(stage, ours):
    """pgbench's own simple update on the same server; each of its transactions changes two rows and adds one."""
    command = [f"{stage.server.programs}/pgbench", "-h", stage.server.folder, "-U", "postgres"]
    subprocess.run([*command, "-i", "-q", "-s", "20", "fleet"], check=True, capture_output=True)
    done = subprocess.run([*command, "-b", "simple-update", "-c", str(MEMBERS), "-j", "2", "-T", "15", "-n", "-M", "prepared",
                           "fleet"], check=True, capture_output=True, text=True)
    rate = float(next(line for line in done.stdout.split("\n") if line.startswith("tps")).split()[2])
    print(f"    pgbench simple-update, {MEMBERS} connections: {rate:,.0f} transactions/s; a fleet's row costs "
          f"{rate / ours:.2f} of one")
    return rate


def mebibytes(tables):
    return ", ".join(f"{name} {size >> 20}" for name, size in tables.items()) + f" = {sum(tables.values()) >> 20} MiB"
