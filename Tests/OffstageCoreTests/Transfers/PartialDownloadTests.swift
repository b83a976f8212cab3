// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct PartialDownloadTests {
    private func partial(
        _ validator: PartialDownload.Validator? = .strongETag("\"x\""),
        total: Int64? = 100,
        synced: Int64 = 30,
        ignores: Bool = false
    ) -> PartialDownload {
        PartialDownload(
            validator: validator,
            totalBytes: total,
            syncedBytes: synced,
            bootID: "b1",
            serverIgnoresRanges: ignores
        )
    }

    @Test func `in the same boot the file's size counts`() {
        #expect(partial().resumeOffset(fileSize: 60, bootID: "b1") == 60)
        #expect(partial(total: nil).resumeOffset(fileSize: 60, bootID: "b1") == 60)
        #expect(partial().resumeOffset(fileSize: 0, bootID: "b1") == 0)
    }

    @Test func `after a reboot only what was synced counts, and never more than is there`() {
        #expect(partial().resumeOffset(fileSize: 60, bootID: "b2") == 30)
        #expect(partial().resumeOffset(fileSize: 20, bootID: "b2") == 20)
        #expect(partial(synced: 0).resumeOffset(fileSize: 60, bootID: "b2") == 0)
    }

    @Test func `a whole file is asked for its last byte`() {
        #expect(partial().resumeOffset(fileSize: 100, bootID: "b1") == 99)
        #expect(partial().resumeOffset(fileSize: 500, bootID: "b1") == 99)
        #expect(partial(total: 1).resumeOffset(fileSize: 1, bootID: "b1") == 0)
        #expect(partial(total: 0).resumeOffset(fileSize: 0, bootID: "b1") == 0)
    }

    @Test func `where a length is not certain, the last byte is asked for once more`() {
        let unsure = partial(total: nil)
        #expect(unsure.resumeOffset(fileSize: 60, bootID: "b1", looksBack: true) == 59)
        #expect(unsure.resumeOffset(fileSize: 60, bootID: "b2", looksBack: true) == 29)
        #expect(unsure.resumeOffset(fileSize: 1, bootID: "b1", looksBack: true) == 0)
        #expect(unsure.resumeOffset(fileSize: 0, bootID: "b1", looksBack: true) == 0)
        #expect(unsure.held(fileSize: 60, bootID: "b1", looksBack: true).spans == [0..<59])
        var adopted = partial()
        adopted.adopt()
        #expect(adopted.resumeOffset(fileSize: 60, bootID: "b1", looksBack: true) == 60, "it is another server's")
    }

    @Test func `without a validator, or where ranges are ignored, it starts from the beginning`() {
        #expect(partial(nil).resumeOffset(fileSize: 60, bootID: "b1") == 0)
        #expect(partial(ignores: true).resumeOffset(fileSize: 60, bootID: "b1") == 0)
    }

    @Test func `what arrived is held only by a file that was written in this boot`() throws {
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: try Fixture.download(), now: Fixture.moment(0))
        #expect(!transfer.holdsPartialFile(bootID: "this"))
        transfer.partial = PartialDownload(validator: nil, totalBytes: 3, bootID: "this")
        #expect(transfer.holdsPartialFile(bootID: "this"))
        #expect(!transfer.holdsPartialFile(bootID: "the next"))
    }

    @Test(arguments: [nil, "the last"])
    func `a short file is held although its response was not reported`(earlierBoot: String?) throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        transfer.partial = earlierBoot.map { PartialDownload(validator: nil, totalBytes: 9, bootID: $0) }
        _ = transfer.attemptEnded(
            attempt: 1,
            .answered(Answer(status: 200)),
            reached: 5,
            now: Fixture.moment(1),
            policy: RetryPolicy(baseDelay: 8, maximumDelay: 300),
            jitter: 0
        )
        #expect(transfer.holdsPartialFile(bootID: Fixture.moment(1).bootID))
        #expect(!transfer.holdsPartialFile(bootID: "the next"))
    }

    private func spans(_ ranges: Range<Int64>...) -> ByteSpans { ranges.reduce(into: ByteSpans()) { $0.insert($1) } }

    /// 100 bytes, of which [0, 40) and [60, 80) were written in the boot b1, and [0, 30) and [60, 70) synced.
    private func pieces() -> PartialDownload {
        var partial = partial()
        partial.hold(spans(0..<40, 60..<80), bootID: "b1")
        partial.synced(spans(0..<30, 60..<70))
        return partial
    }

    @Test func `pieces that were written count in the same boot, and those that were synced in another`() {
        #expect(pieces().held(fileSize: 80, bootID: "b1") == spans(0..<40, 60..<80))
        #expect(pieces().held(fileSize: 80, bootID: "b2") == spans(0..<30, 60..<70))
        #expect(pieces().resumeOffset(fileSize: 80, bootID: "b1") == 40)
        #expect(pieces().resumeOffset(fileSize: 80, bootID: "b2") == 30)
        #expect(pieces().isWritten(inBoot: "b1") && !pieces().isWritten(inBoot: "b2"))
    }

    @Test func `after a failed sync only what was synced before counts, as after a reboot`() {
        for var file in [partial(), pieces()] {
            #expect(!file.isUnsynced && file.kept(of: 80) == 80)
            let elsewhere = file.held(fileSize: 80, bootID: "b2")
            file.distrust()
            #expect(file.isUnsynced && !file.isWritten(inBoot: "b1"))
            #expect(file.resumeOffset(fileSize: 80, bootID: "b1") == 30)
            #expect(file.held(fileSize: 80, bootID: "b1") == elsewhere)
            #expect(file.kept(of: 80) == elsewhere.count && file.kept(of: 7) == 7)
            // A later sync would succeed whatever was lost.
            file.synced(spans(0..<100))
            #expect(file.held(fileSize: 80, bootID: "b1") == elsewhere)
            // The file is truncated there before it is written to again.
            file.closeHoles(bootID: "b1")
            #expect(!file.isUnsynced && file.resumeOffset(fileSize: 60, bootID: "b1") == 60)
        }
    }

    @Test func `never more counts than the file has`() {
        #expect(pieces().held(fileSize: 65, bootID: "b1") == spans(0..<40, 60..<65))
        #expect(pieces().held(fileSize: 20, bootID: "b1") == spans(0..<20))
        #expect(pieces().held(fileSize: 0, bootID: "b1").isEmpty)
        var partial = pieces()
        partial.hold(spans(0..<100), bootID: "b1")
        #expect(partial.held(fileSize: 500, bootID: "b1") == spans(0..<99), "the last byte is fetched again")
    }

    @Test func `pieces without a beginning, a validator or a length are none`() {
        var partial = pieces()
        partial.hold(spans(60..<80), bootID: "b1")
        #expect(partial.held(fileSize: 80, bootID: "b1").isEmpty)
        partial = pieces()
        partial.validator = nil
        #expect(partial.held(fileSize: 80, bootID: "b1").isEmpty)
        partial = pieces()
        partial.serverIgnoresRanges = true
        #expect(partial.held(fileSize: 80, bootID: "b1").isEmpty)
        partial = pieces()
        partial.totalBytes = nil
        #expect(partial.held(fileSize: 80, bootID: "b1").spans == [0..<30], "what is known without holes")
    }

    @Test func `without pieces a beginning is held`() {
        #expect(partial().held(fileSize: 60, bootID: "b1") == spans(0..<60))
        #expect(partial().held(fileSize: 60, bootID: "b2") == spans(0..<30))
    }

    @Test func `a sync says nothing about what was not written, or written again`() {
        var partial = pieces()
        partial.synced(spans(0..<100))
        #expect(partial.held(fileSize: 80, bootID: "b2") == spans(0..<40, 60..<80))
        partial.hold(spans(0..<10), bootID: "b2")
        #expect(partial.held(fileSize: 80, bootID: "b3") == spans(0..<10))
    }

    @Test func `a version that knows no pieces trusts only the beginning that was synced`() throws {
        struct Earlier: Codable {
            var syncedBytes: Int64
            var bootID: String
        }
        let json = try JSONEncoder().encode(pieces())
        let earlier = try JSONDecoder().decode(Earlier.self, from: json)
        #expect((earlier.syncedBytes, earlier.bootID) == (30, ""))
        #expect(try JSONDecoder().decode(PartialDownload.self, from: json) == pieces())
    }

    @Test func `a download over one connection is stored as it was before there were pieces`() throws {
        let json = String(decoding: try JSONEncoder().encode(partial()), as: UTF8.self)
        #expect(!json.contains("pieces"))
        let old = #"{"syncedBytes":30,"bootID":"b1","serverIgnoresRanges":false,"totalBytes":100}"#
        let partial = try JSONDecoder().decode(PartialDownload.self, from: Data(old.utf8))
        #expect(partial == self.partial(nil))
    }

    @Test func `a file that was cut off at its first hole has none`() {
        var partial = pieces()
        partial.closeHoles(bootID: "b2")
        #expect(partial.resumeOffset(fileSize: 40, bootID: "b2") == 40)
        #expect(partial.resumeOffset(fileSize: 40, bootID: "b3") == 30)
    }
}
