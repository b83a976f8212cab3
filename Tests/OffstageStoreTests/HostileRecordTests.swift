// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

/// Records with numbers that no arithmetic can handle, as an older store may hold them: they are read as the nearest
/// valid numbers, and the rules continue with these.
@Suite struct HostileRecordTests {
    static let numbers = ["-9223372036854775808", "9223372036854775807", "-1", "0", "1e18", "1152921504606846977"]

    /// A record whose numbers are all the same.
    private func record(_ number: String) -> String {
        """
        {"createdAt":[\(number),\(number),"boot-1"],
        "state":{"running":{"_0":{"number":\(number),"startedAt":[\(number),\(number),"boot-1"],"offset":\(number)}}},
        "expiry":{"setAt":[\(number),\(number),"boot-1"],"delay":\(number)},
        "attempts":\(number),"retries":\(number),"fruitlessAttempts":\(number),"furthestByte":\(number),
        "bytesDone":\(number),"bytesTotal":\(number),"challengesAnswered":\(number),"restarts":\(number),
        "partial":{"validator":{"strongETag":{"_0":"\\"x\\""}},"totalBytes":\(number),"syncedBytes":\(number),
        "bootID":"boot-2","serverIgnoresRanges":false},
        "lastFailure":{"code":"serverBusy","detail":"d","retryAfter":\(number)},
        "history":[{"number":\(number),"startedAt":\(number),"endedAt":\(number),"fromByte":\(number),"toByte":\(number)}]}
        """
    }

    private func spec(_ number: String) -> String {
        """
        {"download":{"path":"/tmp/x"},"url":"http://h/x","owner":"o","priority":\(number),"earliestBegin":\(number),
        "maximumRetries":\(number),"maximumAttemptsBeforeFirstAnswer":\(number),"idleTimeout":\(number),
        "connectTimeout":\(number),"overallTimeout":\(number),"rateLimit":\(number),"connectionsPerHost":\(number),
        "resumesFrom":"ab","resumePartial":{"validator":{"strongETag":{"_0":"\\"x\\""}},"totalBytes":\(number),
        "syncedBytes":\(number),"bootID":"boot-1","serverIgnoresRanges":false},
        "sessionTask":{"session":"s","task":\(number)}}
        """
    }

    @Test(arguments: numbers) func `what an older store holds ends nothing`(number: String) async throws {
        let fixture = try StoreFixture()
        let opened = try SQLiteStore.open(path: fixture.path)
        try await opened.store.commit(try (1...3).map { .insert(try fixture.transfer($0)) })
        opened.store.close()
        let whole = number.contains("e") ? "1000000000000000000" : number
        try fixture.sql(
            """
            PRAGMA ignore_check_constraints = ON;
            UPDATE records SET record = CAST('\(record(whole))' AS BLOB), spec = CAST('\(spec(whole))' AS BLOB)
                WHERE id = 2;
            UPDATE transfers SET kind = 'running', expiry_delay = 9e999, expiry_wall = -9e999, expiry_uptime = 1e300,
                expiry_boot = 'boot-1', priority = 1e300, connections_per_host = \(whole) WHERE id = 2;
            """
        )
        let again = try SQLiteStore.open(path: fixture.path)
        defer { again.store.close() }
        let summaries = try again.store.unfinished()
        #expect(summaries.map(\.id.rawValue) == [1, 2, 3])
        for summary in summaries { #expect(summary.expiry?.remaining(at: StoreFixture.now).isFinite ?? true) }
        let found = try await again.store.transfers([1, 2, 3].map(TransferID.init(rawValue:)))
        #expect(found.count == 3)
        let transfer = try #require(found.first { $0.id.rawValue == 2 })
        try await expectLife(transfer, again.store)
    }

    /// Lets the rules continue with it, and writes the results.
    private func expectLife(_ transfer: Transfer, _ store: SQLiteStore) async throws {
        var transfer = transfer
        let now = StoreFixture.now
        _ = transfer.restored(now: now)
        #expect(transfer.partial?.resumeOffset(fileSize: 100, bootID: now.bootID) ?? 0 >= 0)
        #expect(transfer.spec.resumePartial?.resumeOffset(fileSize: 100, bootID: now.bootID) ?? 0 >= 0)
        _ = transfer.started(now: now, offset: 5)
        for failure in [TransferFailure.Code.connectionLost, .serverMisbehaves, .serverBusy] {
            _ = transfer.attemptEnded(
                attempt: transfer.attempts,
                .failed(.init(failure, "d", retryAfter: transfer.lastFailure?.retryAfter)),
                reached: 7,
                now: now,
                policy: RetryPolicy(),
                jitter: 0.5
            )
            _ = transfer.retry(now: now)
            _ = transfer.started(now: now, offset: transfer.bytesDone)
        }
        _ = transfer.pause(reached: 9, now: now)
        _ = transfer.resume(now: now)
        _ = transfer.woken(now: now)
        try await store.commit([.update(transfer)])
        #expect(try await store.transfers([transfer.id]).count == 1)
    }

    @Test func `a form whose files are too large together is refused by the decoder`() {
        let parts = (0..<1000).map { #"{"name":"\#($0)","file":{"path":"/a","identity":[1,2,1152921504606846976,4]}}"# }
        let json = #"{"boundary":"b","parts":[\#(parts.joined(separator: ","))]}"#
        #expect(throws: DecodingError.self) {
            try ForeignJSON.storeDecoder().decode(FormBody.self, from: Data(json.utf8))
        }
    }
}
