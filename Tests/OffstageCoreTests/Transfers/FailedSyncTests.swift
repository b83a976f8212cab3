// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// How a failed sync of a partial file affects its transfer: only bytes covered by an earlier sync count.
@Suite struct FailedSyncTests {
    private static let now = Fixture.moment(10)
    private static let boot = "boot-1"
    private static let tag = PartialDownload.Validator.strongETag("\"x\"")
    private static let passing = TransferFailure(.daemonInterrupted, "it could not be written just now")
    private static let lasting = TransferFailure(.targetNotWritable, "it cannot be written")

    private static func spans(_ ranges: Range<Int64>...) -> ByteSpans {
        ranges.reduce(into: ByteSpans()) { $0.insert($1) }
    }

    private func end(_ transfer: inout Transfer, reached: Int64) {
        _ = transfer.attemptEnded(
            attempt: 1,
            .failed(Self.passing),
            reached: reached,
            now: Self.now,
            policy: RetryPolicy(),
            jitter: 0
        )
    }

    @Test func `the next attempt goes on where the last good sync was`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        #expect(FailedSync(Self.passing).record(in: &transfer).isEmpty)
        // Another sync of the same attempt succeeds, whatever was lost.
        transfer.progressed(attempt: 1, done: 90, total: nil, synced: 90)
        end(&transfer, reached: 90)
        #expect(transfer.bytesDone == 30 && !transfer.holdsPartialFile(bootID: Self.boot))
        #expect(transfer.partial?.resumeOffset(fileSize: 90, bootID: Self.boot) == 30)
        // Bytes that the next attempt writes count again.
        transfer.state = .queued(since: Self.now.wall)
        _ = transfer.started(now: Self.now, offset: 30)
        #expect(transfer.holdsPartialFile(bootID: Self.boot))
        #expect(transfer.partial?.resumeOffset(fileSize: 60, bootID: Self.boot) == 60)
    }

    @Test func `a response that comes after it makes nothing count again`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        _ = FailedSync(Self.passing).record(in: &transfer)
        transfer.receiving(attempt: 1, validator: Self.tag, total: 100, bootID: Self.boot)
        end(&transfer, reached: 90)
        // The attempt writes from byte 20 on.
        #expect(transfer.partial?.resumeOffset(fileSize: 90, bootID: Self.boot) == 20)
    }

    @Test func `of a download in pieces, those that were synced count`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        transfer.holds(Self.spans(0..<40, 60..<80), attempt: 1, bootID: Self.boot)
        transfer.synced(Self.spans(0..<30, 60..<70), attempt: 1)
        _ = FailedSync(Self.passing).record(in: &transfer)
        transfer.holds(Self.spans(0..<90), attempt: 1, bootID: Self.boot)
        transfer.synced(Self.spans(0..<90), attempt: 1)
        end(&transfer, reached: 90)
        #expect(transfer.bytesDone == 40)
        #expect(transfer.partial?.held(fileSize: 90, bootID: Self.boot) == Self.spans(0..<30, 60..<70))
    }

    @Test func `a file that was complete, as it seemed, is not saved but fetched again, a few times at most`() throws {
        var transfer = try TransferStage.saving.transfer(isUpload: false)
        for _ in 0..<4 {
            let actions = FailedSync(Self.passing).endSaving(of: &transfer, now: Self.now)
            guard case .waiting(let wait) = transfer.state, case .retry(Self.passing, let deadline) = wait.cause else {
                Issue.record("\(transfer.state)")
                return
            }
            #expect(actions == [.wake(deadline)] && transfer.bytesDone == 30)
            #expect(transfer.partial?.resumeOffset(fileSize: 100, bootID: Self.boot) == 30)
            transfer.state = .saving(TransferStage.answer, since: Self.now.wall)
        }
        _ = FailedSync(Self.passing).endSaving(of: &transfer, now: Self.now)
        #expect(transfer.outcome == .failed(Self.passing, TransferStage.answer))
    }

    @Test func `a person who retries it gets what was not synced fetched again`() throws {
        var transfer = try TransferStage.saving.transfer(isUpload: false)
        _ = FailedSync(Self.lasting).endSaving(of: &transfer, now: Self.now)
        #expect(transfer.outcome == .failed(Self.lasting, TransferStage.answer))
        #expect(transfer.retry(now: Self.now) != nil)
        #expect(transfer.partial?.resumeOffset(fileSize: 100, bootID: Self.boot) == 30)
    }

    @Test func `another task goes on with what was synced, and with nothing if nothing was`() throws {
        for synced in [30, 0] as [Int64] {
            var transfer = try TransferStage.saving.transfer(isUpload: false, isSession: true)
            transfer.partial?.syncedBytes = synced
            let actions = FailedSync(Self.lasting).endSaving(of: &transfer, now: Self.now)
            #expect(actions.contains(.keepPartialFile) == (synced > 0))
            transfer.keptForResuming(as: "a0", bytes: 100)
            #expect(transfer.resumeData?.ofDownload?.bytes == (synced > 0 ? synced : nil))
        }
    }

    @Test func `nothing else changes what has completed or is not being saved`() throws {
        for stage in TransferStage.allCases where stage != .saving {
            let before = try stage.transfer(isUpload: false)
            var transfer = before
            #expect(FailedSync(Self.lasting).endSaving(of: &transfer, now: Self.now).isEmpty && transfer == before)
            #expect(FailedSync(Self.lasting).record(in: &transfer).isEmpty && transfer.state == before.state)
        }
    }
}
