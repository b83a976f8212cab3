# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL primary with a synchronous streaming standby that takes its place, for what kills databases."""

import os
import shutil
import signal
import subprocess
import tempfile
import time

import libpq
import postgres
import processes

SETTINGS = ("shared_buffers = 64MB", "max_connections = 60", "wal_level = replica", "max_wal_senders = 4",
            "hot_standby = on", "autovacuum_naptime = 5s", "wal_keep_size = 256MB", "wal_retrieve_retry_interval = 200ms")


class Node:
    """One server: a folder with its data, and a socket in a folder of its own."""

    def __init__(self, folder, name, address=None, certificate=None):
        self.folder = os.path.join(folder, name)
        self.data = os.path.join(self.folder, "data")
        self.address, self.certificate = address, certificate
        self.port = processes.free_port()
        self.process = None
        os.makedirs(self.folder)
        self.own(self.folder)

    @staticmethod
    def own(path):
        if os.geteuid() == 0:
            shutil.chown(path, "postgres", "postgres")

    @staticmethod
    def command(program, *arguments):
        command = [os.path.join(postgres.binaries(), program), *arguments]
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command] \
            if os.geteuid() == 0 else command

    def run(self, program, *arguments):
        done = subprocess.run(self.command(program, *arguments), cwd="/", capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr.strip()[-500:]}")

    def words(self, login="postgres", database="fleet"):
        return f"host={self.folder} port={self.port} user={login} dbname={database}"

    def connect(self, login="postgres", database="fleet"):
        return libpq.Connection(self.words(login, database))

    def configure(self, settings):
        with open(os.path.join(self.data, "postgresql.auto.conf"), "a") as file:
            file.writelines(f"{setting}\n" for setting in settings)

    def start(self):
        words = ["-D", self.data, "-k", self.folder, "-p", str(self.port), "-c",
                 f"listen_addresses={self.address or ''}"]
        if self.certificate:
            key = os.path.join(self.folder, "server.key")
            shutil.copy(self.certificate[1], key)
            os.chmod(key, 0o600)
            self.own(key)
            words += ["-c", "ssl=on", "-c", f"ssl_cert_file={self.certificate[0]}", "-c", f"ssl_key_file={key}"]
        log = open(os.path.join(self.folder, "log"), "ab")
        self.process = processes.watch(processes.start(self.command("postgres", *words), cwd="/", stdout=log, stderr=log))
        self.wait()

    def wait(self):
        def answers():
            if self.process.poll() is not None:
                raise RuntimeError("the database has ended: " + open(os.path.join(self.folder, "log")).read()[-500:])
            try:
                self.connect(database="postgres").close()
                return True
            except libpq.Refused:
                return False
        processes.wait_until(answers, 60, "the database")

    def kill(self):
        """All its processes at once: it is a power cut without the loss of what was written."""
        # Stopped, it starts no process that would be missed.
        os.kill(self.process.pid, signal.SIGSTOP)
        pids = [self.process.pid, *processes.children_of(self.process.pid)]
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        # The next one does not start beside them.
        processes.wait_until(lambda: not any(map(processes.is_alive, pids)), 20, "the database's processes to end")

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()


class Pair:
    """A primary and its standby. `replace` kills the one, promotes the other, and makes a standby of that."""

    def __init__(self, folder, address=None, certificate=None):
        self.folder, self.address, self.certificate = folder, address, certificate
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o755)
        Node.own(folder)
        self.nodes = [Node(folder, "a", address, certificate), Node(folder, "b", address, certificate)]
        first = self.nodes[0]
        first.run("initdb", "-D", first.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        first.configure(SETTINGS)
        if address:
            with open(os.path.join(first.data, "pg_hba.conf"), "a") as file:
                file.write(f"hostssl all all {address}/24 trust\n")
        first.start()
        with first.connect(database="postgres") as admin:
            admin.script("CREATE DATABASE fleet")
        self.primary, self.standby = first, None
        self.add_standby()

    def words(self, login="postgres", database="fleet"):
        """All servers, as a member names them."""
        return (f"host={','.join(node.folder for node in self.nodes)} port={','.join(str(node.port) for node in self.nodes)} "
                f"user={login} dbname={database} target_session_attrs=read-write")

    def remote_words(self, login, authority, database="fleet"):
        """The same over TCP with TLS, for a member in a network of its own."""
        return (f"host={','.join(self.address for _ in self.nodes)} port={','.join(str(node.port) for node in self.nodes)} "
                f"user={login} dbname={database} target_session_attrs=read-write sslmode=verify-full sslrootcert={authority}")

    def add_standby(self):
        standby = next(node for node in self.nodes if node is not self.primary)
        shutil.rmtree(standby.data, ignore_errors=True)
        standby.run("pg_basebackup", "-D", standby.data, "-h", self.primary.folder, "-p", str(self.primary.port),
                    "-U", "postgres", "-R", "-X", "stream", "--no-sync", "-c", "fast")
        # It is nobody's primary yet, and waits for no standby of its own once it is.
        standby.configure(["synchronous_standby_names = ''"])
        standby.start()
        self.standby = standby
        with self.primary.connect() as admin:
            processes.wait_until(
                lambda: admin.value("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == "1", 60,
                "the standby")
            admin.script("ALTER SYSTEM SET synchronous_standby_names = '*'")
            admin.script("SELECT pg_reload_conf()")
            processes.wait_until(
                lambda: admin.value("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1", 60,
                "the standby to be synchronous")

    def replace(self):
        self.primary.kill()
        self.primary, self.standby = self.standby, None
        self.primary.run("pg_ctl", "-D", self.primary.data, "-w", "promote")
        time.sleep(0.2)
        self.add_standby()

    def crash(self):
        """The primary dies, and comes back by itself."""
        self.primary.kill()
        self.primary.start()

    def stop(self):
        for node in self.nodes:
            node.stop()


def temporary():
    return tempfile.mkdtemp(prefix="offstage-fleet-")
