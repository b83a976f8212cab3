// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Tallies and histograms.
@Suite struct MetricValueTests {
    @Test func `a tally counts up and down, and is never below nothing`() {
        var tally = Tally<TransferStanding>()
        tally.add(.retry)
        tally.add(.retry, 2)
        tally.add(.paused)
        tally.remove(.retry)
        tally.remove(.running)
        #expect(tally[.retry] == 2)
        #expect(tally[.paused] == 1)
        #expect(tally[.running] == 0)
        #expect(tally.sum == 3)
    }

    @Test func `a tally is an object in JSON, and kinds of a later version are left out`() throws {
        var tally = Tally<TransferStanding>()
        tally.add(.retry, 7)
        #expect(String(decoding: try JSONEncoder().encode(tally), as: UTF8.self) == #"{"retry":7}"#)
        let read = try JSONDecoder().decode(
            Tally<TransferStanding>.self,
            from: Data(#"{"retry": 7, "dreaming": 3}"#.utf8)
        )
        #expect(read[.retry] == 7)
        #expect(read.sum == 7)
        for bad in [#"{"retry": -1}"#, #"{"retry": 9223372036854775807}"#, #"{"retry": "7"}"#, "[7]"] {
            #expect(throws: (any Error).self, "\(bad)") {
                try JSONDecoder().decode(Tally<TransferStanding>.self, from: Data(bad.utf8))
            }
        }
    }

    @Test(arguments: Histogram.Scale.allCases)
    func `a value is counted in the first span that holds it, limits included`(scale: Histogram.Scale) {
        for (index, bound) in scale.bounds.enumerated() {
            for (value, place) in [(bound, index), (bound.nextUp, index + 1)] {
                var histogram = Histogram(scale)
                histogram.observe(value)
                #expect(histogram.counts.firstIndex(of: 1) == place)
                #expect(histogram.count == 1)
                #expect(histogram.sum == value)
            }
        }
        #expect(scale.bounds == scale.bounds.sorted())
    }

    @Test(arguments: [-0.001, .infinity, .nan])
    func `what is no length of time is not counted`(value: Double) {
        var histogram = Histogram(.commits)
        histogram.observe(value)
        #expect(histogram == Histogram(.commits))
    }

    @Test func `a histogram is read again, and a wrong one is refused`() throws {
        var histogram = Histogram(.transfers)
        for value in [0, 0.3, 7, 100_000] { histogram.observe(value) }
        let text = try JSONEncoder().encode(histogram)
        #expect(try JSONDecoder().decode(Histogram.self, from: text) == histogram)
        let zeros = Array(repeating: "0", count: 13).joined(separator: ",")
        for bad in [
            #"{"scale":"transfers","counts":[1],"sum":0}"#,
            #"{"scale":"transfers","counts":[-1,\#(zeros)],"sum":0}"#,
            #"{"scale":"transfers","counts":[1,\#(zeros)],"sum":-1}"#,
            #"{"scale":"years","counts":[1,\#(zeros)],"sum":1}"#,
        ] {
            #expect(throws: (any Error).self, "\(bad)") {
                try JSONDecoder().decode(Histogram.self, from: Data(bad.utf8))
            }
        }
    }
}
