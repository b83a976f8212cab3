# SPDX-License-Identifier: Apache-2.0
"""Scenarios of scripts/environments: name servers, servers and proxies that come late, or never, or do not do their work."""

import http.server
import os
import socket
import struct
import threading
import time

import campaign_server
import environment_stage
import processes

SIZE = 200_000
LARGE = 2_000_000
# Nothing listens there.
CLOSED = 9
# By ^C, which may end the shell around the command, too.
INTERRUPTED = (130, -2)


def scenarios():
    found = {}
    for kind in ("download", "upload"):
        for environment in ("session", "cron"):
            found[f"late server: {kind} by {environment}"] = _late_server(kind, environment)
    for silence in ("closed", "silent", "fails", "unknown"):
        for kind in ("download", "upload"):
            found[f"late name server: first {silence}, {kind}"] = _late_names(silence, kind)
    found["late server: at most three retries"] = few_retries
    found["late server: at most two seconds"] = short_time
    found["late server: a follower reads why"] = told_early
    found["late name server: a typing mistake"] = typing_mistake
    found["late server: daemon killed while it waits"] = killed_while_waiting
    found["late server: it breaks off, then comes back"] = breaks_off
    for kind in ("http", "https", "socks5"):
        for how in ("option", "variable"):
            found[f"dead proxy: {kind} by {how}"] = _dead_proxy(kind, how)
    found["dead proxy: unknown host"] = unknown_proxy
    found["dead proxy: unknown scheme"] = unknown_scheme
    found["dead proxy: comes ten minutes late"] = late_proxy
    found["dead proxy: answers 502"] = broken_proxy
    found["dead proxy: wants a password"] = proxy_password
    found["dead proxy: not for this server"] = no_proxy
    return found


def _line(stage, kind, host, more=""):
    if kind == "download":
        return f"offstage download http://{host}/file/{SIZE}/film -o film {more}"
    stage.write(stage.home() + "/letter", "Dear Ben" * 1000)
    return f"offstage upload letter http://{host}/file/0/letter {more}"


def _arrived(stage, kind, server):
    if kind == "download":
        stage.expect_file(stage.home() + "/film", "film", SIZE)
    else:
        wanted = campaign_server.digest(b"Dear Ben" * 1000)
        stage.check(server.received("/file/0/letter") == [wanted], "the letter has not arrived once", server.received("/file/0/letter"))


class _Server:
    """A server that comes to a port of its own when it is told to."""

    def __init__(self):
        self.port = processes.free_port()
        self.host = f"127.0.0.1:{self.port}"
        self.server = None

    def come(self):
        self.server = campaign_server.CampaignServer(self.port)
        return self.server

    def go(self):
        if self.server:
            self.server.stop()


def _late_server(kind, environment):
    def run(stage):
        place = _Server()
        line = _line(stage, kind, place.host)
        process = stage.start(getattr(stage, environment), line)
        time.sleep(environment_stage.SECONDS_OF_TEN_MINUTES)
        stage.check(process.poll() is None, "it did not wait", process.poll())
        server = place.come()
        stage.expect(stage.finish(process, line))
        _arrived(stage, kind, server)
        place.go()
    return run


class _NameServer:
    """Answers 127.0.0.1 for every name on port 53, once it does."""

    def __init__(self, answer):
        self.answer = answer
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        self.socket.settimeout(0.05)
        self.is_closing = False
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        while not self.is_closing:
            try:
                question, peer = self.socket.recvfrom(512)
            except TimeoutError:
                continue
            if self.answer == "silent" or len(question) < 17:
                continue
            end = question.index(b"\0", 12) + 5
            asked = struct.unpack("!H", question[end - 4:end - 2])[0]
            code = {"fails": 2, "unknown": 3}.get(self.answer, 0)
            count = 1 if code == 0 and asked == 1 else 0
            head = question[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, count, 0, 0)
            record = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 1, 4) + bytes([127, 0, 0, 1])
            self.socket.sendto(head + question[12:end] + record * count, peer)

    def close(self):
        self.is_closing = True
        self.thread.join()
        self.socket.close()


def _late_names(silence, kind):
    def run(stage):
        names = None if silence == "closed" else _NameServer(silence)
        place = _Server()
        server = place.come()
        line = _line(stage, kind, f"files.example.org:{place.port}")
        process = stage.start(stage.session, line)
        time.sleep(environment_stage.SECONDS_OF_TEN_MINUTES)
        stage.check(process.poll() is None, "it did not wait", process.poll())
        if names is None:
            names = _NameServer("right")
        names.answer = "right"
        stage.expect(stage.finish(process, line))
        _arrived(stage, kind, server)
        place.go()
        names.close()
    return run


def few_retries(stage):
    result = stage.run(stage.session, _line(stage, "download", f"127.0.0.1:{CLOSED}", "--retry 3"))
    stage.expect_sentence(result, 1, "refused|no connection")
    stage.expect(stage.run(stage.session, "offstage show 1"), says="attempts: 4")
    stage.expect_gone(stage.home() + "/film")


def short_time(stage):
    began = time.monotonic()
    result = stage.run(stage.session, _line(stage, "download", f"127.0.0.1:{CLOSED}", "--max-time 2"))
    stage.expect_sentence(result, 1, "2 s|refused|time")
    stage.check(time.monotonic() - began < 8, "it took too long", time.monotonic() - began)


def told_early(stage):
    """The follower reads after some failures what is wrong, while the transfer goes on."""
    process = stage.start(stage.session, _line(stage, "download", f"127.0.0.1:{CLOSED}"))
    time.sleep(1.5)
    os.killpg(process.pid, 2)
    result = stage.finish(process, "offstage download")
    stage.expect(result, INTERRUPTED, "refused|cannot be reached|no connection")
    stage.expect(stage.run(stage.session, "offstage why 1"), says=f"127.0.0.1:{CLOSED}.*(refused|connection)|(refused|connection).*127.0.0.1:{CLOSED}")
    stage.expect(stage.run(stage.session, "offstage list"), says="refused|connection")


