// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Uploads whose request must not reach a server twice.
struct SentOnceTests {
    let server: FaultServer
    let harness: QueueHarness

    init() throws {
        server = try FaultServer()
        harness = try QueueHarness()
    }

    /// Posts a new file, as a session's task.
    private func post(_ size: Int, to place: String, task: Int, isOnce: Bool) async throws -> Transfer {
        let path = harness.directory.path("source-\(task)")
        try TestFiles.makeRandom(path, bytes: size, seed: 1)
        var status = stat()
        try #require(stat(path, &status) == 0)
        let source = TransferSpec.UploadSource(path: path, identity: FileIdentity(status))
        var spec = TransferSpec(direction: .upload(source), url: try RequestURL(server.url(place)), owner: "app")
        spec.sessionTask = SessionTaskKey(session: "s", task: task)
        spec.method = "POST"
        spec.isSentOnce = isOnce ? true : nil
        let id = try #require(try await harness.queue.submit([spec]).first)
        return try harness.end(of: id)
    }

    /// On a reused connection, libcurl would send the request again, and one without a body even unasked.
    @Test(arguments: [0, 100_000]) func `a connection that ends without an answer does not send it twice`(
        size: Int
    ) async throws {
        server.script("/first", .status(201))
        server.script(
            "/once",
            FaultAnswer {
                try $0.readBody()
                throw TestError("no answer")
            },
            .status(201)
        )
        // Its connection stays open.
        #expect(try await post(size, to: "/first", task: 1, isOnce: false).outcome?.isSuccess == true)
        let transfer = try await post(size, to: "/once", task: 2, isOnce: true)
        guard case .finished(.failed(let failure, _), _) = transfer.state else {
            Issue.record("it was sent twice: \(transfer.state)")
            return
        }
        #expect(failure.code == .commitUncertain)
        #expect(server.requests("/once").count == 1)
    }

    @Test(arguments: [0, 100_000], [307, 308]) func `a server that sends it elsewhere has not taken it`(
        size: Int,
        status: Int
    ) async throws {
        server.script("/once", .redirect(to: "/there", status: status))
        server.script("/there", .status(201))
        #expect(try await post(size, to: "/once", task: 1, isOnce: true).outcome?.isSuccess == true)
        #expect(server.requests("/there").map(\.method) == ["POST"])
        #expect(server.requests("/there").map(\.body.count) == [size])
    }

    /// The second request goes over the connection of the first.
    @Test func `where it was sent elsewhere, it is not repeated either`() async throws {
        server.script("/once", .redirect(to: "/there", status: 307))
        server.script(
            "/there",
            FaultAnswer {
                try $0.readBody()
                throw TestError("no answer")
            },
            .status(201)
        )
        let transfer = try await post(100_000, to: "/once", task: 1, isOnce: true)
        #expect(transfer.outcome?.isSuccess == false, "\(transfer.state)")
        let whole = server.requests("/there").filter { $0.body.count == 100_000 }
        #expect(whole.count == 1)
    }
}
