# SPDX-License-Identifier: Apache-2.0
"""The calls of `dropbox_sdk_check.py`: run by the Python of the environment that has Dropbox's SDK."""

import argparse
import base64
import contextlib
import datetime
import hashlib
import importlib.metadata
import os
import random
import re
import sys
import tempfile
import traceback
from urllib.parse import parse_qs, urlsplit

import requests

import dropbox
from dropbox import common, exceptions, file_transfer, files
from dropbox.content_hash import content_hash
from dropbox.oauth import DropboxOAuth2Flow, DropboxOAuth2FlowNoRedirect

MIB = 1 << 20
EMPTY = content_hash(b"")


class Emulator:
    """The emulator's control routes, and clients of the SDK for it."""

    def __init__(self, options):
        self.url = f"https://{options.host}"
        self.authority = options.authority
        self.app_key, self.app_secret = options.app
        self.web = requests.Session()
        self.web.verify = options.authority

    def control(self, method, name, **body):
        answer = self.web.request(method, f"{self.url}/emulator/{name}", json=body or None)
        answer.raise_for_status()
        return answer.json()

    def faults(self, *rules):
        self.control("POST", "faults", seed=1, rules=list(rules))

    def record(self):
        return self.control("GET", "record")

    def token(self, **fields):
        return self.control("POST", "token", client_id=self.app_key, **fields)

    def client(self, token=None, **options):
        """A client with an access token that is good for hours."""
        token = token or self.token()
        return dropbox.Dropbox(token["access_token"], ca_certs=self.authority, **options)

    def signed_in(self, token, **options):
        """A client that can refresh its token."""
        return dropbox.Dropbox(
            oauth2_refresh_token=token["refresh_token"], app_key=self.app_key, ca_certs=self.authority, **options)


CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


@contextlib.contextmanager
def raises(kind):
    """Catches the one error that must come; it is in `caught[0]` afterwards."""
    caught = []
    try:
        yield caught
    except kind as error:
        caught.append(error)
        return
    raise AssertionError(f"{kind.__name__} was not raised")


def data(size, seed=1):
    return random.Random(seed).randbytes(size)


def equal(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


# Signing in

@check
def pkce_without_redirect_gives_tokens(emulator):
    flow = DropboxOAuth2FlowNoRedirect(
        emulator.app_key, use_pkce=True, token_access_type="offline", ca_certs=emulator.authority)
    page = emulator.web.get(flow.start())
    code = re.search(r'id="auth-code">([^<]+)<', page.text).group(1)
    result = flow.finish(code)
    assert result.refresh_token and result.account_id.startswith("dbid:")
    client = dropbox.Dropbox(
        result.access_token, oauth2_refresh_token=result.refresh_token, app_key=emulator.app_key,
        oauth2_access_token_expiration=result.expires_at, ca_certs=emulator.authority)
    equal(client.users_get_current_account().account_id, result.account_id)
    with raises(requests.HTTPError) as caught:
        flow.finish(code)
    equal(caught[0].response.json()["error"], "invalid_grant")


@check
def redirect_with_state_and_secret_gives_tokens(emulator):
    session = {}
    flow = DropboxOAuth2Flow(
        emulator.app_key, "http://127.0.0.1:9/back", session, "csrf", consumer_secret=emulator.app_secret,
        token_access_type="offline", scope=["files.content.write", "account_info.read"], ca_certs=emulator.authority)
    answer = emulator.web.get(flow.start("over there"), allow_redirects=False)
    equal(answer.status_code, 302)
    query = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}
    result = flow.finish(query)
    equal(result.url_state, "over there")
    equal(result.scope, "files.content.write account_info.read")


@check
def denial_is_told(emulator):
    flow = DropboxOAuth2Flow(
        emulator.app_key, "http://127.0.0.1:9/back", {}, "csrf", use_pkce=True, ca_certs=emulator.authority)
    emulator.control("POST", "rules", denies_authorization=True)
    answer = emulator.web.get(flow.start(), allow_redirects=False)
    query = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}
    with raises(dropbox.oauth.NotApprovedException):
        flow.finish(query)


