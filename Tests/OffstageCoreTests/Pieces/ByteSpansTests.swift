// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct ByteSpansTests {
    private func spans(_ ranges: Range<Int64>...) -> ByteSpans {
        ranges.reduce(into: ByteSpans()) { $0.insert($1) }
    }

    @Test func `spans that overlap or touch are one`() {
        #expect(spans(0..<5, 5..<9).spans == [0..<9])
        #expect(spans(5..<9, 0..<5).spans == [0..<9])
        #expect(spans(0..<3, 6..<9, 2..<7).spans == [0..<9])
        #expect(spans(0..<3, 6..<9, 4..<5).spans == [0..<3, 4..<5, 6..<9])
        #expect(spans(4..<4).isEmpty)
        #expect(spans(-7..<3).spans == [0..<3])
        #expect(spans(0..<Int64.max).end == ByteCounts.range.upperBound)
    }

    @Test func `what is there and what is missing`() {
        let held = spans(0..<10, 20..<30)
        #expect((held.count, held.prefix, held.end) == (20, 10, 30))
        #expect(held.gaps(before: 50) == [10..<20, 30..<50])
        #expect(held.gaps(before: 25) == [10..<20])
        #expect(held.gaps(before: 15) == [10..<15])
        #expect(ByteSpans().gaps(before: 5) == [0..<5])
        #expect(spans(20..<30).prefix == 0)
        #expect(held.clamped(to: 5..<25).spans == [5..<10, 20..<25])
        #expect(held.intersection(spans(0..<3, 8..<22, 29..<99)).spans == [0..<3, 8..<10, 20..<22, 29..<30])
    }

    @Test(arguments: 0..<20) func `they hold what a set of numbers would`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func range() -> Range<Int64> {
            let start = Int64.random(in: 0..<60, using: &generator)
            return start..<start + Int64.random(in: 0..<12, using: &generator)
        }
        for _ in 0..<50 {
            var (all, others) = ([ByteSpans(), ByteSpans()], [Set<Int64>(), Set<Int64>()])
            for turn in 0..<16 {
                let range = range()
                all[turn % 2].insert(range)
                others[turn % 2].formUnion(range)
            }
            func bytes(_ spans: ByteSpans) -> Set<Int64> { Set(spans.spans.joined()) }
            #expect(bytes(all[0]) == others[0] && all[0].count == Int64(others[0].count))
            #expect(zip(all[0].spans, all[0].spans.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            #expect(bytes(all[0].intersection(all[1])) == others[0].intersection(others[1]))
            #expect(Set(all[0].gaps(before: 50).joined()) == Set(0..<50).subtracting(others[0]))
            let bound = range()
            #expect(bytes(all[0].clamped(to: bound)) == others[0].intersection(bound))
        }
    }

    @Test func `they are stored as their bounds`() throws {
        let held = spans(0..<10, 20..<30)
        let json = try JSONEncoder().encode(held)
        #expect(String(decoding: json, as: UTF8.self) == "[0,10,20,30]")
        #expect(try JSONDecoder().decode(ByteSpans.self, from: json) == held)
    }

    @Test(arguments: [
        "[1]", "[5,5]", "[9,3]", "[0,5,4,9]", "[-1,5]", "[0,9223372036854775807]", "[0,1e300]", "[null,4]", "[\"a\"]",
        "{}", "7", "null",
    ])
    func `bounds that make no sense hold nothing`(json: String) throws {
        #expect(try JSONDecoder().decode(ByteSpans.self, from: Data(json.utf8)).isEmpty)
    }

    @Test func `a record has an end`() throws {
        var many = ByteSpans()
        for number in 0..<Int64(ByteSpans.mostStored + 9) { many.insert(number * 4..<number * 4 + 2) }
        let again = try JSONDecoder().decode(ByteSpans.self, from: try JSONEncoder().encode(many))
        #expect(again.spans == Array(many.spans.prefix(ByteSpans.mostStored)))
    }
}
