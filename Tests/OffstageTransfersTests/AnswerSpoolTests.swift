// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import OffstageTransfers
import Testing

@Suite struct `Answers on the disk` {
    private let folder: TemporaryDirectory
    private let book = SpoolBook()

    init() throws { folder = try TemporaryDirectory() }

    /// Begins a body of this many bytes, in a folder with room for a thousand.
    private func begin(_ name: String, bytes: Int) -> (spool: AnswerSpool, problem: AnswerSpool.Problem?) {
        var spool = AnswerSpool(book, limit: 1000)
        let problem = spool.begin(at: folder.path(name), with: [UInt8](repeating: 1, count: bytes))
        return (spool, problem)
    }

    private func isTooMuch(_ problem: AnswerSpool.Problem?) -> Bool {
        if case .tooMuchKept? = problem { true } else { false }
    }

    @Test func `the beginning of a body counts`() {
        for number in 0..<10 { #expect(begin("\(number)", bytes: 100).problem == nil) }
        #expect(isTooMuch(begin("10", bytes: 100).problem))
    }

    @Test func `an answer that is deleted gives back what it had, and no more`() {
        #expect(begin("kept", bytes: 300).problem == nil)
        var (spool, problem) = begin("refused", bytes: 300)
        #expect(problem == nil)
        let piece = [UInt8](repeating: 2, count: 500)
        problem = piece.withUnsafeBytes { spool.append($0, length: 800) }
        #expect(isTooMuch(problem))
        spool.discard()
        #expect(isTooMuch(begin("too-long", bytes: 701).problem))
    }

    @Test func `a deleted answer makes room for another`() {
        var first = begin("first", bytes: 900).spool
        #expect(isTooMuch(begin("second", bytes: 900).problem))
        first.discard()
        #expect(begin("third", bytes: 900).problem == nil)
    }
}
