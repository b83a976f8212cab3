# SPDX-License-Identifier: Apache-2.0
"""Servers for uploads that others wrote, from PyPI, each in a virtual environment below the build folder, and bound to
loopback."""

import hashlib
import http.client
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request

import processes

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# tuspyserver is a router for an application of FastAPI: this is the whole application.
TUSPYSERVER = """
import sys
from fastapi import FastAPI
from tuspyserver import create_tus_router
import uvicorn
app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=sys.argv[1], max_size=1 << 40))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
"""


class Missing(Exception):
    """A server that cannot be installed here, and why."""


def environment(name, packages):
    """The Python of a virtual environment with these packages: made once, kept in the build folder."""
    folder = os.path.join(HERE, ".build", "python", name)
    python = os.path.join(folder, "bin", "python")
    if os.path.exists(os.path.join(folder, "whole")):
        return python
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", folder], capture_output=True, text=True)
    if made.returncode != 0:
        raise Missing(f"needs Python's venv: {made.stderr.strip()[-200:]}")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", *packages]
    installed = subprocess.run(pip, capture_output=True, text=True)
    if installed.returncode != 0:
        raise Missing(f"needs PyPI: {' '.join(packages)} cannot be installed: {installed.stderr.strip()[-200:]}")
    with open(os.path.join(folder, "whole"), "w"):
        pass
    return python


MEBIBYTE = 1 << 20


