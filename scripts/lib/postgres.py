# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of a script's own: in a temporary folder, on a Unix socket, as a user that is not root."""

import glob
import os
import pwd
import shutil
import subprocess
import tempfile

import libpq

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MIGRATIONS = os.path.join(ROOT, "Sources/COffstageFleet/migrations")


def binaries():
    """The folder of the newest server's programs; None if there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"), key=lambda path: int(path.split("/")[4]))
    return os.path.dirname(found[-1]) if found else None


class Server:
    """Runs until `stop`, which also removes its folder. Everybody on this machine who reaches the socket is trusted, and
    only its user and root do."""

    def __init__(self, settings=(), user="postgres"):
        self.programs = binaries()
        self.user = user if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.folder = tempfile.mkdtemp(prefix="offstage-postgres-")
        self.data = os.path.join(self.folder, "data")
        if os.geteuid() == 0:
            shutil.chown(self.folder, self.user)
        self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n"
                       "unix_socket_permissions = 0700\n")
            file.writelines(f"{setting}\n" for setting in settings)
        self._run("pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.folder, "log"), "start")

    def _run(self, program, *arguments):
        command = [os.path.join(self.programs, program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", self.user, "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd="/")

    def words(self, login="postgres", database="fleet"):
        return f"host={self.folder} user={login} dbname={database}"

    def connect(self, login="postgres", database="fleet"):
        return libpq.Connection(self.words(login, database))

    def psql(self, text, stdin=None, login="postgres", database="fleet"):
        return subprocess.run(
            [os.path.join(self.programs, "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", self.words(login, database), "-c", text],
            stdin=stdin, check=True, capture_output=True, text=stdin is None)

    def stop(self):
        try:
            self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def migrate(connection, up_to=None):
    """Applies the numbered migrations that are missing, each in one transaction; returns their numbers."""
    known = connection.value("SELECT to_regclass('offstage.migration') IS NOT NULL") == "t"
    version = int(connection.value("SELECT coalesce(max(version), 0) FROM offstage.migration")) if known else 0
    applied = []
    for path in sorted(glob.glob(os.path.join(MIGRATIONS, "*.sql"))):
        number = int(os.path.basename(path).split("-")[0])
        if number <= version or up_to is not None and number > up_to:
            continue
        with open(path) as file:
            text = file.read()
        connection.script(f"BEGIN;\n{text}\nINSERT INTO offstage.migration (version) VALUES ({number});\nCOMMIT;")
        applied.append(number)
    return applied
