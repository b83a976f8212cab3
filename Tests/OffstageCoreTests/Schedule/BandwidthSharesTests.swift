// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct BandwidthSharesTests {
    @Test func `without a limit each keeps its own`() {
        #expect(BandwidthShares.divide(nil, caps: [nil, 5]) == [nil, 5])
    }

    @Test func `a limit is divided equally`() {
        #expect(BandwidthShares.divide(90, caps: [nil, nil, nil]) == [30, 30, 30])
    }

    @Test func `what one may not use goes to the others`() {
        #expect(BandwidthShares.divide(100, caps: [10, nil, nil]) == [10, 45, 45])
    }

    @Test func `a cap that is only met after others were served counts, too`() {
        #expect(BandwidthShares.divide(100, caps: [10, 40, nil]) == [10, 40, 50])
    }

    @Test func `nobody is given nothing`() {
        #expect(BandwidthShares.divide(2, caps: [nil, nil, nil]) == [1, 1, 1])
    }

    @Test func `nobody runs`() {
        #expect(BandwidthShares.divide(2, caps: []).isEmpty)
    }
}
