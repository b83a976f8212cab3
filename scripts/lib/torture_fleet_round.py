# SPDX-License-Identifier: Apache-2.0
"""One torture round of a fleet: many files through several members, and everything that takes part is killed on the way."""

import collections
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import fleet_database
import fleet_receiver
import libpq
import offstage
import processes
import torture_base

# Seconds that a member with rows may be silent; in a round of few files, which is to be short, the second.
LEASES = 4, 2
FEW = 1000
# How much longer than that a member is stopped or cut off.
SILENCE = 1.25, 2
# Seconds between two events, for each second of the lease.
PAUSE = 0.05, 0.3
# Seconds that the end may take once nothing is killed any more.
PATIENCE = 300
MEBIBYTE = 1 << 20
# What happens, and how often beside the others.
EVENTS = {"member": 40, "daemon": 25, "machine": 12, "receiver": 8, "stop": 6, "database": 3, "failover": 2, "link": 4}
# Notes each lease, as no fence of a row is given twice, and each memory, for whoever looks into a failure.
AUDIT = """
CREATE TABLE public.lease_audit (id bigint, fence integer, member integer, at timestamptz DEFAULT clock_timestamp(),
    PRIMARY KEY (id, fence));
CREATE FUNCTION public.audit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO public.lease_audit (id, fence, member) VALUES (NEW.id, NEW.fence, NEW.member); RETURN NEW; END $$;
CREATE TRIGGER audit AFTER UPDATE OF fence ON offstage.line FOR EACH ROW
    WHEN (NEW.fence > OLD.fence) EXECUTE FUNCTION public.audit();
CREATE TABLE public.memory_audit (number bigserial, at timestamptz DEFAULT clock_timestamp(), what text, id bigint,
    fence integer, beat bigint, bytes_done bigint, length integer);
CREATE FUNCTION public.audit_memory() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE it offstage.memory := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; BEGIN
    INSERT INTO public.memory_audit (what, id, fence, beat, bytes_done, length)
    VALUES (TG_OP, it.id, it.fence, it.beat, it.bytes_done, length(it.body)); RETURN it; END $$;
CREATE TRIGGER audit_memory AFTER INSERT OR UPDATE OR DELETE ON offstage.memory FOR EACH ROW
    EXECUTE FUNCTION public.audit_memory();
"""


