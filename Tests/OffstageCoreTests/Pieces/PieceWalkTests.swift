// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct PieceWalkTests {
    /// Whatever happens to the requests, in whatever order: no unwritten byte counts, no held byte is requested, the
    /// hole is in the store before it is in the file, and only a whole file is a success.
    @Test(arguments: 0..<40, [false, true])
    func `no order of events loses or invents a byte`(seed: UInt64, isAuthorized: Bool) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            var walk = try PieceWalk(
                total: Int64.random(in: 1..<40 << 20, using: &generator),
                connections: Int.random(in: 2...16, using: &generator),
                download: isAuthorized ? ScriptedDownload() : nil
            )
            for _ in 0..<60 where !walk.isWhole {
                walk.begin(&generator)
                for _ in 0..<2000 where walk.result == nil { walk.goOn(&generator) }
                #expect(walk.result != nil, "an attempt comes to an end")
            }
            #expect(walk.isWhole, "in the end the file is there")
        }
    }

    /// The same for several addresses.
    @Test(arguments: 0..<40) func `no order of events at several addresses loses or invents a byte`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            var walk = PieceWalk(
                total: Int64.random(in: 1..<40 << 20, using: &generator),
                connections: Int.random(in: 2...16, using: &generator),
                others: Int.random(in: 1...4, using: &generator)
            )
            for _ in 0..<60 where !walk.isWhole {
                walk.begin(&generator)
                for _ in 0..<2000 where walk.result == nil { walk.goOn(&generator) }
                #expect(walk.result != nil, "an attempt comes to an end")
            }
            #expect(walk.isWhole, "in the end the file is there")
        }
    }
}