@check
def refresh_token_is_used_before_the_first_call_and_after_expiry(emulator):
    client = emulator.signed_in(emulator.token())
    client.files_upload(b"one", "/one")
    equal(emulator.record()["token_refreshes"], 1)
    emulator.faults({"route": "files/upload", "call": 1, "fault": {"kind": "unauthorized"}})
    client.files_upload(b"two", "/two")
    equal(emulator.record()["token_refreshes"], 2)
    emulator.control("POST", "time", advance=4 * 3600)
    client.files_upload(b"three", "/three")
    equal(emulator.record()["token_refreshes"], 3)
    equal(emulator.record()["commits"], 3)


@check
def revoked_tokens_are_refused(emulator):
    token = emulator.token()
    client = emulator.client(token)
    client.auth_token_revoke()
    with raises(exceptions.AuthError) as caught:
        client.users_get_current_account()
    assert caught[0].error.is_invalid_access_token()
    with raises(exceptions.AuthError) as caught:
        emulator.signed_in(token).users_get_current_account()
    assert caught[0].error.is_invalid_access_token()


@check
def check_user_echoes(emulator):
    equal(emulator.client().check_user("hello").result, "hello")


# Errors of every route

@check
def errors_of_the_token_are_mapped(emulator):
    with raises(exceptions.AuthError) as caught:
        dropbox.Dropbox("nobody's", ca_certs=emulator.authority).files_upload(b"", "/a")
    assert caught[0].error.is_invalid_access_token()
    with raises(exceptions.AuthError) as caught:
        emulator.client(emulator.token(scopes=["account_info.read"])).files_upload(b"", "/a")
    equal(caught[0].error.get_missing_scope().required_scope, "files.content.write")
    with raises(exceptions.AuthError) as caught:
        emulator.client(headers={"Dropbox-API-Select-User": "dbmid:x"}).files_upload(b"", "/a")
    assert caught[0].error.is_invalid_select_user()


@check
def a_wrong_root_is_mapped(emulator):
    client = emulator.client()
    namespace = client.users_get_current_account().root_info.root_namespace_id
    client.with_path_root(common.PathRoot.root(namespace)).files_upload(b"x", "/in-root")
    with raises(exceptions.PathRootError) as caught:
        client.with_path_root(common.PathRoot.root("1")).files_upload(b"x", "/a")
    equal(caught[0].error.get_invalid_root().root_namespace_id, namespace)
    with raises(exceptions.PathRootError) as caught:
        client.with_path_root(common.PathRoot.namespace_id("1")).files_upload(b"x", "/a")
    assert caught[0].error.is_no_permission()


@check
def malformed_arguments_are_400_in_plain_text(emulator):
    answer = emulator.web.post(
        f"{emulator.url}/2/files/upload", data=b"x",
        headers={"Authorization": f"Bearer {emulator.token()['access_token']}", "Dropbox-API-Arg": '{"path":"/a","x":1}',
                 "Content-Type": "application/octet-stream"})
    equal(answer.status_code, 400)
    with raises(exceptions.BadInputError) as caught:
        emulator.client().raise_dropbox_error_for_resp(answer)
    assert "unknown field 'x'" in caught[0].message
    assert caught[0].request_id


@check
def rate_limits_in_both_forms_are_waited_for(emulator):
    client = emulator.client()
    for plain in (False, True):
        emulator.faults({"route": "files/upload", "call": 1,
                         "fault": {"kind": "rate_limited", "retry_after": 1, "plain": plain}})
        client.files_upload(b"x", f"/limited-{plain}")
    equal(emulator.record()["calls_before_retry_after"], 0)
    emulator.faults({"fault": {"kind": "rate_limited", "retry_after": 300}})
    with raises(exceptions.RateLimitError) as caught:
        emulator.client(max_retries_on_rate_limit=0).files_upload(b"x", "/a")
    equal(caught[0].backoff, 300)
    assert caught[0].error.reason.is_too_many_requests()


