# SPDX-License-Identifier: Apache-2.0
"""Where scripts/blocks runs the commands of the documentation: a network without anybody else, in which every host that the
pages name is a server of ours, with the certificate that it should have."""

import os
import re
import shutil
import signal
import subprocess
import time

import processes

PATIENCE = 120
DROPBOX = ("www.dropbox.com", "api.dropboxapi.com", "content.dropboxapi.com")
EMULATOR_PORT = 18800
NGINX = """\
daemon off;
{user}pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
events {{ worker_connections 512; }}
http {{
    access_log {folder}/access.log;
    client_max_body_size 0;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/unused; fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused; scgi_temp_path {folder}/unused;
    ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.key;
    server {{
        listen 127.0.0.1:80;
        {listens}
        root {web};
        dav_methods PUT DELETE MKCOL;
        create_full_put_path on;
        dav_access user:rw group:r all:r;
        # A form is taken in and thrown away.
        if ($request_method = POST) {{ return 200 "thanks\\n"; }}
    }}
    server {{
        listen 127.0.0.1:443 ssl;
        server_name {dropbox};
        location / {{
            proxy_pass http://127.0.0.1:{port};
            proxy_request_buffering off;
            proxy_set_header Host $http_host;
        }}
    }}
}}
"""
# Files that the pages speak of, in the folder where their commands are run, and on the server.
PRELUDE = """\
cd "$HOME"
upload_some() {  # so many are sent, to have their numbers
    for number in $(seq "$1"); do offstage upload --detach backup.tar https://files.example/in/; done
    offstage wait "1-$1" >/dev/null
}
sign_in_to_dropbox() {
    offstage account add dropbox --app-key KEY --port 0
}
"""


class Failed(Exception):
    pass


