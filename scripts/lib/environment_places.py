# SPDX-License-Identifier: Apache-2.0
"""Scenarios of scripts/environments: the daemon is found from everywhere, after log-outs, and by nobody else."""

import os
import shutil

KINDS = ("session", "cron", "ssh", "su", "su_login", "stale")
SIZE = 300_000


def scenarios():
    found = {}
    for first in KINDS:
        for second in KINDS:
            if first != second:
                found[f"found: begun by {first}, looked for by {second}"] = _finding(first, second)
    for what in ("folder", "runtime", "renewed", "socket", "lock"):
        for second in ("session", "cron", "su_login"):
            found[f"logout: {what} deleted, looked for by {second}"] = _log_out(what, second)
    for second in ("session", "cron"):
        found[f"logout: killed and deleted, looked for by {second}"] = _killed(second)
    found["logout: stopped in the middle, a new session"] = stopped
    found["neighbours: two users at once, under the same names"] = two_users
    found["neighbours: the other's runtime folder"] = others_runtime
    found["neighbours: the other's home"] = others_home
    found["neighbours: root with the user's home"] = root_with_home
    found["neighbours: root with the user's runtime folder"] = root_with_runtime
    found["neighbours: a full home"] = full_home
    found["neighbours: a home that is read only"] = read_only_home
    return found


def _begin(stage, environment):
    """A download that takes some seconds, from which a person has gone."""
    stage.server.pace = 0.4
    stage.expect(stage.run(environment, f"offstage download {stage.url('slow', SIZE, 'film')} -o film --detach"))


def _look(stage, environment):
    """Every command that a person would try finds the daemon, and the transfer ends well."""
    stage.expect(stage.run(environment, "offstage list"), says="film")
    stage.expect(stage.run(environment, "offstage daemon status"), says="runs|running")
    stage.expect(stage.run(environment, "offstage doctor"), says="no problems|everything is in order")
    more = stage.write(stage.home() + "/letter", "Dear Ben")
    stage.expect(stage.run(environment, f"offstage upload {more} {stage.url('file', 0, 'letter')}"))
    stage.check(len(stage.daemons()) == 1, "one daemon was right", stage.daemons())
    stage.expect(stage.run(environment, "offstage wait 1"))
    stage.expect_file(stage.home() + "/film", "film", SIZE, 0o644)
    stage.expect(stage.run(environment, "offstage daemon stop"))
    stage.check(not stage.daemons(), "no daemon was right after `daemon stop`", stage.daemons())
    stage.expect(stage.run(environment, "offstage daemon status"), (0, 1, 3), "not running|no daemon|does not run")


def _finding(first, second):
    def run(stage):
        _begin(stage, getattr(stage, first))
        _look(stage, getattr(stage, second))
    return run


def _log_out(what, second):
    def run(stage):
        _begin(stage, stage.session)
        runtime = stage.runtime()
        if what == "folder":
            shutil.rmtree(runtime + "/offstage")
        elif what == "runtime":
            shutil.rmtree(runtime)
        elif what == "renewed":
            stage.make_folder(runtime, os.stat(runtime).st_uid, 0o700)
        elif what == "socket":
            os.remove(runtime + "/offstage/daemon.sock")
        else:
            os.remove(stage.home() + "/.local/share/offstage/daemon.lock")
        _look(stage, getattr(stage, second))
    return run


def _killed(second):
    """The log-out of a machine that ends all of a user's processes: the queue is still there."""
    def run(stage):
        _begin(stage, stage.session)
        for pid in stage.daemons():
            os.kill(pid, 9)
        shutil.rmtree(stage.runtime())
        _look(stage, getattr(stage, second))
    return run


def stopped(stage):
    """SIGTERM, as systemd sends it at the log-out, is no failed attempt."""
    _begin(stage, stage.session)
    stage.expect(stage.run(stage.session, "offstage daemon stop"))
    stage.make_folder(stage.runtime(), os.stat(stage.home()).st_uid, 0o700)
    result = stage.expect(stage.run(stage.session, "offstage show 1"))
    stage.check("the attempt was interrupted" not in result.stdout and "failed" not in result.stdout.lower(), "the stop was told as a failure", result)
    stage.expect(stage.run(stage.cron, "offstage wait 1"))
    stage.expect_file(stage.home() + "/film", "film", SIZE)


def two_users(stage):
    lines = {user: f"offstage download {stage.url('slow', SIZE, user)} -o same" for user in ("anna", "ben")}
    running = {user: stage.start(stage.session, line, user) for user, line in lines.items()}
    for user, process in running.items():
        stage.expect(stage.finish(process, lines[user]))
        stage.expect_file(stage.home(user) + "/same", user, SIZE)
        result = stage.expect(stage.run(stage.cron, "offstage list --all", user))
        stage.check("total" not in result.stdout or "2" not in result.stdout.split("total")[0][-4:], "the other's transfer is listed", result)
        stage.check(len(stage.daemons(user)) == 1, "one daemon each was right", stage.daemons(user))


