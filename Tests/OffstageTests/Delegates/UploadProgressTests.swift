// SPDX-License-Identifier: Apache-2.0
import Offstage
import Testing

/// A delegate's calls for an upload whose dialect continues where it was.
@Suite struct UploadProgressTests {
    @Test func `bytes that are sent again are not told of again`() {
        var standing = DelegateCalls.Standing(isUpload: true, reported: 50, neverGoesBack: true)
        #expect(DelegateCalls.progress(standing, done: 40, total: 100, offset: 32) == [])
        #expect(DelegateCalls.progress(standing, done: 50, total: 100, offset: 32) == [])
        #expect(
            DelegateCalls.progress(standing, done: 60, total: 100, offset: 32)
                == [.sent(bytes: 10, total: 60, expected: 100)]
        )
        standing.neverGoesBack = false
        #expect(
            DelegateCalls.progress(standing, done: 40, total: 100, offset: 32)
                == [.sent(bytes: 8, total: 40, expected: 100)],
            "a plain upload begins anew"
        )
    }
}
