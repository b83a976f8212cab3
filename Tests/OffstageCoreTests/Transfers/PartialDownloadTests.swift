// SPDX-License-Identifier: Apache-2.0
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
}