def others_runtime(stage):
    """Ben's shell names Anna's runtime folder, and Anna's daemon runs."""
    _begin(stage, stage.session)
    stage.expect(stage.run(stage.session, f"offstage download {stage.url('file', SIZE, 'b')} -o b", "ben", XDG_RUNTIME_DIR=stage.runtime("anna")))
    stage.expect_file(stage.home("ben") + "/b", "b", SIZE)
    stage.expect(stage.run(stage.session, "offstage doctor", "ben", XDG_RUNTIME_DIR=stage.runtime("anna")), (0, 1), "XDG_RUNTIME_DIR")
    result = stage.run(stage.session, "offstage list --all", "ben")
    stage.check("film" not in result.stdout, "Anna's transfer is shown to Ben", result)
    _look(stage, stage.session)


def others_home(stage):
    """As after `su -m`: HOME is a folder that the user may not enter."""
    result = stage.run(stage.session, "offstage list", "ben", HOME=stage.home("anna"))
    stage.expect_sentence(result, 1, "/home/anna")
    stage.check(not os.path.exists(stage.home("anna") + "/.local"), "something was made in Anna's home")


def _root(stage, line, **variables):
    """Root's shell with some of the user's variables, as after `sudo -E`."""
    def environment(user, line):
        base = {"HOME": "/root", "USER": "root", "LOGNAME": "root", "PATH": "/home/programs:/usr/bin:/bin"}
        return ["/bin/sh", "-c", line], base
    return stage.run(environment, line, **variables)


def root_with_home(stage):
    _begin(stage, stage.session)
    result = _root(stage, "offstage list", HOME=stage.home(), XDG_RUNTIME_DIR=stage.runtime())
    stage.expect_sentence(result, 1, "/home/anna")
    for folder, folders, files in os.walk(stage.home()):
        for name in folders + files:
            path = os.path.join(folder, name)
            stage.check(os.lstat(path).st_uid != 0, f"{path} is root's")
    _look(stage, stage.session)


def root_with_runtime(stage):
    """Root keeps XDG_RUNTIME_DIR of the user: nothing of root's goes to the user's daemon or into that folder."""
    _begin(stage, stage.session)
    home = "/run/user/0/home"
    stage.make_folder(home, 0, 0o700)
    result = _root(stage, "offstage list --all", HOME=home, XDG_RUNTIME_DIR=stage.runtime())
    stage.check("film" not in result.stdout, "the user's transfer is root's", result)
    stage.expect(result)
    stage.expect(_root(stage, "offstage daemon stop", HOME=home, XDG_RUNTIME_DIR=stage.runtime()))
    for name in os.listdir(stage.runtime()):
        stage.check(os.lstat(stage.runtime() + "/" + name).st_uid != 0, f"{name} in the user's runtime folder is root's")
    _look(stage, stage.session)


def _covered(stage, options, then):
    """A home that is a small or a locked file system of its own."""
    path, number = stage.home() + "/small", os.stat(stage.home()).st_uid
    stage.make_folder(path, number, 0o700)
    os.system(f"mount -t tmpfs -o {options},uid={number},gid={number},mode=700 tmpfs {path}")
    try:
        then(path)
    finally:
        stage.run(stage.session, "offstage daemon stop", OFFSTAGE_HOME=path)
        stage.end()
        os.system(f"umount {path}")


def full_home(stage):
    """No room for the file: one sentence says where, and with room it arrives."""
    def then(path):
        line = f"offstage download {stage.url('file', 3_000_000, 'film')} -o small/film"
        stage.expect_sentence(stage.run(stage.session, line), 1, "space in .*small")
        stage.expect_gone(path + "/film")
        os.system(f"mount -o remount,size=20M {path}")
        stage.expect(stage.run(stage.session, "offstage retry 1 --yes; offstage wait 1"))
        stage.expect_file(path + "/film", "film", 3_000_000)
    _covered(stage, "size=1M", then)


def read_only_home(stage):
    def then(path):
        os.system(f"mount -o remount,ro {path}")
        result = stage.run(stage.session, f"offstage download {stage.url('file', 10, 'film')} -o film", OFFSTAGE_HOME=path)
        stage.expect_sentence(result, 3, "small|read-only")
        os.system(f"mount -o remount,rw {path}")
        stage.expect(stage.run(stage.session, f"offstage download {stage.url('file', 10, 'film')} -o film", OFFSTAGE_HOME=path))
        stage.expect_file(stage.home() + "/film", "film", 10)
    _covered(stage, "size=20M", then)
