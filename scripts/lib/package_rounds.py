# SPDX-License-Identifier: Apache-2.0
"""What is done with a package in a fresh Debian, and what has to come of it."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

import processes

HERE = pathlib.Path(__file__).resolve().parent
KIB = 1024


class Wrong(Exception):
    """What is not as it should be."""


def expect(condition, sentence):
    if not condition:
        raise Wrong(sentence)


class Server:
    """A server for uploads on loopback, outside of the container, that takes files named slow… slowly until they are released."""

    def __init__(self, folder, rate):
        self.folder = pathlib.Path(folder)
        self.process = processes.start(
            [sys.executable, HERE / "slow_server.py", self.folder, f"slow={rate}"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.port = int(self.process.stdout.readline())

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def release(self, name):
        """Takes the rest of a slow file at once."""
        (self.folder / f"{name}.go").touch()

    def wait_for(self, name, content, seconds=60):
        """Waits until a file is there whole."""
        limit, path = time.monotonic() + seconds, self.folder / name
        while time.monotonic() < limit:
            if path.exists():
                expect(path.read_bytes() == content, f"{name} arrived, but not as it was sent")
                return
            time.sleep(0.1)
        raise Wrong(f"{name} has not arrived within {seconds} s")

    def stop(self):
        self.process.kill()
        self.process.wait()


class Round:
    """One container, and the steps that are told as they are done."""

    def __init__(self, container, server, deb, previous, fleet):
        self.container, self.server, self.deb, self.previous, self.fleet = container, server, deb, previous, fleet
        self.run = container.run

    def step(self, sentence):
        print(f"  {sentence}", flush=True)

    def bring(self, *paths):
        for path in paths:
            target = self.container.root / "root" / pathlib.Path(path).name
            target.write_bytes(pathlib.Path(path).read_bytes())

    def install(self, deb):
        self.bring(deb)
        return self.run("apt-get", "install", "-y", f"/root/{deb.name}")[0]

    def add_user(self, name):
        self.run("useradd", "--create-home", "--shell", "/bin/bash", name)

    def make_file(self, user, name, kib):
        content = hashlib.sha256(name.encode()).digest() * (kib * KIB // 32)
        path = self.container.root / "home" / user / name
        path.write_bytes(content)
        return content

    def rows(self, user):
        return json.loads(self.run("offstage list --json", user=user)[0])["transfers"]

    def row(self, user, number):
        return next(row for row in self.rows(user) if row["id"] == number)

    def daemons(self, user):
        """The processes of a user's daemon, by their numbers in the container."""
        output, _ = self.run("sh", "-c", f"for p in /proc/[0-9]*; do [ \"$(stat -c %U $p)\" = {user} ] && readlink $p/exe | "
            "grep -q '^/usr/bin/offstaged' && basename $p; done; true")  # fmt: skip
        return output.split()

    def begin_slow(self, user, name):
        """Hands an upload over that takes minutes until it is released, and waits until the server gets bytes of it."""
        content = self.make_file(user, name, 96 * KIB)
        said, _ = self.run(f"offstage upload --json --detach {name} {self.server.url(name)}", user=user)
        number = json.loads(said)["ids"][0]
        self.wait_for(lambda: self.row(user, number)["bytesDone"] > 0, f"{name} does not begin")
        return content, number

    def wait_for(self, condition, sentence, seconds=30):
        limit = time.monotonic() + seconds
        while not condition():
            expect(time.monotonic() < limit, f"{sentence} within {seconds} s")
            time.sleep(0.2)

    def left_behind(self):
        """Files with our name outside of people's homes and of apt's own records."""
        output, _ = self.run("sh", "-c", "find / -xdev -iname '*offstage*' -not -path '/home/*' -not -path '/root/*' "
            "-not -path '/proc/*' -not -path '/sys/*' -not -path '/var/log/*'")  # fmt: skip
        return output.split("\n")[:-1]

    def upload_at_once(self, user):
        """The second of the two commands with which somebody begins."""
        content = self.make_file(user, "fast.bin", 2048)
        said, _ = self.run(f"offstage upload fast.bin {self.server.url('fast.bin')}", user=user)
        self.server.wait_for("fast.bin", content)
        (self.server.folder / "fast.bin").unlink()
        return said

    def upgrade(self, user):
        """A newer package while a transfer runs: it goes on, and arrives whole."""
        content, number = self.begin_slow(user, "slow-upgraded.bin")
        before = self.daemons(user)
        self.install(self.deb)
        expect(self.daemons(user) == before, "the upgrade ended the daemon")
        # From here on it is the new command that speaks to the daemon, and replaces one of a lower version.
        row = self.row(user, number)
        expect(row["state"] in ("running", "waiting", "queued"), f"after the upgrade the transfer is {row['state']}")
        replaced = self.daemons(user) != before
        self.server.release("slow-upgraded.bin")
        self.run(f"offstage wait {number}", user=user)
        self.server.wait_for("slow-upgraded.bin", content)
        versions = self.run("offstage --version; offstage daemon status", user=user)[0]
        self.step(f"an upgrade while a transfer ran: it arrived whole ({'by a new daemon' if replaced else 'by the same daemon'})")
        return versions

    def install_fleet(self, user):
        """The package of fleets beside the other: the command finds it, and without it says what is missing."""
        said, _ = self.run("offstage fleet list", user=user, check=False)
        expect("offstage-fleet was not found" in said, f"without the package of fleets: {said}")
        self.install(self.fleet)
        said, _ = self.run("offstage fleet list", user=user, check=False)
        expect("No fleet is known" in said, f"with the package of fleets: {said}")
        for path in ("usr/share/man/man1/offstage-fleet.1.gz", "usr/share/man/man1/offstage-fleet-join.1.gz",
                     "usr/share/bash-completion/completions/offstage-fleet"):  # fmt: skip
            expect((self.container.root / path).exists(), f"/{path} is not there")
        libraries = self.run("ldd", "/usr/bin/offstage-fleet")[0]
        expect("libpq" in libraries and "libpq" not in self.run("ldd", "/usr/bin/offstaged", "/usr/bin/offstage-page")[0],
               f"what is linked: {libraries}")  # fmt: skip
        self.run("apt-get", "purge", "-y", "offstage-fleet")
        self.step("the package of fleets: the command finds it, and it goes again")

    def remove(self, user):
        """The package goes while a transfer runs; it comes back, and the transfer goes on."""
        content, number = self.begin_slow(user, "slow-removed.bin")
        self.run("apt-get", "remove", "-y", "offstage")
        self.wait_for(lambda: not self.daemons(user), "after the removal the daemon still runs")
        expect(not (self.container.root / "usr/bin/offstage").exists(), "the command is still there")
        expect(self.store(user).exists(), "the removal took the user's store")
        self.step("removed while a transfer ran: the daemon has ended, the user's store is there")
        self.install(self.deb)
        self.server.release("slow-removed.bin")
        self.run(f"offstage wait {number}", user=user)
        self.server.wait_for("slow-removed.bin", content)
        self.step("installed again: the transfer went on and arrived whole")

    def purge(self, user, allowed=()):
        self.run("offstage daemon stop", user=user, check=False)
        self.run("apt-get", "purge", "-y", "offstage")
        rest = [path for path in self.left_behind() if not path.startswith(tuple(allowed) or ("\0",))]
        expect(not rest, f"left behind after the purge: {rest}")
        expect(self.store(user).exists(), "the purge took the user's store")
        self.step("purged: nothing is left but what belongs to users")

    def store(self, user):
        return self.container.root / "home" / user / ".local/share/offstage/store.sqlite"