class Server:
    """A running server, and what it has stored."""

    # Set in the environment of programs that send to it.
    variables = {}
    # Whether a file is fetched from it, and not sent to it.
    is_source = False

    def __init__(self, directory):
        self.directory = directory
        self.files = os.path.join(directory, "files")
        os.makedirs(self.files)
        self.port = processes.free_port()
        self.log = open(os.path.join(directory, "server.log"), "w")
        # Its own folder, since resumable-upload keeps a database where it is started.
        self.process = processes.watch(
            processes.start(self.program(), cwd=directory, stdout=self.log, stderr=self.log))
        processes.wait_until(self.is_up, 30, f"{self.name} to listen")

    def is_up(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}: see {self.log.name}")
        try:
            self.ask("OPTIONS", f"http://127.0.0.1:{self.port}{self.path}")
            return True
        except OSError:
            return False

    def prepare(self, offstage, port):
        """What Offstage has to know before a transfer through a port."""

    def ask(self, method, url):
        """The status and headers of an answer."""
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
        try:
            connection.request(method, parts.path, headers=self.headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status, dict((name.lower(), value) for name, value in answer.getheaders())
        finally:
            connection.close()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


class TusServer(Server):
    headers = {"Tus-Resumable": "1.0.0"}
    # The most bytes of a request: what a kill may have sent again.
    cost_of_kill = 8 * MEBIBYTE

    def arguments(self, file, port):
        """The words of a command line that uploads a file through a port."""
        return ["--protocol", "tus", "--chunk-size", str(self.cost_of_kill), file,
                f"http://127.0.0.1:{port}{self.path}"]

    def problems(self, row, size, digest):
        """What is wrong with what it holds after an upload of a file."""
        problems = []
        whole = [path for path in self.stored() if os.path.getsize(path) == size]
        if [sha256(path) for path in whole] != [digest]:
            problems.append(f"the server holds {[os.path.getsize(path) for path in self.stored()]}")
        others = [path for path in self.stored() if path not in whole]
        if others:
            problems.append(f"{len(others)} other uploads were begun")
        status, headers = self.ask("HEAD", row["url"])
        if not 200 <= status < 300 or headers.get("upload-offset") != str(size):
            problems.append(f"HEAD {row['url']} answers {status}, offset {headers.get('upload-offset')}")
        return problems

    def stored(self):
        """The files that hold uploads, largest first."""
        found = []
        for root, _, names in os.walk(self.files):
            found += [os.path.join(root, name) for name in names if not name.endswith((".json", ".info", ".db", ".lock"))]
        return sorted((path for path in found if os.path.getsize(path) > 0), key=os.path.getsize, reverse=True)


class ResumableUpload(TusServer):
    """resumable-upload (MIT): all extensions, and 403 for a chunk after the last one."""

    name = "resumable-upload"
    path = "/files"

    def program(self):
        python = environment(self.name, ["resumable-upload==0.3.0"])
        program = os.path.join(os.path.dirname(python), "resumable-upload")
        return [program, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--upload-dir", self.files]


class TusPyServer(TusServer):
    """tuspyserver (MIT), in uvicorn: no checksums, and an expiry of each upload."""

    name = "tuspyserver"
    path = "/files/"

    def program(self):
        python = environment(self.name, ["tuspyserver==4.4.3", "fastapi", "uvicorn"])
        return [python, "-c", TUSPYSERVER, self.files, str(self.port)]


# What boto3 does at ministack: it makes a bucket, and the key of a user, since keys of the root are not checked.
PREPARE = """
import boto3, json, sys
told = dict(endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")
iam = boto3.client("iam", **told)
iam.create_user(UserName="uploader")
anything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
iam.put_user_policy(UserName="uploader", PolicyName="all",
                    PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [anything]}))
boto3.client("s3", **told).create_bucket(Bucket="films")
key = iam.create_access_key(UserName="uploader")["AccessKey"]
print(json.dumps([key["AccessKeyId"], key["SecretAccessKey"]]))
"""
# And what it reads back.
READ = """
import boto3, hashlib, json, sys
s3 = boto3.client("s3", endpoint_url=sys.argv[1])
found = []
for item in s3.list_objects_v2(Bucket="films").get("Contents", []):
    digest = hashlib.sha256()
    answer = s3.get_object(Bucket="films", Key=item["Key"])
    for block in answer["Body"].iter_chunks(1 << 20):
        digest.update(block)
    found.append([item["Key"], item["Size"], digest.hexdigest(), answer["ContentType"]])
begun = s3.list_multipart_uploads(Bucket="films").get("Uploads", [])
print(json.dumps({"objects": found, "begun": len(begun)}))
"""


class Ministack(Server):
    """ministack (MIT): S3 that checks the signatures of users, and the digests."""

    name = "ministack"
    path = "/"
    headers = {}
    # A part of 16 MiB in each of 8 lanes, or 8 MiB for files below 512 MiB.
    cost_of_kill = 8 * 16 * MEBIBYTE

    def __init__(self, directory):
        self.boto3 = environment("boto3", ["boto3==1.44.8"])
        super().__init__(directory)
        self.key = key, secret = json.loads(self.with_boto3(PREPARE))
        credentials, config = os.path.join(directory, "credentials"), os.path.join(directory, "config")
        with open(credentials, "w") as file:
            file.write(f"[default]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n")
        with open(config, "w") as file:
            file.write("[default]\nregion = us-east-1\n")
        self.variables = {"AWS_SHARED_CREDENTIALS_FILE": credentials, "AWS_CONFIG_FILE": config}

    def program(self):
        python = environment(Ministack.name, ["ministack==1.5.33"])
        settings = {
            # Without the second it would listen beyond loopback.
            "BIND_HOST": "127.0.0.1", "IOT_MTLS_ENABLED": "0", "GATEWAY_PORT": str(self.port),
            "SERVICES": "s3,iam,sts", "AUTH": "true",
        }
        return ["env", *(f"{name}={value}" for name, value in settings.items()),
                os.path.join(os.path.dirname(python), "ministack")]

    def with_boto3(self, program, *words):
        variables = {**os.environ, **self.variables}
        told = subprocess.run([self.boto3, "-c", program, f"http://127.0.0.1:{self.port}", *words], env=variables,
                              capture_output=True, text=True)
        if told.returncode != 0:
            raise RuntimeError(f"boto3 at ministack: {told.stderr.strip()[-300:]}")
        return told.stdout

    def arguments(self, file, port):
        return ["--endpoint-url", f"http://127.0.0.1:{port}", file, "s3://films/a file"]

    def problems(self, row, size, digest):
        found = json.loads(self.with_boto3(READ))
        problems = []
        if found["objects"] != [["a file", size, digest, "application/octet-stream"]]:
            problems.append(f"boto3 reads {found['objects']}, where it should be {size} bytes with {digest}")
        # One whose creation was not answered has no parts, and cannot be told from others.
        if found["begun"] > 1:
            problems.append(f"{found['begun']} uploads are left open")
        if row["url"] != "s3://films/a file":
            problems.append(f"the transfer says that it went to {row['url']}")
        return problems


class GCPStorageEmulator(Server):
    """gcp-storage-emulator (BSD): Google's resumable protocol without tokens, checksums and preconditions. It keeps nothing of
    a broken chunk, and forgets an upload that has become an object."""

    name = "gcp-storage-emulator"
    path = "/storage/v1/b"
    headers = {}
    # The largest chunk.
    cost_of_kill = 128 * MEBIBYTE

    def program(self):
        python = environment(self.name, ["gcp-storage-emulator==2026.7.19"])
        program = os.path.join(os.path.dirname(python), "gcp-storage-emulator")
        return [program, "start", "--host", "127.0.0.1", "--port", str(self.port), "--in-memory", "--quiet",
                "--default-bucket", "films"]

    def arguments(self, file, port):
        return ["--endpoint-url", f"http://127.0.0.1:{port}", "--token-command", "echo token", file,
                "gs://films/a file"]

    def problems(self, row, size, digest):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/storage/v1/b/films/o", timeout=60) as answer:
            found = json.load(answer)["items"]
        if [item["name"] for item in found] != ["a file"]:
            return [f"the bucket holds {[item['name'] for item in found]}"]
        whole = hashlib.sha256()
        url = f"http://127.0.0.1:{self.port}/storage/v1/b/films/o/a%20file?alt=media"
        with urllib.request.urlopen(url, timeout=60) as answer:
            while block := answer.read(MEBIBYTE):
                whole.update(block)
        problems = []
        if int(found[0]["size"]) != size or whole.hexdigest() != digest:
            problems.append(f"the object has {found[0]['size']} bytes with {whole.hexdigest()}, not {size} with {digest}")
        if row["url"] != "gs://films/a file":
            problems.append(f"the transfer says that it went to {row['url']}")
        return problems


# Puts an object there, in parts.
OFFER = """
import boto3, sys
boto3.client("s3", endpoint_url=sys.argv[1]).upload_file(sys.argv[2], "films", "a file")
"""


# Begins an upload, and says its ID and which are open.
BEGIN = """
import boto3, json, sys
s3 = boto3.client("s3", endpoint_url=sys.argv[1])
print(s3.create_multipart_upload(Bucket="films", Key="left & open")["UploadId"])
"""
OPEN = """
import boto3, json, sys
s3 = boto3.client("s3", endpoint_url=sys.argv[1])
print(json.dumps([upload["UploadId"] for upload in s3.list_multipart_uploads(Bucket="films").get("Uploads", [])]))
"""


class MinistackObject(Ministack):
    """The same, with an object that is fetched in pieces, and a key in an account of Offstage's: no profile is there."""

    name = "ministack-download"
    is_source = True

    def __init__(self, directory):
        super().__init__(directory)
        self.keys = self.variables
        self.variables = {name: os.path.join(directory, "nothing") for name in self.keys}

    def with_boto3(self, program, *words):
        own, self.variables = self.variables, getattr(self, "keys", self.variables)
        try:
            return super().with_boto3(program, *words)
        finally:
            self.variables = own

    def prepare(self, offstage, port):
        """Gives the daemon the key, and has it end an upload that somebody else has left open."""
        url = f"http://127.0.0.1:{port}"
        key, secret = self.key
        refused = subprocess.run([offstage.command, "account", "add", "s3", "--endpoint-url", url], text=True,
                                 input=f"{key}\nwrong\n", env=offstage.environment, capture_output=True)
        if refused.returncode == 0 or "secret does not match" not in refused.stderr:
            raise RuntimeError(f"a wrong secret was taken: {refused.stdout}{refused.stderr}")
        offstage.run("account", "add", "s3", "--endpoint-url", url, input=f"{key}\n{secret}\n")
        begun = self.with_boto3(BEGIN).strip()
        listed = offstage.json("doctor", "--open-uploads", "s3://films/left")["uploads"]
        if [(upload["key"], upload["id"]) for upload in listed] != [("left & open", begun)]:
            raise RuntimeError(f"one upload is open, and Offstage says {listed}")
        offstage.run("doctor", "--open-uploads", "s3://films", "--abort", begun)
        left = json.loads(self.with_boto3(OPEN))
        if left:
            raise RuntimeError(f"the upload that was ended is still open: {left}")

    def offer(self, file):
        self.with_boto3(OFFER, file)

    def arguments(self, file, port):
        return ["-o", file, "s3://films/a file"]

    def problems(self, row, size, digest):
        problems = []
        if not os.path.exists(row["path"]) or sha256(row["path"]) != digest:
            problems.append(f"{row['path']} is not the object")
        left = [name for name in os.listdir(os.path.dirname(row["path"])) if "offstage" in name]
        if left:
            problems.append(f"{left} is left beside the file")
        if row["url"] != "s3://films/a file":
            problems.append(f"the transfer says that it came from {row['url']}")
        return problems


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


SERVERS = {
    server.name: server for server in (ResumableUpload, TusPyServer, Ministack, MinistackObject, GCPStorageEmulator)
}
