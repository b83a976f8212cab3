# SPDX-License-Identifier: Apache-2.0
"""Scenarios of scripts/environments: umasks, outputs that are closed or full, and what shells do to a command."""

import os
import stat
import time

SIZE = 100_000
UMASKS = (0o000, 0o002, 0o022, 0o027, 0o077)
# What a person or a script has printed, after one transfer that has arrived.
PRINTING = {
    "list": "list --all",
    "json": "list --all --json",
    "show": "show 1",
    "why": "why 1",
    "status": "daemon status",
    "doctor": "doctor",
    "help": "--help",
    "help of a command": "upload --help",
    "version": "--version",
    "completion": "completion bash",
    "condition": "condition",
    "log": "daemon log",
    "settings": "limit",
    "wait": "wait 1",
    "download": "download {url} -o more",
    "detach": "download {url} -o more --detach",
    "body": "download {url} -o -",
    "upload": "upload film {put}",
}
# Standard output is no place for what arrives in background.
REFUSED = ("body",)


def scenarios():
    found = {}
    for umask in UMASKS:
        for daemons in (0o022, 0o077):
            found[f"umask: {umask:03o} beside a daemon with {daemons:03o}"] = _umask(umask, daemons)
    found["umask: a file that is there keeps its mode"] = kept_mode
    for word in PRINTING:
        found[f"output: full, {word}"] = _full(word)
        found[f"output: closed, {word}"] = _closed(word)
    found["output: a reader that goes"] = gone_reader
    found["output: all three closed"] = all_closed
    found["output: standard error is full"] = full_error
    found["shell: nohup"] = nohup
    found["shell: in background of a shell that ends"] = background
    found["shell: a deleted working directory"] = deleted_directory
    found["shell: hang-up while it follows"] = hang_up
    found["shell: ^C, then the same again"] = again
    found["shell: a list on standard input"] = listed
    return found


def _umask(umask, daemons):
    def run(stage):
        stage.expect(stage.run(stage.session, "offstage list", umask=daemons))
        line = f"offstage download {stage.url('file', SIZE, 'film')} -o new/film --create-dirs"
        stage.expect(stage.run(stage.cron, line, umask=umask))
        stage.expect_file(stage.home() + "/new/film", "film", SIZE, 0o666 & ~umask)
        mode = stat.S_IMODE(os.stat(stage.home() + "/new").st_mode)
        stage.check(mode == 0o777 & ~umask, f"the folder should have the mode {0o777 & ~umask:o}", f"{mode:o}")
        for folder, folders, files in os.walk(stage.home() + "/.local/share/offstage"):
            for name in folders + files:
                found = stat.S_IMODE(os.lstat(os.path.join(folder, name)).st_mode)
                stage.check(not found & 0o077, f"others may use {name}", f"{found:o}")
    return run


def kept_mode(stage):
    path = stage.write(stage.home() + "/film", "old")
    os.chmod(path, 0o600)
    stage.expect(stage.run(stage.session, f"offstage download {stage.url('file', SIZE, 'film')} -o film --force"))
    stage.expect_file(path, "film", SIZE, 0o600)


def _prepare(stage, word):
    stage.expect(stage.run(stage.session, f"offstage download {stage.url('file', SIZE, 'film')} -o film"))
    return "offstage " + PRINTING[word].format(url=stage.url("file", SIZE, "more"), put=stage.url("file", 0, "put"))


def _is_done(stage, word):
    """What was asked for is done, whoever reads of it."""
    if word in ("download", "detach"):
        stage.expect(stage.run(stage.session, "offstage wait 2"))
        stage.expect_file(stage.home() + "/more", "more", SIZE)
    if word == "upload":
        stage.check(len(stage.server.received("/file/0/put")) == 1, "the upload has not arrived once")


def _full(word):
    """No room behind standard output: 74 says so, where something had to be said."""
    def run(stage):
        line = _prepare(stage, word)
        result = stage.run(stage.session, line + " >/dev/full")
        if word in REFUSED:
            stage.expect_sentence(result, 2, "cannot write to standard output: give -o FILE")
        else:
            stage.expect(result, 74, "standard output cannot be written")
        _is_done(stage, word)
    return run


def _closed(word):
    """`>&-` is what a script means by silence."""
    def run(stage):
        line = _prepare(stage, word)
        stage.expect(stage.run(stage.session, line + " >&-"), 2 if word in REFUSED else (0, 74))
        _is_done(stage, word)
        stage.expect(stage.run(stage.session, "offstage list --all"), says="film")
    return run


