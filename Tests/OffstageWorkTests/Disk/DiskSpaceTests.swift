// SPDX-License-Identifier: Apache-2.0
import OffstageWork
import Testing

@Suite struct DiskSpaceTests {
    @Test func `the space of a folder that is there is known`() throws {
        #expect(try #require(DiskSpace.free(at: "/")) > 0)
    }

    @Test func `a disk that says more than there can be has plenty`() {
        #expect(DiskSpace.bytes(blocks: .max, size: .max) == .max)
        #expect(DiskSpace.bytes(blocks: .max, size: 4096) == .max)
        #expect(DiskSpace.bytes(blocks: 3, size: 4096) == 12_288)
    }

    @Test func `a folder that is not there has no answer`() {
        #expect(DiskSpace.free(at: "/nowhere/at/all") == nil)
    }
}
