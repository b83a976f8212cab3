// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Which addresses deliver alongside the one in use.
@Suite struct MirrorSourcesTests {
    private static func sources(_ transfer: Transfer, at moment: Moment = MirrorStage.now, free: Int = 3)
        -> PieceSources?
    {
        PieceSources(of: transfer, now: moment, own: 9) { $0.host == "d.example" ? 0 : free }
    }

    @Test func `others deliver beside the one in use, if a checksum tells in the end`() throws {
        let transfer = try MirrorStage.running(4, checksum: MirrorStage.checksum)
        #expect(Self.sources(transfer) == PieceSources(own: 0, most: 9, others: [(1, 3), (2, 3)]), "d has none free")
        #expect(Self.sources(transfer, free: 0) == nil)
        #expect(Self.sources(try MirrorStage.running(3)) == nil, "there is no checksum")
        #expect(Self.sources(try MirrorStage.running(1, checksum: MirrorStage.checksum)) == nil, "there is no other")
        let particular = try MirrorStage.running(3, checksum: MirrorStage.checksum) { $0.needs = .noExpensive }
        #expect(Self.sources(particular) == nil, "what one server needs of the machine another may not")
    }

    @Test func `those that were left do not, and a server does once`() throws {
        var transfer = try MirrorStage.running(3, checksum: MirrorStage.checksum)
        _ = MirrorStage.answer(&transfer, 404)
        #expect(Self.sources(transfer) == PieceSources(own: 1, most: 9, others: [(2, 3)]))
        transfer = try MirrorStage.running(3, checksum: MirrorStage.checksum)
        MirrorStage.fail(&transfer, .init(.serverBusy, "busy", retryAfter: 60))
        #expect(Self.sources(transfer) == PieceSources(own: 1, most: 9, others: [(2, 3)]))
        let later = Self.sources(transfer, at: Fixture.moment(100))
        #expect(later == PieceSources(own: 1, most: 9, others: [(0, 3), (2, 3)]))
        let same = try ["a.example/file", "a.example/other", "b.example/file", "b.example/other"].map {
            try RequestURL("https://\($0)")
        }
        let twice = try MirrorStage.running(2, checksum: MirrorStage.checksum) { $0.mirrors = MirrorList(same) }
        #expect(Self.sources(twice) == PieceSources(own: 0, most: 9, others: [(2, 3)]))
    }

    @Test func `a file of several that was a wrong one comes from one address`() throws {
        var transfer = try MirrorStage.running(3, checksum: MirrorStage.checksum)
        MirrorStage.receive(&transfer, "\"x\"")
        transfer.mixed(attempt: transfer.attempts + 1)
        #expect(transfer.partial?.isMixed == nil, "that was another attempt")
        transfer.mixed(attempt: transfer.attempts)
        #expect(transfer.partial?.isMixed == true)
        _ = MirrorStage.answer(&transfer, 200, reached: 100)
        #expect(transfer.saved(.init(.checksumMismatch, "it differs"), bytes: nil, now: MirrorStage.now) == [.enqueue])
        #expect(MirrorStage.at(transfer) == "a" && transfer.partial == nil)
        #expect(transfer.spec.mirrors?.addresses.allSatisfy { $0.trouble == nil } == true, "nobody is to blame")
        MirrorStage.begin(&transfer)
        #expect(Self.sources(transfer) == nil)
    }

    private static func leave(_ transfer: inout Transfer, _ address: Int, _ failure: TransferFailure) -> Bool? {
        let actions = transfer.leftBeside(address, after: failure, attempt: transfer.attempts, now: MirrorStage.now)
        return actions == nil ? nil : transfer.spec.mirrors?.addresses[address].trouble?.isForGood
    }

    @Test func `one that delivered beside is left by the same rules`() throws {
        var transfer = try MirrorStage.running(4, checksum: MirrorStage.checksum)
        #expect(Self.leave(&transfer, 1, .init(.httpStatus, "404")) == true)
        #expect(Self.leave(&transfer, 2, .init(.cannotConnect, "down")) == false)
        #expect(Self.leave(&transfer, 3, .init(.serverMisbehaves, "nonsense")) == false)
        #expect(Self.leave(&transfer, 3, .init(.serverMisbehaves, "nonsense")) == true, "for the second time")
        #expect(Self.leave(&transfer, 0, .init(.httpStatus, "404")) == nil, "it is the one in use")
        #expect(Self.leave(&transfer, 2, .init(.diskFull, "no room")) == false)
        #expect(transfer.spec.mirrors?.addresses[2].trouble?.failure.code == .cannotConnect, "no address is to blame")
        #expect(MirrorStage.at(transfer) == "a" && transfer.state.kind == .running)
        let words = transfer.spec.mirrors?.standing(beside: [1, 2]) ?? ""
        #expect(words == "address 1 of 4 is used; left: https://d.example/file (nonsense)", "the others deliver again")
        #expect(transfer.spec.mirrors?.standing(beside: [1, 2, 3]) == nil)
        #expect(transfer.leftBeside(2, after: .init(.httpStatus, "404"), attempt: 9, now: MirrorStage.now) == nil)
        // Which of two lengths is right is known only if the owner has stated it.
        let other = TransferFailure(.checksumMismatch, "it has a file of 99 bytes")
        transfer = try MirrorStage.running(2, checksum: MirrorStage.checksum)
        #expect(Self.leave(&transfer, 1, other) == false)
        let sized = MirrorList(try MirrorStage.urls(2), size: 100)
        transfer = try MirrorStage.running(2, checksum: MirrorStage.checksum) { $0.mirrors = sized }
        #expect(Self.leave(&transfer, 1, other) == true)
    }
}
