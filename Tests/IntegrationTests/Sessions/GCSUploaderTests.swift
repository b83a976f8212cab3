// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageCore
import OffstageTestSupport
import Testing

/// `Uploader.gcs` in this process, with the daemon and an emulator of Google Cloud Storage.
@Suite struct `Uploads of an app to Google Cloud Storage` {
    private let storage: GCSEmulator
    private let directory: TemporaryDirectory
    private let keyFile: URL

    init() throws {
        storage = try GCSEmulator()
        directory = try TemporaryDirectory()
        keyFile = URL(fileURLWithPath: directory.path("key.json"))
        try storage.makeKeyFile(at: keyFile.path)
    }

    private func uploader(
        _ object: String,
        keyFile: URL? = nil,
        mode: Uploader.Mode = .overwrite
    ) throws -> Uploader {
        _ = SessionHome.daemon
        return Uploader.gcs(
            bucket: "films",
            object: object,
            keyFile: keyFile ?? self.keyFile,
            endpoint: try SessionHome.url(storage.url),
            mode: mode,
            metadata: ["Title": "a film"]
        )
    }

    @Test func `a handler gets the object with its generation`() async throws {
        storage.server.script("/token", GCSEmulator.token(1))
        let session = SessionHome.session { $0.httpAdditionalHeaders = ["X-App": "secret"] }
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(1000)
        var uploaded: UploadedFile?
        for try await event in try uploader("a/b.txt").upload(fromFile: file.url, in: session) {
            if case .uploaded(let file) = event { uploaded = file }
        }
        #expect(
            uploaded?.name == "b.txt" && uploaded?.path == "gs://films/a/b.txt" && uploaded?.identifier == "a/b.txt"
        )
        #expect(uploaded?.revision == "1001" && uploaded?.size == 1000 && uploaded?.contentHash == nil)
        let object = storage.state.withLock { $0.objects["a/b.txt"] }
        #expect(object?.content == file.bytes && object?.contentType == "text/plain")
        #expect(object?.metadata["Title"] == "a film")
        #expect(storage.server.requests.allSatisfy { $0.headers["X-App"] == nil })
    }

    @Test func `what cannot be is refused when the task is made`() throws {
        let session = SessionHome.session()
        defer { session.invalidateAndCancel() }
        for (uploader, sentence) in [
            (
                try uploader("a", keyFile: URL(fileURLWithPath: "/none/key.json")),
                "The key file /none/key.json cannot be"
            ),
            (try uploader("a/../b"), "'.' or '..'"),
            (try uploader(""), "names no object"),
            (try uploader("a", mode: .update(revision: "0123456789")), "has no revisions"),
        ] {
            let error = try #require(throws: URLError.self) {
                try uploader.uploadTask(in: session, fromFile: URL(fileURLWithPath: "/etc/hostname"))
            }
            #expect(error.localizedDescription.contains(sentence), "\(error)")
        }
    }
}