@check
def server_errors_are_repeated(emulator):
    emulator.faults({"route": "files/upload", "call": 1, "fault": {"kind": "status", "status": 503, "effect": True}})
    equal(emulator.client().files_upload(b"x", "/again").size, 1)
    record = emulator.record()
    equal((record["commits"], record["unchanged_commits"]), (1, 1))


# One request

@check
def a_small_file_has_its_metadata(emulator):
    client = emulator.client()
    body = data(5 * MIB)
    modified = datetime.datetime(2026, 8, 5, 12, 34, 56)
    made = client.files_upload(body, "/Folder/Grüße \U0001f4be.bin", client_modified=modified, mute=True)
    equal((made.size, made.content_hash, made.client_modified), (len(body), content_hash(body), modified))
    equal((made.path_display, made.path_lower), ("/Folder/Grüße \U0001f4be.bin", "/folder/grüße \U0001f4be.bin"))
    found = client.files_get_metadata("/FOLDER/grüße \U0001f4be.BIN")
    equal((found.id, found.rev, found.name), (made.id, made.rev, "Grüße \U0001f4be.bin"))
    assert isinstance(client.files_get_metadata("/folder"), files.FolderMetadata)
    equal(client.files_download("/folder/grüße \U0001f4be.bin")[1].content, body)
    with raises(exceptions.ApiError) as caught:
        client.files_get_metadata("/nothing")
    assert caught[0].error.get_path().is_not_found()


@check
def modes_of_writing_keep_their_rules(emulator):
    client = emulator.client()
    first = client.files_upload(b"one", "/file.txt")
    equal(client.files_upload(b"one", "/FILE.txt").rev, first.rev)
    with raises(exceptions.ApiError) as caught:
        client.files_upload(b"two", "/file.txt")
    failed = caught[0].error.get_path()
    assert failed.reason.get_conflict().is_file()
    # The bytes were kept: the commit can be tried again without them.
    renamed = client.files_upload_session_finish(
        b"", files.UploadSessionCursor(failed.upload_session_id, 3), files.CommitInfo("/file.txt", autorename=True))
    equal((renamed.name, renamed.content_hash), ("file (1).txt", content_hash(b"two")))
    with raises(exceptions.ApiError) as caught:
        client.files_upload(b"one", "/file.txt", strict_conflict=True)
    assert caught[0].error.get_path().reason.get_conflict().is_file()
    second = client.files_upload(b"two", "/file.txt", mode=files.WriteMode.update(first.rev))
    assert second.rev != first.rev and second.id == first.id
    with raises(exceptions.ApiError):
        client.files_upload(b"three", "/file.txt", mode=files.WriteMode.update(first.rev))
    client.files_upload(b"three", "/file.txt", mode=files.WriteMode.overwrite)
    with raises(exceptions.ApiError) as caught:
        client.files_upload(b"x", "/file.txt/below")
    assert caught[0].error.get_path().reason.get_conflict().is_file_ancestor()


@check
def a_temporary_link_takes_one_file(emulator):
    client = emulator.client()
    link = client.files_get_temporary_upload_link(files.CommitInfo("/linked"), duration=600).link
    headers = {"Content-Type": "application/octet-stream"}
    equal(emulator.web.post(link, data=b"linked", headers=headers).status_code, 200)
    equal(emulator.web.post(link, data=b"linked", headers=headers).status_code, 410)
    equal(client.files_download("/linked")[1].content, b"linked")


@check
def a_wrong_hash_is_refused(emulator):
    with raises(exceptions.ApiError) as caught:
        emulator.client().files_upload(b"x", "/a", content_hash=EMPTY)
    assert caught[0].error.is_content_hash_mismatch()
    equal(emulator.record()["commits"], 0)


# Sessions

