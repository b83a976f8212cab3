# SPDX-License-Identifier: Apache-2.0
"""An nginx of our own on loopback: files under `root`, uploads by PUT, one process that one signal kills whole."""

import os
import shutil
import socket
import subprocess

import processes

_CONFIGURATION = """\
daemon off;
master_process off;
{user}pid {directory}/nginx.pid;
error_log {directory}/error.log warn;
worker_rlimit_nofile 20000;
events {{ worker_connections 8192; }}
http {{
    types {{ }}
    default_type application/octet-stream;
    log_format plain '$msec|$request_method|$uri|$status|$body_bytes_sent|$request_length|$http_range|$request_completion';
    access_log {access_log};
    sendfile on;
    tcp_nopush on;
    server_tokens off;
    keepalive_requests 100000;
    client_max_body_size 0;
    client_body_buffer_size 1m;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/unused; fastcgi_temp_path {directory}/unused;
    uwsgi_temp_path {directory}/unused; scgi_temp_path {directory}/unused;
    server {{
        listen 127.0.0.1:{port};
        {tls}
        root {root};
        dav_methods PUT DELETE;
        create_full_put_path on;
        dav_access user:rw group:r all:r;
        {limit}
    }}
}}
"""


class Nginx:
    """Start with `start`, end with `stop` (cleanly) or `kill` (SIGKILL); may be started again on the same port."""

    def __init__(self, directory, root, tls=False, limit_rate=None, log=False):
        self.directory = directory
        self.root = root
        self.port = processes.free_port()
        self.tls_port = processes.free_port() if tls else None
        self.access_log = os.path.join(directory, "access.log")
        self.process = None
        os.makedirs(os.path.join(directory, "body"), exist_ok=True)
        os.makedirs(root, exist_ok=True)
        tls_lines = ""
        if tls:
            self.certificate = make_certificate(directory)
            tls_lines = (
                f"listen 127.0.0.1:{self.tls_port} ssl;\n"
                f"        ssl_certificate {directory}/server.pem; ssl_certificate_key {directory}/server.key;"
            )
        with open(os.path.join(directory, "nginx.conf"), "w") as file:
            file.write(
                _CONFIGURATION.format(
                    # Workers would run as www-data, which cannot read a private temporary directory.
                    user="user root;\n" if os.getuid() == 0 else "",
                    directory=directory,
                    root=root,
                    port=self.port,
                    access_log=f"{self.access_log} plain" if log else "off",
                    tls=tls_lines,
                    limit=f"limit_rate {limit_rate};" if limit_rate else "",
                )
            )

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def tls_url(self):
        return f"https://localhost:{self.tls_port}"

    def start(self):
        binary = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if binary is None:
            raise SystemExit("nginx is not installed: run scripts/bootstrap.")
        with open(os.path.join(self.directory, "nginx.out"), "ab") as output:
            self.process = processes.watch(
                processes.start(
                    [binary, "-p", self.directory, "-c", os.path.join(self.directory, "nginx.conf")],
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
            )
        processes.wait_until(self._answers, 10, f"nginx on port {self.port} (see {self.directory}/nginx.out)")

    def _answers(self):
        if self.process.poll() is not None:
            raise SystemExit(f"nginx did not start: see {self.directory}/nginx.out and {self.directory}/error.log.")
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None


def make_certificate(directory):
    """A certificate authority and a certificate for localhost; returns the authority's PEM file."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    path = lambda name: os.path.join(directory, name)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Offstage test authority",
            "-keyout", path("ca.key"), "-out", path("ca.pem"))
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
            "-keyout", path("server.key"), "-out", path("server.csr"))
    with open(path("server.ext"), "w") as file:
        file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    openssl("x509", "-req", "-days", "2", "-in", path("server.csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
            "-CAcreateserial", "-extfile", path("server.ext"), "-out", path("server.pem"))
    return path("ca.pem")
