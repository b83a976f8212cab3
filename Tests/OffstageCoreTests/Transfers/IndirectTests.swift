// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct IndirectTests {
    private struct Holder: Equatable {
        @Indirect var words: [String]
        var number = 0
    }

    @Test func `a copy does not change with the original`() {
        var original = Holder(words: ["a"])
        let copy = original
        original.words.append("b")
        #expect(original.words == ["a", "b"])
        #expect(copy.words == ["a"])
        var other = copy
        other.words = []
        #expect(copy.words == ["a"] && other.words.isEmpty)
    }

    @Test func `equality is that of the values`() {
        let one = Holder(words: ["a"])
        var copy = one
        #expect(one == copy)
        copy.words[0] = "b"
        #expect(one != copy)
        copy.words[0] = "a"
        #expect(one == copy, "kept apart, but the same")
        copy.number = 1
        #expect(one != copy)
    }

    @Test func `a value that nobody shares is changed in its place`() {
        var holder = Holder(words: Array(repeating: "a", count: 100))
        let before = holder.words.withUnsafeBufferPointer { $0.baseAddress }
        holder.words[0] = "b"
        let after = holder.words.withUnsafeBufferPointer { $0.baseAddress }
        #expect(before == after)
    }
}