@check
def a_session_is_appended_to_and_finished(emulator):
    client = emulator.client()
    body = data(11 * MIB + 7)
    session = client.files_upload_session_start(body[:MIB]).session_id
    client.files_upload_session_append_v2(body[MIB:6 * MIB + 1], files.UploadSessionCursor(session, MIB))
    cursor = files.UploadSessionCursor(session, 6 * MIB + 1)
    made = client.files_upload_session_finish(body[6 * MIB + 1:], cursor, files.CommitInfo("/session"))
    equal((made.size, made.content_hash), (len(body), content_hash(body)))
    equal(client.files_download("/session")[1].content, body)


@check
def errors_of_sessions_are_mapped(emulator):
    client = emulator.client()
    session = client.files_upload_session_start(b"abc").session_id
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_append_v2(b"d", files.UploadSessionCursor(session, 1))
    equal(caught[0].error.get_incorrect_offset().correct_offset, 3)
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_finish(b"d", files.UploadSessionCursor(session, 9), files.CommitInfo("/a"))
    equal(caught[0].error.get_lookup_failed().get_incorrect_offset().correct_offset, 3)
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_append_v2(b"d", files.UploadSessionCursor("nothing", 0))
    assert caught[0].error.is_not_found()
    client.files_upload_session_append_v2(b"", files.UploadSessionCursor(session, 3), close=True)
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_append_v2(b"d", files.UploadSessionCursor(session, 3))
    assert caught[0].error.is_closed()
    client.files_upload(b"in the way", "/a")
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_finish(b"", files.UploadSessionCursor(session, 3), files.CommitInfo("/a"))
    assert caught[0].error.get_path().get_conflict().is_file()
    client.files_upload_session_finish(b"", files.UploadSessionCursor(session, 3), files.CommitInfo("/b"))
    for answer in ("not_found", "closed"):
        emulator.control("POST", "rules", after_commit=answer)
        with raises(exceptions.ApiError) as caught:
            client.files_upload_session_finish(b"", files.UploadSessionCursor(session, 3), files.CommitInfo("/b"))
        assert getattr(caught[0].error.get_lookup_failed(), f"is_{answer}")()


@check
def concurrent_sessions_keep_their_grid(emulator):
    client = emulator.client()
    kind = files.UploadSessionType.concurrent
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_start(b"x", session_type=kind)
    assert caught[0].error.is_concurrent_session_data_not_allowed()
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_start(b"", close=True, session_type=kind)
    assert caught[0].error.is_concurrent_session_close_not_allowed()
    session = client.files_upload_session_start(b"", session_type=kind).session_id
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_append_v2(bytes(4 * MIB), files.UploadSessionCursor(session, 1))
    assert caught[0].error.is_concurrent_session_invalid_offset()
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_append_v2(b"x", files.UploadSessionCursor(session, 0))
    assert caught[0].error.is_concurrent_session_invalid_data_size()
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_finish(b"", files.UploadSessionCursor(session, 0), files.CommitInfo("/c"))
    assert caught[0].error.is_concurrent_session_not_closed()
    client.files_upload_session_append_v2(b"end", files.UploadSessionCursor(session, 4 * MIB), close=True)
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_finish(b"", files.UploadSessionCursor(session, 4 * MIB + 3), files.CommitInfo("/c"))
    assert caught[0].error.is_concurrent_session_missing_data()


@check
def batches_begin_append_and_finish(emulator):
    client = emulator.client()
    started = client.files_upload_session_start_batch(3).session_ids
    bodies = [b"first", b"the second", b""]
    cursors = [files.UploadSessionCursor(session, 0) for session in started]
    entries = [files.UploadSessionAppendBatchArgEntry(cursor, len(body), close=True)
               for cursor, body in zip(cursors, bodies)]
    results = client.files_upload_session_append_batch(b"".join(bodies), entries).entries
    assert all(result.is_success() for result in results), results
    commits = [files.UploadSessionFinishArg(files.UploadSessionCursor(session, len(body)), files.CommitInfo(f"/{body!r}"))
               for session, body in zip(started, bodies)]
    commits.append(files.UploadSessionFinishArg(files.UploadSessionCursor("nothing", 0), files.CommitInfo("/x")))
    results = client.files_upload_session_finish_batch_v2(commits).entries
    equal([result.get_success().content_hash for result in results[:3]], [content_hash(body) for body in bodies])
    assert results[3].get_failure().get_lookup_failed().is_not_found()
    with raises(exceptions.ApiError) as caught:
        client.files_upload_session_append_batch(b"x", entries)
    assert caught[0].error.is_length_mismatch()


