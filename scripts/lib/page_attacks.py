# SPDX-License-Identifier: Apache-2.0
"""Attacks on a running page: by hand-written requests, by another user of the machine, and by another site in the browser."""

import http.server
import os
import re
import socket
import subprocess
import threading
import time

import processes
from page_stage import SECRETS, until

OTHER = 65534


def exchange(place, text, patience=5, ends=True):
    """Sends bytes, and perhaps that no more come; returns all that comes back."""
    with socket.create_connection(place, timeout=patience) as peer:
        answer = b""
        try:
            peer.sendall(text.encode() if isinstance(text, str) else text)
            if ends:
                peer.shutdown(socket.SHUT_WR)
            while piece := peer.recv(65536):
                answer += piece
        except OSError:
            # The page has had enough: a connection that was reset cannot be shut down either.
            pass
    return answer.decode("utf-8", "replace")


def request(place, path="/", method="GET", body="", **fields):
    """One request; fields that are None are left out. Returns status, head and body."""
    usual = {"Host": "{}:{}".format(*place), "Connection": "close"}
    if body:
        usual["Content-Length"] = str(len(body.encode()))
    usual.update({name.replace("_", "-"): value for name, value in fields.items()})
    lines = []
    for name, value in usual.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                lines.append(f"{name}: {one}\r\n")
    answer = exchange(place, f"{method} {path} HTTP/1.1\r\n{''.join(lines)}\r\n{body}", ends=False)
    head, _, rest = answer.partition("\r\n\r\n")
    status = int(head.split(" ")[1]) if head.startswith("HTTP/1.1 ") else 0
    return status, head, rest