def gone_reader(stage):
    _prepare(stage, "list")
    for line in ("offstage list --all", "offstage --help", "offstage show 1", "offstage daemon log"):
        result = stage.run(stage.session, f"bash -c '{line} | true; exit ${{PIPESTATUS[0]}}'")
        stage.expect(result, (0, 74, 141))
    stage.expect(stage.run(stage.session, "bash -c 'offstage events | head -n 0; exit 0'"))


def all_closed(stage):
    line = f"offstage download {stage.url('file', SIZE, 'film')} -o film"
    stage.expect(stage.run(stage.cron, line + " <&- >&- 2>&-"), (0, 74))
    stage.expect_file(stage.home() + "/film", "film", SIZE)
    letter = stage.write(stage.home() + "/letter", "x" * 5000)
    stage.expect(stage.run(stage.cron, f"offstage upload {letter} {stage.url('file', 0, 'letter')} <&- >&- 2>&-"), (0, 74))
    stage.check(len(stage.server.received("/file/0/letter")) == 1, "the letter has not arrived once")
    stage.expect(stage.run(stage.cron, "offstage doctor"), says="no problems|everything is in order")


def full_error(stage):
    line = f"offstage download {stage.url('file', SIZE, 'film')} -o film"
    stage.expect(stage.run(stage.session, line + " 2>/dev/full"), (0, 74))
    stage.expect_file(stage.home() + "/film", "film", SIZE)
    stage.expect(stage.run(stage.session, "offstage show 99 2>/dev/full"), (4, 74))


def nohup(stage):
    stage.expect(stage.run(stage.session, f"nohup offstage download {stage.url('slow', SIZE, 'film')} -o film"))
    stage.expect_file(stage.home() + "/film", "film", SIZE)


def background(stage):
    stage.server.pace = 0.2
    stage.run(stage.session, f"offstage download {stage.url('slow', SIZE, 'film')} -o film >out 2>&1 & sleep 0.5")
    stage.expect(stage.run(stage.cron, "offstage wait 1"))
    stage.expect_file(stage.home() + "/film", "film", SIZE)


def deleted_directory(stage):
    line = f"mkdir gone && cd gone && rmdir ../gone && offstage download {stage.url('file', SIZE, 'film')} -o film"
    stage.expect_sentence(stage.run(stage.session, line), (1, 2), "directory|folder")
    stage.expect_gone("/film")
    line = f"mkdir gone2 && cd gone2 && rmdir ../gone2 && offstage download {stage.url('file', SIZE, 'film')} -o {stage.home()}/film"
    stage.expect(stage.run(stage.session, line))
    stage.expect_file(stage.home() + "/film", "film", SIZE)


def _interrupted(stage, number):
    stage.server.pace = 0.3
    line = f"offstage download {stage.url('slow', SIZE, 'film')} -o film"
    process = stage.start(stage.session, line)
    deadline = time.monotonic() + 20
    while not stage.server.served(f"/slow/{SIZE}/film") and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, number)
    result = stage.finish(process, line)
    # The shell around it may be what the signal has ended.
    stage.check(result.status in (128 + number, -number), f"{128 + number} was right", result)
    return line


def hang_up(stage):
    _interrupted(stage, 1)
    stage.expect(stage.run(stage.ssh, "offstage wait 1"))
    stage.expect_file(stage.home() + "/film", "film", SIZE)


def again(stage):
    """Whoever presses ^C and repeats the line is told, and the file still arrives once and whole."""
    line = _interrupted(stage, 2)
    result = stage.run(stage.session, line)
    stage.check(result.status in (0, 1, 3) and (result.status == 0 or "film" in result.stderr), "one sentence was missing", result)
    stage.expect(stage.run(stage.session, "offstage wait 1"))
    stage.expect_file(stage.home() + "/film", "film", SIZE)


def listed(stage):
    stage.write(stage.home() + "/a b", "one")
    stage.write(stage.home() + "/c", "two")
    stage.expect(stage.run(stage.session, f"printf 'a b\\nc\\n' | offstage upload - {stage.server.url}/file/0/"))
    stage.check(len(stage.server.received("/file/0/a%20b")) == 1, "a b has not arrived", [each.path for each in stage.server.requests])
    result = stage.run(stage.session, f"echo data | offstage upload - {stage.server.url}/file/0/")
    stage.expect_sentence(result, (1, 2), "standard input is read as a list of file names|list of file names")