@check
def the_first_finish_batch_may_be_a_job(emulator):
    client = emulator.client()
    emulator.control("POST", "rules", finish_batch_is_asynchronous=True)
    session = client.files_upload_session_start(b"job", close=True).session_id
    arguments = [files.UploadSessionFinishArg(files.UploadSessionCursor(session, 3), files.CommitInfo("/job"))]
    job = client.files_upload_session_finish_batch(arguments).get_async_job_id()
    assert client.files_upload_session_finish_batch_check(job).is_in_progress()
    done = client.files_upload_session_finish_batch_check(job).get_complete()
    equal(done.entries[0].get_success().size, 3)


# The SDK's own helper for large files

def transfer(emulator, parallel, *rules):
    client = emulator.client(max_retries_on_error=0, max_retries_on_rate_limit=0)
    body = data(20 * MIB + 11)
    progress = []
    emulator.faults(*rules)
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
        with open(source, "wb") as file:
            file.write(body)
        options = file_transfer.UploadOptions(max_attempts=5, parallel_uploads=parallel, progress=progress.append)
        made = file_transfer.Uploader(client).upload(
            file_transfer.FileUpload(source), files.CommitInfo("/large"), options).metadata
        equal((made.size, made.content_hash), (len(body), content_hash(body)))
        equal(progress[-1].bytes_committed, len(body))
        emulator.faults()
        options = file_transfer.DownloadOptions(parallel_downloads=parallel)
        file_transfer.Downloader(client).download("/large", file_transfer.FileTarget(target), options)
        with open(target, "rb") as file:
            equal(hashlib.sha256(file.read()).digest(), hashlib.sha256(body).digest())
    equal(emulator.record()["commits"], 1)
    return emulator.record()


@check
def the_helper_uploads_one_after_the_other(emulator):
    equal(transfer(emulator, 0)["bytes_received_twice"], 0)


@check
def the_helper_uploads_in_parallel(emulator):
    equal(transfer(emulator, 3)["bytes_received_twice"], 0)


@check
def the_helper_recovers_from_lost_replies(emulator):
    append, finish = "files/upload_session/append_v2", "files/upload_session/finish"
    record = transfer(
        emulator, 0,
        {"route": append, "call": 1, "fault": {"kind": "lost_after"}},
        {"route": append, "call": 3, "fault": {"kind": "lost_before"}},
        {"route": finish, "call": 1, "fault": {"kind": "lost_between"}},
        {"route": finish, "call": 2, "fault": {"kind": "status", "status": 500}})
    equal(record["answers"][append], {"200": 1, "409": 1, "lost": 2})
    # Two whole chunks, and twice more the last one, which the finish had brought.
    equal(record["bytes_received_twice"], 16 * MIB + 2 * (4 * MIB + 11))


def unmodified():
    """Whether the SDK's files are those of its wheel."""
    for file in importlib.metadata.distribution("dropbox").files:
        if file.hash and file.suffix == ".py":
            digest = hashlib.new(file.hash.mode, file.locate().read_bytes()).digest()
            equal(base64.urlsafe_b64encode(digest).rstrip(b"=").decode(), file.hash.value)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--authority", required=True)
    parser.add_argument("--app", nargs=2, required=True)
    emulator = Emulator(parser.parse_args())
    unmodified()
    failed = 0
    for function in CHECKS:
        emulator.control("POST", "reset")
        emulator.control("DELETE", "rules")
        try:
            function(emulator)
        except Exception:
            failed += 1
            print(f"FAILED: {function.__name__}")
            traceback.print_exc()
    print(f"Dropbox's Python SDK {dropbox.__version__}: {len(CHECKS) - failed} checks passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
