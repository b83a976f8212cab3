// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// When a file system counts as unresponsive.
@Suite struct UnansweredCallTests {
    @Test(arguments: [-5.0, 0, 14.9, .nan]) func `a call is waited for 15 seconds`(seconds: Double) {
        #expect(!UnansweredCall(at: 100).isStalled(at: 100 + seconds))
    }

    @Test(arguments: [15.0, 16, 1e9, .infinity]) func `a call is stalled after that`(seconds: Double) {
        #expect(UnansweredCall(at: 100).isStalled(at: 100 + seconds))
    }
}
