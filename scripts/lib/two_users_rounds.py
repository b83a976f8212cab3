# SPDX-License-Identifier: Apache-2.0
"""Two kinds of rounds of scripts/two-users: a folder that everybody may write to, and the listener of a sign-in."""

import hashlib
import http.server
import json
import os
import re
import subprocess
import threading
import time
import urllib.parse
import urllib.request

import dropbox_emulator

BODY = bytes(range(256)) * 2048
# Seconds that a transfer or a sign-in may take.
PATIENCE = 30


class SlowFile(http.server.BaseHTTPRequestHandler):
    """Sends the body in pieces, so that there is time to put something in its way."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        for start in range(0, len(BODY), 65536):
            try:
                self.wfile.write(BODY[start:start + 65536])
            except OSError:
                return
            time.sleep(0.01)

    def log_message(self, *_):
        pass


def others(round, script, *arguments):
    """Runs a program of the other user's in Perl."""
    return subprocess.run(
        ["/usr/bin/setpriv", f"--reuid={round.other}", f"--regid={round.other}", "--clear-groups"]
        + ["/usr/bin/perl", "-e", script, *arguments],
        capture_output=True, text=True, timeout=PATIENCE,
    ).stdout


# What the other user puts at a name, of which it knows what is to come there.
IN_THE_WAY = {
    "file": 'open F, ">", $ARGV[0]; print F "theirs"; close F; chmod 0666, $ARGV[0]',
    "secret-link": 'symlink $ARGV[1], $ARGV[0]',
    "hard-link": 'link $ARGV[1], $ARGV[0]',
    "pipe": 'use POSIX; mkfifo $ARGV[0], 0666',
    "folder": 'mkdir $ARGV[0]; chmod 0777, $ARGV[0]',
}
# What it tries meanwhile with all that it finds there. The folder's sticky bit stands in the way of most of it.
MEANWHILE = """
for (1 .. 40) {
    for my $f (glob("$ARGV[0]/.offstage-* $ARGV[0]/got")) {
        if (open my $h, "+<", $f) { syswrite $h, "theirs" }
        rename $f, "$f.taken"; unlink $f; link $f, "$f.link"; chmod 0666, $f;
    }
    select undef, undef, undef, 0.01;
}
"""


def shared(round):
    """The third kind: a download into a folder like /tmp, where the other user has been before."""
    pick = round.random
    round.environment["HOME"] = round.environment["OFFSTAGE_HOME"] = round.make(round.path("home"))
    folder = round.make(round.path("shared"), 0, 0o1777)
    victim, target = round.path("victim"), os.path.join(folder, "got")
    with open(victim, "w") as file:
        file.write("mine")
    # The other user may write to the second itself, and only to that one can it make a link of its own.
    os.chmod(victim, pick.choice([0o600, 0o666]))
    before = os.lstat(victim)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowFile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/file"
    problems = []
    try:
        # The first shows what the files of the next one will be called.
        round.offstage("download", "http://127.0.0.1:9/", "-o", os.path.join(folder, "first"), "--detach")
        first = json.loads(round.offstage("show", "1", "--json").stdout)["transfers"][0]
        foreseen = first["partialPath"].replace("-1.part", "-2.part")
        place = pick.choice([foreseen, foreseen, foreseen, target])
        others(round, IN_THE_WAY[pick.choice(sorted(IN_THE_WAY))], place, victim)
        busy = threading.Thread(target=others, args=(round, MEANWHILE, folder))
        busy.start()
        checks = ["--checksum", "sha256:" + hashlib.sha256(BODY).hexdigest()] if pick.random() < 0.5 else []
        result = round.offstage("download", url, "-o", target, *pick.choice([[], ["--force"]]), *checks)
        busy.join()
        if result.returncode == 0:
            state = os.lstat(target)
            with open(target, "rb") as file:
                whole = file.read() == BODY
            if state.st_uid != 0 or state.st_nlink != 1 or state.st_mode & 0o022 or not whole:
                problems.append(f"told done, and the file is {oct(state.st_mode)} of {state.st_uid}, whole: {whole}")
        elif not result.stderr.strip().endswith("."):
            problems.append(f"no sentence: {result.stderr.strip()}")
    finally:
        server.shutdown()
        server.server_close()
    after = os.lstat(victim)
    with open(victim, "rb") as file:
        if file.read() not in (b"mine", b"theirs") or (after.st_mode, after.st_uid) != (before.st_mode, before.st_uid):
            problems.append("another file of root's was changed by way of a link")
    return problems


VISIT = """
use IO::Socket::INET; my $s = IO::Socket::INET->new($ARGV[0]) or exit;
print $s "GET /?code=$ARGV[2]&state=$ARGV[1] HTTP/1.1\\r\\nHost: $ARGV[0]\\r\\n\\r\\n"; print while <$s>;
"""


def signs_in(round):
    """The fourth kind: the other user knows address and state of a sign-in, and brings a code of its own first."""
    pick = round.random
    round.environment["HOME"] = round.environment["OFFSTAGE_HOME"] = round.make(round.path("home"))
    emulator = dropbox_emulator.DropboxEmulator(round.binaries)
    emulator.start()
    problems = []
    try:
        command = subprocess.Popen(
            [os.path.join(round.binaries, "offstage"), "account", "add", "dropbox", "--app-key", "app", "--yes"]
            + ["--api-url", emulator.url, "--port", "0", "--no-browser"],
            env=round.environment, cwd=round.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )
        page = ""
        while not page.startswith(emulator.url):
            line = command.stdout.readline()
            if not line:
                return [f"no address to visit: {command.communicate()[1]}"]
            page = line.strip()
        fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page).query))
        place = urllib.parse.urlsplit(fields["redirect_uri"]).netloc.replace("localhost", "127.0.0.1")
        # A code that the service itself gave to the other user: theirs would be the account.
        for _ in range(pick.randrange(1, 4)):
            said = others(round, VISIT, place, pick.choice([fields["state"], fields["state"], "x"]), code_of(page))
            if "close this window" in said:
                problems.append("another user's code was taken")
        if command.poll() is not None:
            return problems + [f"the sign-in ended over it: {command.communicate()[1]}"]
        ours = code_of(page)
        with urllib.request.urlopen(f"http://{place}/?code={ours}&state={fields['state']}", timeout=PATIENCE):
            pass
        _, errors = command.communicate(timeout=PATIENCE)
        if command.returncode != 0:
            problems.append(f"one's own code was not accepted: {errors.strip()}")
    finally:
        emulator.stop()
    return problems


def code_of(page):
    """A code that the emulator gives to whoever visits the page."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect)
    try:
        opener.open(page, timeout=PATIENCE)
    except urllib.error.HTTPError as answer:
        return re.search(r"[?&]code=([^&]+)", answer.headers["Location"])[1]
    raise RuntimeError(f"{page} redirects nowhere")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None
