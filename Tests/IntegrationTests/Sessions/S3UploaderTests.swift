// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageCore
import OffstageTestSupport
import Testing

/// `Uploader.s3` in this process, with the daemon and a server whose answers are scripted. `scripts/resume` tests a
/// third-party server.
@Suite struct `Uploads of an app to S3` {
    private let server: FaultServer

    init() throws { server = try FaultServer() }

    /// `SessionHome` has a profile `phone`.
    private func uploader(_ key: String, profile: String = "phone", mode: Uploader.Mode = .overwrite) throws -> Uploader
    {
        _ = SessionHome.daemon
        let endpoint = try SessionHome.url(server.url(""))
        return Uploader.s3(bucket: "films", key: key, profile: profile, endpoint: endpoint, mode: mode)
    }

    @Test func `a handler gets the object with its version`() async throws {
        let answer = [
            HeaderField(name: "ETag", value: "\"abc\""), HeaderField(name: "x-amz-version-id", value: "v1"),
        ]
        server.script("/films/a/b.txt", .status(200, answer))
        let session = SessionHome.session { $0.httpAdditionalHeaders = ["X-App": "secret"] }
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(1000)
        var uploaded: UploadedFile?
        for try await event in try uploader("a/b.txt").upload(fromFile: file.url, in: session) {
            if case .uploaded(let file) = event { uploaded = file }
        }
        #expect(
            uploaded?.name == "b.txt" && uploaded?.path == "s3://films/a/b.txt" && uploaded?.identifier == "a/b.txt"
        )
        #expect(uploaded?.revision == "v1" && uploaded?.size == 1000 && uploaded?.contentHash == nil)
        let request = try #require(server.requests.first)
        #expect(request.body == file.bytes && request.headers["Content-Type"] == "text/plain")
        #expect(request.headers["Authorization"]?.contains("AKIDEXAMPLE") == true && request.headers["X-App"] == nil)
    }

    @Test func `another object there is an end of the task, told with a sentence`() throws {
        server.script(
            "/films/a",
            .status(412, [], body: "<Error><Code>PreconditionFailed</Code></Error>"),
            .status(200)
        )
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(1000)
        let task = try uploader("a", mode: .add).uploadTask(in: session, fromFile: file.url)
        task.resume()
        let error = try #require(try delegate.waitForEnd(of: task))
        #expect(error.code == URLError.cannotCreateFile.rawValue)
        #expect(error.localizedDescription.contains("another object is already at s3://films/a"), "\(error)")
        #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
    }

    @Test func `what cannot be is refused when the task is made`() throws {
        let session = SessionHome.session()
        defer { session.invalidateAndCancel() }
        for (uploader, sentence) in [
            (try uploader("a", profile: "nobody"), "there is no profile 'nobody'"),
            (try uploader("a/../b"), "'.' or '..'"),
            (try uploader(""), "names no object"),
            (try uploader("a", mode: .update(revision: "0123456789")), "S3 has no revisions"),
        ] {
            let error = try #require(throws: URLError.self) {
                try uploader.uploadTask(in: session, fromFile: URL(fileURLWithPath: "/etc/hostname"))
            }
            #expect(error.localizedDescription.contains(sentence), "\(error)")
        }
    }
}