def typing_mistake(stage):
    names = _NameServer("unknown")
    process = stage.start(stage.session, _line(stage, "download", "exmaple.org"))
    time.sleep(1.5)
    os.killpg(process.pid, 2)
    stage.expect(stage.finish(process, "offstage download"), INTERRUPTED, "exmaple.org")
    stage.expect(stage.run(stage.session, "offstage why 1"), says="exmaple.org.*(address|name|spell)")
    names.close()


def killed_while_waiting(stage):
    place = _Server()
    stage.expect(stage.run(stage.session, _line(stage, "download", place.host, "--detach")))
    time.sleep(1)
    for pid in stage.daemons():
        os.kill(pid, 9)
    time.sleep(1)
    stage.expect(stage.run(stage.cron, "offstage list"), says="film")
    place.come()
    stage.expect(stage.run(stage.cron, "offstage wait 1"))
    stage.expect_file(stage.home() + "/film", "film", SIZE)
    place.go()


def breaks_off(stage):
    line = f"offstage download {stage.url('cut', LARGE, 'film')} -o film"
    stage.expect(stage.run(stage.session, line))
    stage.expect_file(stage.home() + "/film", "film", LARGE)
    last = stage.server.requests[-1]
    stage.check(last.first_byte > 0, "it began again from zero", last.first_byte)


def _named(stage, result, pattern):
    """Whoever asks reads of the proxy, and nobody blames the server."""
    stage.expect(result, result.status, pattern)
    for command in ("show", "why"):
        answer = stage.run(stage.session, f"offstage {command} 1")
        stage.expect(answer, says=pattern)
        stage.check("check that the server runs" not in answer.stdout.lower(), "the server is blamed", answer)


def _dead_proxy(kind, how):
    def run(stage):
        proxy = f"{kind}://127.0.0.1:{CLOSED}"
        line = _line(stage, "download", stage.server.url.removeprefix("http://"), "--retry 2")
        if how == "option":
            result = stage.run(stage.session, f"{line} --proxy {proxy}")
        else:
            result = stage.run(stage.session, line, http_proxy=proxy, all_proxy=proxy)
        stage.expect_sentence(result, 1, "proxy")
        _named(stage, result, f"proxy.*127.0.0.1:{CLOSED}")
        stage.expect_gone(stage.home() + "/film")
    return run


def unknown_proxy(stage):
    names = _NameServer("unknown")
    result = stage.run(stage.session, _line(stage, "download", "127.0.0.1:1", "--retry 2 --proxy http://proxy.invalid:3128"))
    stage.expect_sentence(result, 1, "proxy.invalid")
    _named(stage, result, "proxy.*proxy.invalid")
    names.close()


def unknown_scheme(stage):
    began = time.monotonic()
    result = stage.run(stage.session, _line(stage, "download", "127.0.0.1:1", "--proxy gopher://127.0.0.1:70"))
    stage.expect_sentence(result, (1, 2), "gopher|scheme")
    stage.check(time.monotonic() - began < 5, "it was tried again and again", time.monotonic() - began)


class _Proxy(http.server.BaseHTTPRequestHandler):
    status = 502

    def do_GET(self):
        self.send_response(self.status)
        if self.status == 407:
            self.send_header("Proxy-Authenticate", 'Basic realm="office"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_GET

    def log_message(self, *_):
        pass


def _proxy(status):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Proxy", (_Proxy,), {"status": status}))
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


def broken_proxy(stage):
    server = _proxy(502)
    line = _line(stage, "download", "files.example.org", f"--retry 2 --proxy http://127.0.0.1:{server.server_address[1]}")
    result = stage.run(stage.session, line)
    stage.expect_sentence(result, (1, 22), "502")
    stage.expect(stage.run(stage.session, "offstage show 1"), says=f"127.0.0.1:{server.server_address[1]}")
    server.shutdown()


def proxy_password(stage):
    server = _proxy(407)
    proxy = f"http://anna:hushhush@127.0.0.1:{server.server_address[1]}"
    result = stage.run(stage.session, _line(stage, "download", "files.example.org", f"--retry 2 --proxy {proxy}"))
    stage.expect_sentence(result, (1, 22), "proxy|407")
    for line in ("offstage show 1", "offstage why 1", "offstage list --all --json", "offstage daemon log"):
        answer = stage.run(stage.session, line)
        stage.check("hushhush" not in answer.stdout + answer.stderr, "the proxy's password is shown", answer)
    stage.check("hushhush" not in result.stderr + result.stdout, "the proxy's password is shown", result)
    server.shutdown()


def late_proxy(stage):
    """The proxy is a campaign server, which takes whole URLs, too."""
    place = _Server()
    line = _line(stage, "download", "127.0.0.1:1", f"--proxy http://{place.host}")
    process = stage.start(stage.session, line)
    time.sleep(environment_stage.SECONDS_OF_TEN_MINUTES)
    stage.check(process.poll() is None, "it did not wait", process.poll())
    place.come()
    stage.expect(stage.finish(process, line))
    stage.expect_file(stage.home() + "/film", "film", SIZE)
    place.go()


def no_proxy(stage):
    line = _line(stage, "download", stage.server.url.removeprefix("http://"))
    stage.expect(stage.run(stage.session, line, http_proxy=f"http://127.0.0.1:{CLOSED}", no_proxy="127.0.0.1"))
    stage.expect_file(stage.home() + "/film", "film", SIZE)
