// SPDX-License-Identifier: Apache-2.0
import Offstage
import Testing

@Suite struct UploadEventsTests {
    @Test func `events that nobody takes are not kept, but for the newest`() async throws {
        let (stream, continuation) = UploadEvents.makeStream()
        for sent in 1...1000 { continuation.yield(.progress(sent: Int64(sent), of: 1000)) }
        let reply = #"{"name": "a", "id": "id:a", "rev": "0123456789", "size": 1000}"#
        let file = try UploadedFile(reply: Data(reply.utf8))
        continuation.yield(.uploaded(file))
        continuation.finish()
        var taken: [UploadEvent] = []
        for try await event in stream { taken.append(event) }
        #expect(taken == (986...1000).map { .progress(sent: $0, of: 1000) } + [.uploaded(file)])
    }

    @Test func `a failure is thrown, however many events wait`() async throws {
        let (stream, continuation) = UploadEvents.makeStream()
        for sent in 1...1000 { continuation.yield(.progress(sent: Int64(sent), of: 1000)) }
        continuation.finish(throwing: URLError(.cancelled))
        await #expect(throws: URLError.self) { for try await _ in stream {} }
    }
}