def by_hand(stage, link, check):
    """Returns the cookie of the page."""
    place, port = stage.place, stage.port
    path = link.removeprefix(stage.origin)

    check("the page is at no address that others know", stage.host != "127.0.0.1")
    for host in ("evil.example", f"evil.example:{port}", f"localhost:{port}", stage.host, f"{stage.host}:{port + 1}",
                 f"127.0.0.1:{port}"):
        status, _, body = request(place, path, Host=host)
        check(f"the link under the rebound name {host} is refused", status == 421 and "Set-Cookie" not in body)
    check("the link in a request without Host is refused", request(place, path, Host=None)[0] in (400, 421))
    check("the link with two Hosts is refused",
          request(place, path, Host=[f"{stage.host}:{port}", "evil.example"])[0] in (400, 421))
    check("the link in a foreign page's request is refused", request(place, path, Origin="https://evil.example")[0] == 403)
    check("a wrong link is refused", request(place, path[:-1] + ("0" if path[-1] != "0" else "1"))[0] == 403)

    status, head, body = request(place, path)
    cookies = re.findall(r"Set-Cookie: ([^=]+)=([0-9a-f]{64})(; .*)", head)
    check("the link lets in", status == 200 and len(cookies) == 2)
    check("its cookies are for this page alone",
          all("HttpOnly" in rest and "SameSite=Strict" in rest and "Path=/" in rest for _, _, rest in cookies)
          and cookies[0][0].startswith("__Host-") and "Secure" in cookies[0][2])
    check("the link has the browser forget what others have left there", 'Clear-Site-Data: "storage"' in head)
    status, head, _ = request(place, path)
    check("a reused link is refused", status == 403 and "Set-Cookie" not in head)
    cookie = f"{cookies[1][0]}={cookies[1][1]}"

    status, head, body = request(place, "/api/state", Cookie=cookie)
    check("the cookie lets in", status == 200 and "processID" in body)
    for name in ("Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff",
                 "Referrer-Policy: no-referrer", "frame-ancestors 'none'", "Cache-Control: no-store"):
        check(f"answers have {name}", name in head)
    refused = {
        "without the cookie": (401, {}),
        "with another process's cookie": (401, {"Cookie": f"{cookies[1][0]}={'0' * 64}"}),
        "of a foreign origin": (403, {"Cookie": cookie, "Origin": "https://evil.example"}),
        "of another port": (403, {"Cookie": cookie, "Origin": f"http://{stage.host}:{port + 1}"}),
        "of an opaque origin": (403, {"Cookie": cookie, "Origin": "null"}),
        "that the browser calls cross-site": (403, {"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}),
        "that the browser calls same-site": (403, {"Cookie": cookie, "Sec-Fetch-Site": "same-site"}),
        "under a rebound name": (421, {"Cookie": cookie, "Host": f"evil.example:{port}"}),
    }
    for what, (expected, fields) in refused.items():
        for target in ("/", "/api/list", "/api/news", "/main.js"):
            status, head, body = request(place, target, **fields)
            check(f"{target} {what} is refused", status == expected and "transfers" not in body)
    for fields in ({"Service-Worker": "script"}, {"Sec-Fetch-Dest": "serviceworker"}):
        check(f"a service worker is refused by {next(iter(fields))}", request(place, "/main.js", Cookie=cookie, **fields)[0] == 403)
    forged_actions(stage, cookie, check)
    odd_requests(place, cookie, check)
    check("the page goes on", request(place, "/api/state", Cookie=cookie)[0] == 200)
    return cookie


def forged_actions(stage, cookie, check):
    place, port, own = stage.place, stage.port, stage.origin
    order = '{"verb":"cancel","all":true}'
    good = {"Cookie": cookie, "Origin": own, "Content-Type": "application/json", "Offstage-Page": "1"}
    forms = {
        "without an origin": {"Origin": None},
        "of a foreign origin": {"Origin": "https://evil.example"},
        "of a form": {"Content-Type": "application/x-www-form-urlencoded"},
        "of a form in plain text": {"Content-Type": "text/plain"},
        "without the page's field": {"Offstage-Page": None},
        "without the cookie": {"Cookie": None},
        "under a rebound name": {"Host": f"evil.example:{port}"},
    }
    for what, fields in forms.items():
        status, _, _ = request(place, "/api/act", "POST", order, **{**good, **fields})
        check(f"an action {what} is refused", status in (401, 403, 421))
    check("an action by GET is refused", request(place, "/api/act", Cookie=cookie)[0] == 404)
    check("nothing was cancelled", stage.show(stage.moving[0])["state"] == "running")
    check("a body that is too long is refused", request(place, "/api/act", "POST", "x" * 100_000, **good)[0] in (0, 413))
    check("a body that goes on and on is refused", len(exchange(
        place, f"POST /api/act HTTP/1.1\r\nHost: {stage.host}:{port}\r\nCookie: {cookie}\r\nOrigin: {own}\r\nContent-Type: application/json\r\n"
        f"Offstage-Page: 1\r\nTransfer-Encoding: chunked\r\n\r\n" + "1000\r\n" + "x" * 4096 + "\r\n" + ("1000\r\n" + "x" * 4096 + "\r\n") * 40)) < 1000)


def odd_requests(place, cookie, check):
    check("a head that is too long is refused", request(place, "/", X="y" * 100_000)[0] in (0, 400, 413, 414, 431))
    check("a path that is too long is refused", request(place, "/" + "y" * 10_000, Cookie=cookie)[0] in (413, 414))
    for odd in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page.css%00.js", "//evil.example/"):
        check(f"there is nothing at {odd}", request(place, odd, Cookie=cookie)[0] == 404)
    for odd in ("GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET http://evil.example/ HTTP/1.1\r\n\r\n"):
        answer = exchange(place, odd)
        check(f"{odd[:12]!r} gets nothing", "transfers" not in answer and "offstaged" not in answer)


def by_token(stage, check):
    """What the token for metrics opens, and what it does not."""
    stage.close_page()
    file = stage.path("metrics-token")
    stage.open_page("--metrics-token", file)
    place = stage.place
    with open(file, encoding="ascii") as text:
        token = f"Bearer {text.read().strip()}"
    check("the token's file is for this user alone", os.stat(file).st_mode & 0o777 == 0o600)
    status, head, body = request(place, "/metrics", Authorization=token)
    check("the token reads metrics", status == 200 and "application/openmetrics-text" in head
          and "offstage_transfers{" in body and body.rstrip().endswith("# EOF"))
    check("metrics have nothing secret", not any(secret in body for secret in SECRETS))
    check("no metrics without a token", request(place, "/metrics")[0] == 401)
    check("no metrics with a wrong token", request(place, "/metrics", Authorization=token[:-1] + "x")[0] == 401)
    check("no metrics under another name", request(place, "/metrics", Host="evil.example", Authorization=token)[0] == 421)
    check("the token opens nothing else", all(request(place, path, Authorization=token)[0] == 401
                                              for path in ("/", "/api/list", "/api/state", "/api/news")))
    check("the token changes nothing", request(place, "/api/act", "POST", '{"verb":"cancel","all":true}', Authorization=token,
                                               Origin=stage.origin, Offstage_Page="1",
                                               Content_Type="application/json")[0] == 401)
    stage.close_page()
    stage.open_page("--metrics-token", file, "--port", str(processes.free_port()))
    fixed = ("127.0.0.1", stage.port)
    check("a port that is chosen has metrics at a fixed address", request(fixed, "/metrics", Authorization=token)[0] == 200
          and request(fixed, "/metrics")[0] == 401 and request(stage.place, "/metrics", Authorization=token)[0] == 200)
    check("and nothing else", all(request(fixed, path, Authorization=token, Host=host)[0] in (401, 403, 421)
                                  for path in ("/", "/open/x", "/main.js", "/api/list")
                                  for host in (f"127.0.0.1:{stage.port}", f"{stage.host}:{stage.port}")))


def by_another_user(stage, cookie, check):
    """Needs root: another user knows the port and has even got hold of the cookie, or looks for any port that answers."""
    script = r"""
        import re, socket, sys
        places, cookie = sys.argv[1].split(","), sys.argv[2]
        if places == ["all"]:
            places = set()
            for line in open("/proc/net/tcp").read().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A":
                    address, port = (int(part, 16) for part in fields[1].split(":"))
                    host = socket.inet_ntoa(address.to_bytes(4, sys.byteorder))
                    places.add(f"{'127.0.0.1' if host == '0.0.0.0' else host}:{port}")
        for place in places:
            host, port = place.split(":")
            for path in ("/", "/api/list", "/api/news"):
                try:
                    peer = socket.create_connection((host, int(port)), timeout=2)
                    peer.sendall(f"GET {path} HTTP/1.1\r\nHost: {place}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n".encode())
                    got = b""
                    while True:
                        piece = peer.recv(65536)
                        if not piece: break
                        got += piece
                    print(place, len(got), b"Offstage" in got or b"transfers" in got)
                except OSError as error:
                    print(place, 0, False)
    """.replace("\n        ", "\n")

    def others(*arguments):
        done = subprocess.run(["/usr/bin/setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups",
                               "/usr/bin/python3", "-c", script, *arguments], capture_output=True, text=True, timeout=60)
        return [line.split() for line in done.stdout.splitlines()]

    here = f"{stage.host}:{stage.port}"
    known = others(here, cookie)
    check("another user who knows port and cookie gets not a byte", len(known) == 3 and all(one[1] == "0" for one in known))
    every = others("all", cookie)
    own = [one for one in every if one[0] == here]
    check("another user who tries every port gets not a byte of the page",
          own and all(one[1] == "0" and one[2] == "False" for one in own))
    lines = subprocess.run(["/usr/bin/setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups", "/bin/sh", "-c",
                            f"cat /proc/{stage.page.pid}/cmdline /proc/{stage.page.pid}/environ 2>/dev/null"], capture_output=True).stdout
    check("another user reads no secret of the process", cookie.split("=")[1].encode() not in lines and b"open/" not in lines)
    many = "import socket, sys\nfor _ in range(1500): socket.create_connection((sys.argv[1], int(sys.argv[2]))).close()"
    subprocess.run(["/usr/bin/setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups", "/usr/bin/python3", "-c", many,
                    stage.host, str(stage.port)], check=False, timeout=120)
    began = time.monotonic()
    check("this user still gets the page, and soon", request(stage.place, "/api/state", Cookie=cookie)[0] == 200
          and time.monotonic() - began < 5)


class Evil(http.server.BaseHTTPRequestHandler):
    """Another site, which this browser looks at as well."""

    origin = ""

    def do_GET(self):
        url = self.origin
        page = f"""<!doctype html><meta charset=utf-8><title>evil</title>
            <iframe id=frame src="{url}/"></iframe><img id=image src="{url}/icon.svg">
            <form id=form method=post action="{url}/api/act" enctype="text/plain" target=sink>
            <input name='{{"verb":"cancel","all":true,"x":"' value='"}}'></form><iframe name=sink></iframe>
            <script>
            window.got = [];
            const note = (name) => (value) => window.got.push([name, String(value)]);
            for (const path of ['/', '/api/list', '/api/state'])
                fetch('{url}' + path, {{credentials: 'include'}}).then((r) => r.text()).then(note('read'), note('refused'));
            fetch('{url}/api/list', {{credentials: 'include', mode: 'no-cors'}}).then((r) => r.text()).then(note('opaque'), note('refused'));
            fetch('{url}/api/act', {{method: 'POST', credentials: 'include', headers: {{'Content-Type': 'application/json', 'Offstage-Page': '1'}}, body: '{{"verb":"cancel","all":true}}'}}).then(note('read'), note('refused'));
            fetch('{url}/api/act', {{method: 'POST', mode: 'no-cors', credentials: 'include', body: '{{"verb":"cancel","all":true}}'}}).then(note('opaque'), note('refused'));
            const source = new EventSource('{url}/api/news', {{withCredentials: true}});
            source.onmessage = note('read'); source.onerror = () => {{ note('refused')('news'); source.close(); }};
            const script = document.createElement('script'); script.src = '{url}/main.js'; script.onload = note('script'); script.onerror = note('refused');
            document.head.append(script);
            document.getElementById('form').submit();
            </script>"""
        data = page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def by_another_site(stage, driver, check):
    """The browser has the page open and looks at other sites: at another port, and under another name."""
    Evil.origin = stage.origin
    server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = driver.current_window_handle
    try:
        for host in ("127.0.0.1", "localhost", stage.host):
            driver.switch_to.new_window("tab")
            driver.get(f"http://{host}:{server.server_port}/")
            got = until(lambda: len(driver.execute_script("return window.got")) >= 8 and driver.execute_script("return window.got"),
                        f"the attacks of {host}")
            check(f"a page at {host} reads nothing", not [one for one in got if one[0] in ("read", "script")])
            check(f"a page at {host} reads nothing blindly", all(one[1] == "" for one in got if one[0] == "opaque"))
            driver.switch_to.frame(driver.find_element("id", "frame"))
            check(f"a page at {host} frames nothing", not driver.find_elements("id", "tabs"))
            driver.switch_to.default_content()
            driver.close()
            driver.switch_to.window(home)
        check("no form and no script of theirs has cancelled anything", stage.show(stage.moving[0])["state"] == "running")
    finally:
        server.shutdown()
        server.server_close()


def looks_for_secrets(stage, cookie, check):
    """Everything that the page can be asked for, beside what the transfers know."""
    texts = [request(stage.place, path, Cookie=cookie)[2] for path in (
        "/api/list", "/api/state", "/api/lines", "/api/apps", "/api/tasks", "/api/accounts", "/api/findings",
        *(f"/api/show?id={number}" for number in [stage.waiting, *stage.moving]))]
    check("all of them answer", all(len(text) > 10 for text in texts))
    for secret in SECRETS:
        check(f"{secret} is in no answer", not any(secret in text for text in texts))
    check("what is not secret is there", any("Authorization" in text for text in texts))
    check("the daemon has it", os.path.exists(stage.ours.store))