class PlainRound(Round):
    """Without systemd, as in a container or over SSH on a machine with another init."""

    def carry_out(self):
        swift, _ = self.run("sh", "-c", "find / -xdev -iname '*swift*' -not -path '/proc/*' -not -path '/usr/share/zoneinfo/*'")
        expect(not swift, f"this Debian knows of Swift: {swift}")
        self.run("apt-get", "update", "-q")
        said = self.install(self.previous)
        new = next((line for line in said.splitlines() if "newly installed" in line), "")
        self.step(f"installed in a Debian without Swift: {new}")
        self.add_user("alice")
        self.upload_at_once("alice")
        self.step("an ordinary user's first command: the file arrived")
        for path in ("usr/share/man/man1/offstage-upload.1.gz", "usr/share/bash-completion/completions/offstage"):
            expect((self.container.root / path).exists(), f"/{path} is not there")
        self.upgrade("alice")
        self.install_fleet("alice")
        self.remove("alice")
        self.purge("alice")


class SystemdRound(Round):
    """With systemd: sockets, sessions, lingering, and an account without log-in."""

    def carry_out(self):
        self.install(self.previous)
        for unit, state in [("offstaged.socket", "enabled"), ("offstaged-login.service", "enabled"), ("offstaged.service", "disabled")]:
            said, _ = self.run("systemctl", "--global", "is-enabled", unit, check=False)
            expect(said.strip() == state, f"{unit} is {said.strip()}, not {state}")
        for user in ("alice", "bob"):
            self.add_user(user)
        self.log_in("alice")
        self.verify_units("alice")
        expect(not self.daemons("alice"), "a log-in alone started a daemon")
        self.upload_at_once("alice")
        said, _ = self.run("systemctl --user is-active offstaged.service", user="alice")
        expect(said.strip() == "active", f"the daemon was not started by its socket: {said}")
        self.step("the first command: systemd started the daemon by its socket, and the file arrived")
        self.upgrade("alice")
        self.log_out_and_in("alice")
        self.log_in("bob")
        expect(not self.daemons("bob"), "a log-in started the daemon for somebody who has never used it")
        self.outliving_daemon("carol")
        self.system_account()
        self.member_unit("alice")
        self.remove("alice")
        self.purge("alice", allowed=["/var/lib/offstage"])

    def verify_units(self, user):
        """What systemd itself has to say of the units."""
        said = self.run("systemd-analyze --user --man=no verify /usr/lib/systemd/user/offstaged*", user=user, check=False)[0]
        said += self.run("systemd-analyze", "--man=no", "verify", "/lib/systemd/system/offstaged@.service", check=False)[0]
        expect(not said.strip(), f"systemd-analyze complains: {said}")
        self.step("systemd-analyze has nothing to say of the units")

    def log_in(self, user):
        """A session that lasts, as at a terminal."""
        self.run(
            "systemd-run", "--quiet", "--collect", f"--unit=session-of-{user}", f"--uid={user}", "--property=PAMName=login",
            "sleep", "infinity",
        )  # fmt: skip
        self.wait_for(lambda: self.run("systemctl --user is-active sockets.target", user=user, check=False)[0].strip() == "active",
            "the user's manager does not start")  # fmt: skip

    def log_out_and_in(self, user):
        """Transfers stop with the last session, and go on at the next log-in without a command."""
        content, number = self.begin_slow(user, "slow-login.bin")
        self.run("systemctl", "stop", f"session-of-{user}.service")
        self.run("loginctl", "terminate-user", user, check=False)
        self.wait_for(lambda: not self.daemons(user), "after the last session the daemon still runs")
        expect(not (self.server.folder / "slow-login.bin").exists(), "the transfer had ended before the session")
        self.log_in(user)
        self.server.release("slow-login.bin")
        self.server.wait_for("slow-login.bin", content)
        self.step("logged out and in again: the transfer went on without a command")

    def outliving_daemon(self, user):
        """A command started the daemon, as after the installation; it outlives its session, and serves the next one."""
        self.add_user(user)
        self.log_in(user)
        self.run("systemctl --user stop offstaged.socket", user=user)
        content, number = self.begin_slow(user, "slow-outliving.bin")
        before = self.daemons(user)
        self.run("systemctl", "stop", f"session-of-{user}.service")
        self.log_in(user)
        expect(self.row(user, number)["attempts"] == 1, "the transfer was broken off by the log-out")
        expect(self.daemons(user) == before, "there is another daemon")
        failed, _ = self.run("systemctl --user --failed --no-legend", user=user)
        expect(not failed.strip(), f"units have failed: {failed}")
        self.server.release("slow-outliving.bin")
        self.server.wait_for("slow-outliving.bin", content)
        self.step("a daemon that a command started outlived its session, and served the next one")

    def member_unit(self, user):
        """A fleet's member as a service of a person: there is none at first; then its database is not there, and it stays."""
        self.install(self.fleet)
        said = self.run("systemd-analyze --user --man=no verify /usr/lib/systemd/user/offstage-fleet.service", user=user, check=False)[0]
        said += self.run("systemd-analyze", "--man=no", "verify", "/lib/systemd/system/offstage-fleet@.service", check=False)[0]
        expect(not said.strip(), f"systemd-analyze complains: {said}")
        self.run("systemctl --user daemon-reload; systemctl --user start offstage-fleet", user=user)
        state, _ = self.run("systemctl --user is-active offstage-fleet", user=user, check=False)
        expect(state.strip() == "inactive", f"without a fleet the member is {state.strip()}")
        settings = {"database": "host=/nonexistent dbname=fleet", "fleet": "0b1c6d52-6d7e-4f8a-9b0c-1d2e3f405162", "name": "nas-1",
                    "labels": [], "key": f"/home/{user}/fleet.key", "shares": [], "accounts": [], "rows": 8}  # fmt: skip
        self.run(f"mkdir -p ~/.config/offstage; umask 077; echo '{json.dumps(settings)}' > ~/.config/offstage/fleet-member.json; "
                 "openssl genpkey -algorithm x25519 -out fleet.key; systemctl --user start offstage-fleet", user=user)  # fmt: skip
        log = lambda: self.run("journalctl --user -u offstage-fleet -o cat --no-pager", user=user, check=False)[0]
        self.wait_for(lambda: "database" in log(), "the member does not say that its database is not there")
        state, _ = self.run("systemctl --user is-active offstage-fleet", user=user, check=False)
        expect(state.strip() == "active", f"the member in its sandbox is {state.strip()}: {log()}")
        self.run("systemctl --user stop offstage-fleet; rm ~/.config/offstage/fleet-member.json fleet.key", user=user)
        self.run("apt-get", "purge", "-y", "offstage-fleet")
        self.step("a fleet's member as a service: none without a fleet, and in its sandbox one that waits for its database")

    def system_account(self):
        """A daemon for an account that nobody logs in to."""
        self.run("useradd", "--system", "--shell", "/usr/sbin/nologin", "sender")
        content = hashlib.sha256(b"sender").digest() * 4096
        path = self.container.root / "srv/fast-sender.bin"
        path.write_bytes(content)
        os.chmod(path, 0o644)
        self.run("systemctl", "start", "offstaged@sender.service")
        self.run("runuser", "-u", "sender", "--", "env", "OFFSTAGE_HOME=/var/lib/offstage/sender", "offstage", "upload",
            "/srv/fast-sender.bin", self.server.url("fast-sender.bin"))  # fmt: skip
        self.server.wait_for("fast-sender.bin", content)
        self.run("systemctl", "stop", "offstaged@sender.service")
        self.step("an account without log-in: its file arrived")