def namespaces():
    """The words before a command that is to run where it may change hosts, certificates and the network; none without."""
    command = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]
    for words in (command, [*command, "--map-root-user"]):
        if subprocess.run([*words, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            return words
    return None


def hosts_in(texts):
    """The hosts that are named in addresses, and their ports for TLS."""
    hosts, ports = set(), {443}
    for text in texts:
        for scheme, host, port in re.findall(r"(https?)://([a-z0-9.-]+[a-z])(?::(\d+))?", text):
            hosts.add(host)
            if port and scheme == "https":
                ports.add(int(port))
    return sorted(hosts | set(DROPBOX)), sorted(ports)


class Stage:
    """The servers, which stay, and a fresh home for each block."""

    def __init__(self, folder, root, binaries, hosts, ports):
        self.folder, self.root, self.binaries = folder, root, binaries
        self.web = os.path.join(folder, "web")
        os.makedirs(self.web)
        for words in ("link set lo up", "link add wire0 type veth peer name wire1", "address add 10.55.0.1/24 dev wire0",
                      "link set wire0 up", "link set wire1 up", "route add default via 10.55.0.2"):
            # With loopback alone the daemon would wait for a network.
            subprocess.run(["ip", *words.split()], check=True)
        self._name(hosts)
        self._certify(hosts)
        self.kept = set()
        self._serve(ports)

    def _name(self, hosts):
        path = os.path.join(self.folder, "hosts")
        with open(path, "w") as file:
            file.write("127.0.0.1 localhost\n" + "".join(f"127.0.0.1 {host}\n" for host in hosts if host != "localhost"))
        subprocess.run(["mount", "--bind", path, "/etc/hosts"], check=True)

    def _certify(self, hosts):
        """An authority that is the only one here, and a certificate for every host."""
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, cwd=self.folder, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        with open(os.path.join(self.folder, "names"), "w") as file:
            file.write("basicConstraints=CA:FALSE\nsubjectAltName=" + ",".join(f"DNS:{host}" for host in hosts) + "\n")
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        openssl("req", "-x509", *key, "-days", "2", "-subj", "/CN=Authority of the pages", "-keyout", "ca.key", "-out", "ca.pem")
        openssl("req", *key, "-subj", "/CN=pages", "-keyout", "server.key", "-out", "server.csr")
        openssl("x509", "-req", "-days", "2", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-extfile", "names", "-out", "server.pem")
        subprocess.run(["mount", "--bind", os.path.join(self.folder, "ca.pem"), "/etc/ssl/certs/ca-certificates.crt"],
                       check=True)

    def _serve(self, ports):
        os.makedirs(os.path.join(self.folder, "body"))
        configuration = os.path.join(self.folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(NGINX.format(
                folder=self.folder, web=self.web, dropbox=" ".join(DROPBOX), port=EMULATOR_PORT,
                user="user root;\n" if os.getuid() == 0 else "",
                listens=" ".join(f"listen 127.0.0.1:{port} ssl default_server;" for port in ports)))
        nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if nginx is None:
            raise SystemExit("nginx is not installed: run scripts/bootstrap.")
        self.start([nginx, "-p", self.folder, "-c", configuration])
        processes.wait_until(lambda: os.path.exists(os.path.join(self.folder, "nginx.pid")), 10, "nginx to begin")

    def start(self, arguments):
        log = open(os.path.join(self.folder, "servers.log"), "a")
        process = processes.watch(processes.start(arguments, stdout=log, stderr=log, cwd=self.folder))
        self.kept.add(process.pid)
        return process

    def furnish(self, home):
        """The reader's files, and those that the servers have."""
        def write(path, content):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        shutil.rmtree(self.web)
        os.makedirs(os.path.join(self.web, "dav"))
        large, small = os.urandom(3 << 20), os.urandom(9000)
        for name in ("backup.tar", "film.mov", "large.bin"):
            write(os.path.join(home, name), large)
        for name in ("a.jpg", "photo.jpg", "report.pdf", "data.csv", "backup.tar.sha256", "photos/one.jpg", "photos/2/two.jpg"):
            write(os.path.join(home, name), small)
        for name in ("disk.iso", "a.iso", "b.iso", "robots.txt"):
            write(os.path.join(self.web, name), large if name == "disk.iso" else small)
        write(os.path.join(home, "urls.txt"), b"https://files.example/a.iso\nhttps://files.example/b.iso\n")
        os.mkdir(os.path.join(home, "in"))
        sums = subprocess.run(["sha256sum", "disk.iso", "a.iso", "b.iso"], cwd=self.web, check=True, capture_output=True)
        write(os.path.join(home, "SHA256SUMS"), sums.stdout)
        # A person's browser that says yes to what it is shown.
        browser = os.path.join(home, "bin", "xdg-open")
        write(browser, b'#!/bin/sh\nexec curl -sL -o /dev/null "$1"\n')
        os.chmod(browser, 0o755)

    def run(self, block):
        """Runs one block as a person would; a Failed says what came of it."""
        home = os.path.join(self.folder, "home")
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home)
        self.furnish(home)
        emulator = processes.watch(processes.start(
            [os.path.join(self.binaries, "offstage-dropbox-emulator"), "--port", str(EMULATOR_PORT)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home))
        script = os.path.join(self.folder, "block.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PRELUDE + block.script() + "\n")
        if block.file:
            with open(os.path.join(home, block.file), "w", encoding="utf-8") as file:
                file.write(block.text + "\n")
        environment = {
            "HOME": home, "OFFSTAGE_HOME": os.path.join(home, "offstage"), "LANG": "C.UTF-8", "DISPLAY": ":0", "USER": "reader",
            "PATH": f"{home}/bin:{self.binaries}:{os.environ['PATH']}:/usr/sbin", "WEB": self.web, "CHECKOUT": self.root,
            "EXAMPLES": os.environ.get("OFFSTAGE_EXAMPLES") or os.path.join(self.root, "Examples", ".build", "debug"),
        }
        with open(os.path.join(self.folder, "block.out"), "w+", encoding="utf-8") as output:
            process = subprocess.Popen(["bash", "-eu", "-o", "pipefail", script], env=environment, cwd=home, text=True,
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            try:
                status = process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                status = f"nothing after {PATIENCE} s"
            self.clean()
            processes.watch(emulator)
            output.seek(0)
            said = output.read()
        if status != 0:
            raise Failed(f"{block.where} ends with {status}:\n{said[-2500:].strip()}")

    def clean(self):
        """Ends whatever a block has left: in this namespace everything is ours."""
        for _ in range(200):
            others = [int(name) for name in os.listdir("/proc") if name.isdigit()
                      and int(name) != os.getpid() and not self._is_kept(int(name))]
            if not others:
                return
            for process in others:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self._reap()
            time.sleep(0.01)
        raise SystemExit("some processes of a block do not end")

    def _reap(self):
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    return
            except ChildProcessError:
                return

    def _is_kept(self, process):
        try:
            with open(f"/proc/{process}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            return True
        return process in self.kept or parent in self.kept