class Member:
    """A machine: a home with its daemon, and the member's process, which somebody starts again when it has ended."""

    def __init__(self, round, number, namespace=None):
        self.round = round
        self.name = f"m{number}"
        self.namespace = namespace
        self.offstage = offstage.Offstage(
            round.binaries, os.path.join(round.directory, self.name),
            {"retryBaseDelay": 0.1, "retryMaximumDelay": 1, "rateLimit": max(4 * MEBIBYTE, round.big_size // 8)})
        self.environment = dict(self.offstage.environment, OFFSTAGE_FLEET=round.program)
        self.log = open(os.path.join(round.directory, f"{self.name}.log"), "ab")
        self.process = None
        self.continues_at = None
        self.starts_at = 0

    def prefix(self):
        return ["ip", "netns", "exec", self.namespace] if self.namespace else []

    def join(self):
        words = self.round.database.words("works")
        if self.namespace:
            words = self.round.database.remote_words("works", self.round.authority)
        done = subprocess.run(
            [*self.prefix(), self.round.program, "join", "--name", self.name, "--share", self.round.sources, "--rows", "8",
             "--key", self.round.key], env=dict(self.environment, OFFSTAGE_FLEET_DATABASE=words), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name} did not join: {done.stderr.strip()}")

    def start(self):
        self.process = processes.watch(processes.start(
            [*self.prefix(), self.round.program, "member", "run"], env=self.environment, stdout=self.log, stderr=self.log))

    def tend(self, now):
        """What a service manager does, and somebody who continues what was stopped."""
        if self.continues_at is not None and now >= self.continues_at:
            self.continues_at = None
            self.signal(signal.SIGCONT)
        if self.process is None or self.process.poll() is None:
            return
        if self.starts_at == 0:
            self.starts_at = now + self.round.rng.uniform(0, 1.5)
        elif now >= self.starts_at:
            self.starts_at = 0
            self.start()

    def signal(self, number):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def daemons(self):
        """The daemon that has the lock of this home, if one runs."""
        try:
            with open(os.path.join(self.offstage.home, "daemon.lock")) as file:
                pid = int(file.readline().split()[0])
            with open(f"/proc/{pid}/comm") as file:
                return [pid] if file.read() == "offstaged\n" else []
        except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
            return []

    def kill_daemon(self):
        for pid in self.daemons():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class FleetRound(torture_base.BaseRound):
    troubles = (*torture_base.TROUBLES, libpq.Refused)

    def __init__(self, seed, number, directory, binaries, files, members, big, big_size=256, without=()):
        super().__init__(directory, dict.fromkeys(EVENTS, 0))
        self.rng = random.Random(f"{seed}/{number}/fleet")
        self.binaries = binaries
        self.program = os.path.join(os.path.abspath(binaries), "offstage-fleet")
        self.sources = os.path.join(directory, "sources")
        self.files, self.big, self.big_size = files, big, big_size << 20
        self.count = members
        self.lease = LEASES[files < FEW]
        self.members, self.receiver, self.database, self.network = [], None, None, None
        self.authority = self.key = None
        self.events = {name: weight for name, weight in EVENTS.items() if name not in without}

    # MARK: The stage

    def perform(self):
        self.set_up()
        self.play()
        self.check()

    def set_up(self):
        os.makedirs(self.sources)
        # PostgreSQL runs as a user of its own, which passes through these two folders to its own.
        for folder in (self.directory, os.path.dirname(self.directory)):
            os.chmod(folder, 0o711)
        self.network = Network.make() if "link" in self.events else None
        certificate = None
        if self.network:
            self.authority, *certificate = make_certificate(self.directory, self.network.address)
        elif "link" in self.events:
            del self.events["link"]
            print("       no network namespace loses its link: that needs root and ip", flush=True)
        self.database = fleet_database.Pair(
            os.path.join(self.directory, "database"), self.network.address if self.network else None, certificate)
        self.operator, self.submitter = (
            offstage.Offstage(self.binaries, os.path.join(self.directory, name)) for name in ("operator", "submitter"))
        made = json.loads(self.fleet(self.operator, "init", "--json", database=self.database.words()))
        for role, login in (("member", "works"), ("submitter", "sends")):
            self.fleet(self.operator, "grant", "--create", role, login)
        self.fleet(self.submitter, "use", "--fingerprint", made["fingerprint"], database=self.database.words("sends"))
        with self.database.primary.connect() as admin:
            admin.script(AUDIT)
            # So many leases are lost here that a row could be set aside for that.
            admin.query("UPDATE offstage.fleet SET lease_seconds = $1, most_leases = 1000", self.lease)
        self.key = os.path.join(self.operator.home, "fleet.key")
        self.host = self.network.address if self.network else "127.0.0.1"
        self.port = processes.free_port()
        self.start_receiver()
        for number in range(self.count):
            is_apart = self.network is not None and number == self.count - 1
            member = Member(self, number, self.network.name if is_apart else None)
            member.join()
            self.members.append(member)

    def fleet(self, person, *words, database=None, input=None):
        variables = {"OFFSTAGE_FLEET_DATABASE": database} if database else {}
        done = subprocess.run([self.program, *words], env=dict(person.environment, **variables), input=input,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"offstage-fleet {words[0]}: {done.stderr.strip()}")
        return done.stdout

    def start_receiver(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fleet_receiver.py")
        self.receiver = processes.watch(processes.start(
            [sys.executable, script, os.path.join(self.directory, "received"), self.host, str(self.port)],
            stdout=subprocess.PIPE, stderr=open(os.path.join(self.directory, "receiver.log"), "ab")))
        self.receiver.stdout.readline()

    def make_sources(self):
        """Small files of many sizes, and some that are large. Returns the list that is submitted.

        None is empty: tus makes an empty file with the request that creates its upload, which no offset and no key protects.
        """
        lines = []
        block = self.rng.randbytes(MEBIBYTE)
        for number in range(self.files + self.big):
            name = f"{number}.bin"
            size = self.big_size if number >= self.files else self.rng.choice((1, 700, 4096, 20_000, 65_536))
            with open(os.path.join(self.sources, name), "wb") as file:
                file.write(f"{number}\n".encode()[:size])
                left = max(0, size - len(f"{number}\n"))
                while left:
                    left -= file.write(block[:left])
            lines.append(f"{os.path.join(self.sources, name)}\thttp://{self.host}:{self.port}/in/{name}")
        # Large ones first, so that kills find them under way.
        return lines[self.files:] + lines[:self.files]

    # MARK: The play

    def play(self):
        lines = self.make_sources()
        began = time.monotonic()
        self.fleet(self.submitter, "upload", "--fleet", "--protocol", "tus", "-", input="\n".join(lines) + "\n")
        self.times["submitted"] = time.monotonic() - began
        for member in self.members:
            member.start()
        began = time.monotonic()
        self.torture()
        self.bring_home()
        self.times["all sent"] = time.monotonic() - began

    def torture(self):
        """Kills until each kind of event has happened and two thirds of the rows have ended."""
        names, weights = list(self.events), list(self.events.values())
        first = self.rng.sample(names, len(names))
        deadline = time.monotonic() + 60 + (self.files + self.big * self.big_size / 500_000) / 20
        goal = (self.files + self.big) * 2 // 3
        next_look, ended = 0, 0
        while time.monotonic() < deadline and (first or ended < goal or self.is_big_under_way()):
            self.rest(self.lease * self.rng.uniform(*PAUSE))
            self.do(first.pop() if first else self.rng.choices(names, weights)[0])
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + 2
                ended = self.ended()

    def is_big_under_way(self):
        with self.database.primary.connect() as admin:
            return self.big and admin.value(
                "SELECT count(*) FROM offstage.item i JOIN offstage.line l USING (id) WHERE i.bytes > 1000000") != "0"

    def ended(self):
        with self.database.primary.connect() as admin:
            return int(admin.value("SELECT count(*) FROM offstage.ended"))

    def rest(self, seconds):
        end = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            for member in self.members:
                member.tend(now)
            if self.network:
                self.network.tend(now)
            processes.reap_orphans()
            if now >= end:
                return
            time.sleep(0.02)

    def do(self, event):
        rng = self.rng
        member = self.sender() if event in ("machine", "stop") else rng.choice(self.members)
        self.kills[event] += 1
        if event == "member":
            member.signal(signal.SIGKILL)
        elif event == "daemon":
            member.kill_daemon()
        elif event == "machine":
            member.signal(signal.SIGKILL)
            member.kill_daemon()
            # Often for so long that others take its rows.
            member.starts_at = time.monotonic() + self.lease * rng.uniform(0.2, 2)
        elif event == "receiver":
            self.receiver.kill()
            self.receiver.wait()
            self.rest(rng.uniform(0, 1))
            self.start_receiver()
        elif event == "stop":
            if member.continues_at is None:
                member.signal(signal.SIGSTOP)
                member.continues_at = time.monotonic() + self.lease * rng.uniform(*SILENCE)
        elif event == "database":
            self.database.crash()
        elif event == "failover":
            self.database.replace()
        elif event == "link":
            self.network.cut(time.monotonic() + self.lease * rng.uniform(*SILENCE))

    def sender(self):
        """A member that sends a large file, so that another has to go on with it; any if there is none."""
        with self.database.primary.connect() as admin:
            names = {name for name, in admin.query(
                "SELECT m.name FROM offstage.line l JOIN offstage.item i USING (id) JOIN offstage.member m ON m.id = l.member "
                "WHERE l.state = 1 AND i.bytes > 1000000")}
        return self.rng.choice([member for member in self.members if member.name in names] or self.members)

    def bring_home(self):
        """Nothing is killed any more: everything is to end by itself."""
        last, since = None, time.monotonic()
        while True:
            self.rest(0.5)
            with self.database.primary.connect() as admin:
                left = int(admin.value("SELECT count(*) FROM offstage.line"))
            if left == 0:
                return
            if left != last:
                last, since = left, time.monotonic()
            if time.monotonic() - since > PATIENCE:
                raise TimeoutError(f"{left} rows do not end")

    # MARK: What must hold

    def check(self):
        with self.database.primary.connect() as admin:
            results = dict(admin.query("SELECT result, count(*) FROM offstage.ended GROUP BY result"))
            if results != {"0": str(self.files + self.big)}:
                some = admin.query("SELECT id, detail FROM offstage.ended WHERE result <> 0 LIMIT 3")
                self.problems.append(f"rows ended as {results}, not {self.files + self.big} as done: {some}")
            leases = admin.query("SELECT count(*), count(DISTINCT id) FROM public.lease_audit")[0]
            wrong = admin.value("SELECT count(*) FROM offstage.ended e LEFT JOIN public.lease_audit a ON a.id = e.id "
                                "AND a.fence = e.fence AND a.member = e.member WHERE a.id IS NULL")
            moved = int(admin.value("SELECT count(*) FROM (SELECT id FROM public.lease_audit GROUP BY id "
                                    "HAVING count(DISTINCT member) > 1) t"))
            if wrong != "0":
                self.problems.append(f"{wrong} rows were ended by somebody who did not have the lease of that fence")
            last = admin.value("SELECT count(*) FROM offstage.ended e JOIN public.lease_audit a ON a.id = e.id "
                               "AND a.fence > e.fence")
            if last != "0":
                self.problems.append(f"{last} rows were ended under a fence that was not their last")
            large = admin.query("SELECT count(*), count(DISTINCT (a.id, a.member)) FROM public.lease_audit a "
                                "JOIN offstage.item i USING (id) WHERE i.bytes > 1000000")[0]
            for table in ("memory", "slot"):
                left = admin.value(f"SELECT count(*) FROM offstage.{table}")
                if left != "0":
                    self.problems.append(f"{left} rows are left in {table}")
        self.counts.update({"leases": int(leases[0]), "rows that another member went on with": moved,
                            "leases of large files": int(large[0]), "members that sent of large files": int(large[1])})
        self.check_log()
        self.check_daemons()

    def check_log(self):
        log = fleet_receiver.read_log(os.path.join(self.directory, "received"))
        completed = collections.Counter(entry["name"] for entry in log if entry["what"] == "completed")
        created = collections.Counter(entry["name"] for entry in log if entry["what"] == "created")
        names = {f"{number}.bin" for number in range(self.files + self.big)}
        if missing := names - set(completed):
            self.problems.append(f"{len(missing)} files did not arrive, such as {sorted(missing)[:3]}")
        if twice := [name for name, count in completed.items() if count > 1]:
            self.problems.append(f"{len(twice)} files arrived more than once, such as {sorted(twice)[:3]}")
        for entry in log:
            if entry["what"] == "completed":
                received = os.path.join(self.directory, "received", "uploads", entry["id"])
                if digest(received) != digest(os.path.join(self.sources, entry["name"])):
                    self.problems.append(f"{entry['name']} is not what was sent")
        names_of = {entry["id"]: entry["name"] for entry in log if entry["what"] == "created"}
        bytes_of = collections.Counter()
        for entry in log:
            if entry["what"] in ("took", "refused"):
                bytes_of[names_of.get(entry["id"])] += entry["received"]
        sizes = {name: os.path.getsize(os.path.join(self.sources, name)) for name in names}
        self.counts["upload sessions beyond one a file"] = sum(created.values()) - len(created)
        self.counts["KiB that the server got twice"] = sum(max(0, bytes_of[name] - sizes[name]) for name in names) >> 10
        for number in range(self.files, self.files + self.big):
            name = f"{number}.bin"
            self.counts["KiB of large files that it got twice"] = self.counts.get("KiB of large files that it got twice", 0) + (
                max(0, bytes_of[name] - sizes[name]) >> 10)
            self.counts["sessions of large files"] = self.counts.get("sessions of large files", 0) + created[name]

    def check_daemons(self):
        """Nothing of the fleet is left at a daemon, once each member that was killed, stopped or cut off is back."""
        deadline = time.monotonic() + 30
        for member in self.members:
            while (left := member.offstage.rows()) and time.monotonic() < deadline:
                self.rest(0.1)
            if left:
                self.problems.append(f"{member.name}'s daemon did not forget {len(left)} transfers in 30 s, such as {left[:3]}; "
                                     f"its member {'runs' if member.process.poll() is None else 'does not run'}")

    def clean_up(self):
        for member in self.members:
            member.signal(signal.SIGCONT)
            member.signal(signal.SIGKILL)
            if member.process is not None:
                member.process.wait()
            member.kill_daemon()
            member.log.close()
        if self.receiver is not None:
            self.receiver.kill()
            self.receiver.wait()
        if self.database is not None:
            self.database.stop()
        if self.network is not None:
            self.network.remove()


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else \
            hashlib.sha256(file.read()).hexdigest()


def make_certificate(folder, address):
    """An authority, and a certificate of it for an address: paths of (authority, certificate, key)."""
    authority, key, request, certificate = (
        os.path.join(folder, name) for name in ("ca.pem", "server.key", "server.csr", "server.pem"))
    ca_key, extensions = os.path.join(folder, "ca.key"), os.path.join(folder, "extensions")
    with open(extensions, "w") as file:
        file.write(f"subjectAltName=IP:{address}\n")
    for words in (
        ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", ca_key, "-out", authority, "-subj", "/CN=torture", "-days", "2"],
        ["req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request, "-subj", f"/CN={address}"],
        ["x509", "-req", "-in", request, "-CA", authority, "-CAkey", ca_key, "-CAcreateserial", "-out", certificate, "-days", "2",
         "-extfile", extensions],
    ):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    for path in (authority, certificate):
        os.chmod(path, 0o644)
    return authority, certificate, key


class Network:
    """A network namespace, and the pair of links by which it reaches this machine."""

    def __init__(self, name, octet):
        self.name, self.link = name, f"{name}h"
        self.address, self.inside = f"10.213.{octet}.1", f"10.213.{octet}.2"
        self.returns_at = None

    @staticmethod
    def make():
        """None where that is not possible."""
        if os.geteuid() != 0 or shutil.which("ip") is None:
            return None
        octet = os.getpid() % 250 + 1
        network = Network(f"ofl{os.getpid() % 100000}", octet)
        steps = (
            ["ip", "netns", "add", network.name],
            ["ip", "link", "add", network.link, "type", "veth", "peer", "name", "inner", "netns", network.name],
            ["ip", "addr", "add", f"{network.address}/24", "dev", network.link],
            ["ip", "link", "set", network.link, "up"],
            ["ip", "-n", network.name, "addr", "add", f"{network.inside}/24", "dev", "inner"],
            ["ip", "-n", network.name, "link", "set", "inner", "up"],
            ["ip", "-n", network.name, "link", "set", "lo", "up"],
        )
        for words in steps:
            if subprocess.run(words, capture_output=True).returncode != 0:
                network.remove()
                return None
        return network

    def cut(self, until):
        if self.returns_at is None:
            self.returns_at = until
            subprocess.run(["ip", "link", "set", self.link, "down"], check=False)

    def tend(self, now):
        if self.returns_at is not None and now >= self.returns_at:
            self.returns_at = None
            subprocess.run(["ip", "link", "set", self.link, "up"], check=False)

    def remove(self):
        subprocess.run(["ip", "link", "del", self.link], capture_output=True)
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True)
