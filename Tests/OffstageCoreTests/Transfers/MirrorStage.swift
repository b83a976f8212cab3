// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A download of 100 bytes from several addresses, and the events that it handles.
enum MirrorStage {
    static let now = Fixture.moment(10)
    static let policy = RetryPolicy(baseDelay: 8, maximumDelay: 300)
    static let checksum = try? Checksum(parsing: "sha256:" + String(repeating: "ab", count: 32))

    static func urls(_ count: Int) throws -> [RequestURL] {
        try ["a", "b", "c", "d"].prefix(count).map { try RequestURL("https://\($0).example/file") }
    }

    /// A running download, at the first of so many addresses.
    static func running(
        _ count: Int = 3,
        checksum: Checksum? = nil,
        change: (inout TransferSpec) -> Void = { _ in }
    ) throws -> Transfer {
        var spec = try Fixture.download(checksum: checksum)
        spec.statusPolicy = .retryTransientAndFailOnError
        let urls = try urls(count)
        (spec.url, spec.mirrors) = (urls[0], MirrorList(urls))
        change(&spec)
        try spec.validate()
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: Fixture.moment(0))
        begin(&transfer)
        return transfer
    }

    static func begin(_ transfer: inout Transfer, offset: Int64 = 0) {
        transfer.state = .queued(since: now.wall)
        _ = transfer.started(now: now, offset: offset)
    }

    static func receive(_ transfer: inout Transfer, _ tag: String) {
        transfer.receiving(attempt: transfer.attempts, validator: .strongETag(tag), total: 100, bootID: "boot-1")
    }

    @discardableResult
    static func fail(
        _ transfer: inout Transfer,
        _ failure: TransferFailure,
        reached: Int64 = 0,
        at moment: Moment = now
    ) -> [TransferAction] {
        end(&transfer, .failed(failure), reached, at: moment)
    }

    static func answer(_ transfer: inout Transfer, _ status: Int, reached: Int64 = 0) -> [TransferAction] {
        end(&transfer, .answered(Answer(status: status)), reached, at: now)
    }

    private static func end(
        _ transfer: inout Transfer,
        _ result: AttemptResult,
        _ reached: Int64,
        at moment: Moment
    ) -> [TransferAction] {
        transfer.attemptEnded(
            attempt: transfer.attempts,
            result,
            reached: reached,
            now: moment,
            policy: policy,
            jitter: 1
        )
    }

    /// The first letter of the address in use.
    static func at(_ transfer: Transfer) -> String { String(transfer.spec.url.host.prefix(1)) }
}
